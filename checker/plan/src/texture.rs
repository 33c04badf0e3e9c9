//! `//@ texture` and `//@ surface`: objects that show a buffer as texels.

use crate::dtype::DType;
use serde::{Deserialize, Serialize};

/// How the texels are arranged. Arrays have one to three dimensions, layers one or two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextureKind {
    /// Linear memory, for `tex1Dfetch`.
    Linear,
    /// An array.
    Array,
    /// Layers; the last extent is their number.
    Layered,
    /// Six faces; the last extent is their number.
    Cubemap,
    /// Six faces for each layer; the last extent is the number of all faces.
    LayeredCubemap,
}

/// What a coordinate outside means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AddressMode {
    /// The nearest texel inside.
    Clamp,
    /// The texture repeats.
    Wrap,
    /// It repeats mirrored.
    Mirror,
    /// There are zeros.
    Border,
}

/// How a texture is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampling {
    /// By axis.
    pub address: [AddressMode; 3],
    /// Interpolated between texels.
    pub linear: bool,
    /// Coordinates go from 0 to 1.
    pub normalized: bool,
    /// Integers are read as fractions of the largest (cudaReadModeNormalizedFloat).
    pub fractions: bool,
}

/// A texture or a surface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texture {
    /// Name in launches and messages.
    pub name: String,
    /// Index of the buffer that has the texels,
    pub buffer: usize,
    /// from this byte on, row after row without padding.
    pub offset: u64,
    /// Type of a channel.
    pub dtype: DType,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: u32,
    /// Arrangement.
    pub kind: TextureKind,
    /// Dimensions without layers and faces: 1 to 3.
    pub axes: u8,
    /// Width, height, depth or layers; 1 where there is no such dimension.
    pub extent: [u32; 3],
    /// Nothing for a surface.
    pub sampling: Option<Sampling>,
    /// Line of the kernel file.
    pub line: u32,
}

impl Texture {
    /// Bytes of a texel.
    pub fn texel(&self) -> usize {
        self.dtype.size() * self.channels as usize
    }

    /// Bytes of all texels.
    pub fn bytes(&self) -> u64 {
        let texels = self.extent.iter().map(|&extent| u64::from(extent)).fold(1, u64::saturating_mul);
        texels.saturating_mul(self.texel() as u64)
    }
}
