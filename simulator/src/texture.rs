//! What a texture or surface object names: texels in device memory, and how they are read.
//!
//! Texels lie in an allocation row after row, without padding; a launch reads what is there. A device has its own order of
//! them in an array, which nobody sees.

/// How the texels of an object are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextureKind {
    /// Linear memory, read by index (`tex1Dfetch`).
    Linear,
    /// An array of one, two or three dimensions.
    Array(u8),
    /// Layers of one or two dimensions; the last extent is their number.
    Layered(u8),
    /// Six faces, or six for each layer; the last extent is the number of all faces.
    Cubemap {
        /// There are layers of six.
        layered: bool,
    },
}

/// The type of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Channel {
    F32,
    F16,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
}

impl Channel {
    /// Bytes.
    pub const fn size(self) -> u32 {
        match self {
            Self::F32 | Self::U32 | Self::I32 => 4,
            Self::F16 | Self::U16 | Self::I16 => 2,
            Self::U8 | Self::I8 => 1,
        }
    }

    /// Is it a floating-point type?
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16)
    }
}

/// What a coordinate outside of a texture means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressMode {
    /// The nearest texel inside.
    Clamp,
    /// The texture repeats; coordinates are normalised.
    Wrap,
    /// It repeats mirrored; coordinates are normalised.
    Mirror,
    /// There are zeros.
    Border,
}

/// How a texture is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// By axis.
    pub address: [AddressMode; 3],
    /// Between texels it is interpolated.
    pub linear: bool,
    /// Coordinates go from 0 to 1.
    pub normalized: bool,
    /// Integers are read as fractions of the largest.
    pub fractions: bool,
}

/// A texture or a surface.
#[derive(Debug, Clone)]
pub struct Texture {
    /// Name in findings.
    pub name: String,
    /// Where the first texel is.
    pub address: u64,
    /// Arrangement.
    pub kind: TextureKind,
    /// Width, height, depth (layers, faces), 1 where there is no such axis.
    pub extent: [u32; 3],
    /// Type of a channel.
    pub channel: Channel,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: u32,
    /// How it is read; nothing for a surface.
    pub sampling: Option<Sampling>,
}

impl Texture {
    /// Bytes of a texel.
    pub const fn texel(&self) -> u32 {
        self.channel.size() * self.channels
    }

    /// Bytes of all texels.
    pub fn bytes(&self) -> u64 {
        let texels = self.extent.iter().map(|&extent| u64::from(extent)).fold(1, u64::saturating_mul);
        texels.saturating_mul(self.texel().into())
    }

    /// The address of a texel.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn at(&self, [x, y, z]: [u32; 3]) -> u64 {
        let [width, height, _] = self.extent.map(u64::from);
        let texel = (u64::from(z) * height + u64::from(y)) * width + u64::from(x);
        self.address + texel * u64::from(self.texel())
    }
}
