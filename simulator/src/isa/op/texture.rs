//! Texture and surface instructions.

use super::Reg;

/// What an instruction does with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextureAct {
    /// `tex`; with whole numbers as coordinates it reads linear memory.
    Sample { fetch: bool },
    /// `tld4` of a channel.
    Gather(u8),
    /// `suld`
    Load(Outside),
    /// `sust`
    Store(Outside),
}

/// What a surface's coordinate outside of it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    Trap,
    Clamp,
    Zero,
}

/// The arrangement that an instruction names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Coordinates without the layer: 1 to 3.
    pub axes: u8,
    /// A layer comes first.
    pub layered: bool,
    /// Three coordinates are a direction.
    pub cube: bool,
}

/// A texture or surface instruction.
#[derive(Debug, Clone)]
pub struct TextureOp {
    pub act: TextureAct,
    pub geometry: Geometry,
    /// The object.
    pub object: Reg,
    /// The layer, then the coordinates.
    pub coordinates: Vec<Reg>,
    /// Destinations, or what is stored.
    pub regs: Vec<Reg>,
    /// The predicate that says whether the texels are in memory: they always are.
    pub resident: Reg,
    /// The result is of type f32.
    pub float: bool,
    /// Of a surface's element, bytes.
    pub size: u32,
}
