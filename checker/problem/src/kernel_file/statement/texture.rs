//! `texture` and `surface`, read.

use super::line::{parse_dtype, parse_named};
use crate::cursor::Cursor;
use crate::error::{LineError, did_you_mean};
use crate::expr::Expr;
use plan::dtype::DType;
use plan::{AddressMode, TextureKind};

/// A texture's or surface's declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct TextureStatement {
    /// Column of the name.
    pub column: u32,
    /// Its name.
    pub name: String,
    /// Type of a channel.
    pub dtype: DType,
    /// Channels of a texel.
    pub channels: u32,
    /// Width, height, depth or layers, as far as they are written.
    pub dims: Vec<Expr>,
    /// A buffer, or a place in one.
    pub of: Expr,
    /// Arrangement.
    pub kind: TextureKind,
    /// How it is read; nothing for a surface.
    pub sampling: Option<SamplingWords>,
}

/// How a texture is read, as it is written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SamplingWords {
    /// By axis; the last one holds for all axes behind it.
    pub address: Vec<AddressMode>,
    /// `linear`
    pub linear: bool,
    /// `normalized`
    pub normalized: bool,
    /// `normalized_float`
    pub fractions: bool,
}

/// Options of a texture, with what each says.
const OPTIONS: [&str; 11] = [
    "clamp",
    "wrap",
    "mirror",
    "border",
    "point",
    "linear",
    "normalized",
    "normalized_float",
    "array",
    "layered",
    "cubemap",
];

/// Channel types that texels have.
const CHANNELS: [DType; 8] =
    [DType::F32, DType::F16, DType::U8, DType::I8, DType::U16, DType::I16, DType::U32, DType::I32];

pub(super) fn parse_texture(cursor: &mut Cursor, surface: bool) -> Result<TextureStatement, LineError> {
    let super::Named { column, name } = parse_named(cursor, if surface { "surface's name" } else { "texture's name" })?;
    cursor.require(":")?;
    let (dtype, channels) = parse_texel(cursor)?;
    cursor.require("[")?;
    let mut dims = vec![Expr::parse(cursor)?];
    while dims.len() < 3 && cursor.take(",") {
        dims.push(Expr::parse(cursor)?);
    }
    cursor.require("]")?;
    cursor.require("=")?;
    let of = Expr::parse(cursor)?;
    let options = parse_options(cursor, surface)?;
    let is = |name: &str| options.iter().any(|(_, option)| *option == name);
    let kind = match (is("layered"), is("cubemap")) {
        (true, true) => TextureKind::LayeredCubemap,
        (true, false) => TextureKind::Layered,
        (false, true) => TextureKind::Cubemap,
        // What linear memory has not makes an array.
        _ if dims.len() == 1 && !surface && options.iter().all(|(_, option)| *option == "normalized_float") => {
            TextureKind::Linear
        }
        _ => TextureKind::Array,
    };
    let wanted = match kind {
        TextureKind::Linear | TextureKind::Array => 1..=3,
        TextureKind::Layered => 2..=3,
        TextureKind::Cubemap | TextureKind::LayeredCubemap => 3..=3,
    };
    if !wanted.contains(&dims.len()) {
        let form = if kind == TextureKind::Layered { "[W, LAYERS] or [W, H, LAYERS]" } else { "[W, W, FACES]" };
        return Err(cursor.error_at(column, format!("`{name}` has the extents {form}")));
    }
    let sampling = if surface { None } else { Some(sampling(cursor, dtype, &options)?) };
    Ok(TextureStatement { column, name, dtype, channels, dims, of, kind, sampling })
}

/// `f32`, `u8x4`
fn parse_texel(cursor: &mut Cursor) -> Result<(DType, u32), LineError> {
    let (mark, column) = (cursor.mark(), cursor.column());
    let written = cursor.take_name().unwrap_or_default();
    let (base, channels) = match written.rsplit_once('x') {
        Some((base, "1")) => (base, 1),
        Some((base, "2")) => (base, 2),
        Some((base, "4")) => (base, 4),
        Some((base, "3")) if DType::from_name(base).is_some() => {
            let message = format!("`{written}`: a texel has 1, 2 or 4 channels");
            return Err(cursor.error_at(column, message).expected(TEXELS));
        }
        _ => (written.as_str(), 1),
    };
    let dtype = match DType::from_name(base) {
        Some(dtype) => dtype,
        None => {
            cursor.reset(mark);
            parse_dtype(cursor)?
        }
    };
    if CHANNELS.contains(&dtype) {
        return Ok((dtype, channels));
    }
    Err(cursor.error_at(column, format!("`{written}`: no texel has channels of {dtype}")).expected(TEXELS))
}

/// Types of texels, for messages.
const TEXELS: &str = "one of f32 f16 u8 i8 u16 i16 u32 i32, for 2 or 4 channels with x2 or x4 behind it: u8x4";

fn parse_options(cursor: &mut Cursor, surface: bool) -> Result<Vec<(u32, &'static str)>, LineError> {
    let known: &[&'static str] = if surface { &OPTIONS[9..] } else { &OPTIONS };
    let mut options = Vec::new();
    while cursor.take(",") {
        let column = cursor.column();
        let word = cursor.take_name().unwrap_or_default();
        let Some(option) = known.iter().copied().find(|option| *option == word) else {
            let message = match word.as_str() {
                "" => format!("expected an option, found {}", cursor.found()),
                _ if word.starts_with("mip") => "mipmaps are not there: an object has one level".to_owned(),
                _ => format!("unknown option `{word}`{}", did_you_mean(&word, known.iter().copied())),
            };
            return Err(cursor.error_at(column, message).expected(format!("one of {}", known.join(", "))));
        };
        options.push((column, option));
    }
    Ok(options)
}

/// How it is read, if that can be.
fn sampling(cursor: &Cursor, dtype: DType, options: &[(u32, &str)]) -> Result<SamplingWords, LineError> {
    let at = |name: &str| options.iter().find(|(_, option)| *option == name).map(|(column, _)| *column);
    let modes = options.iter().filter_map(|(column, option)| {
        let mode = match *option {
            "clamp" => AddressMode::Clamp,
            "wrap" => AddressMode::Wrap,
            "mirror" => AddressMode::Mirror,
            "border" => AddressMode::Border,
            _ => return None,
        };
        Some((*column, mode))
    });
    let modes: Vec<(u32, AddressMode)> = modes.collect();
    if let Some((column, _)) = modes.get(3) {
        return Err(cursor.error_at(*column, "a texture has at most three axes, with an address mode each"));
    }
    let repeats = |mode: AddressMode| matches!(mode, AddressMode::Wrap | AddressMode::Mirror);
    let normalized = at("normalized").is_some();
    if let Some((column, _)) = modes.iter().find(|(_, mode)| repeats(*mode) && !normalized) {
        let message = "`wrap` and `mirror` are for coordinates from 0 to 1; with others they do what `clamp` does";
        return Err(cursor.error_at(*column, message).expected("... = BUFFER, wrap, normalized"));
    }
    if let Some(column) = at("normalized_float")
        && (dtype.is_float() || dtype.size() == 4)
    {
        let message = format!("`normalized_float` reads integers of 8 and 16 bits as fractions, not {dtype}");
        return Err(cursor.error_at(column, message));
    }
    let fractions = at("normalized_float").is_some();
    if let Some(column) = at("linear")
        && !(dtype.is_float() || fractions)
    {
        let message =
            format!("`linear` is between floats; {dtype} is read as an integer unless `normalized_float` is there");
        return Err(cursor.error_at(column, message));
    }
    let address = modes.into_iter().map(|(_, mode)| mode).collect();
    Ok(SamplingWords { address, linear: at("linear").is_some(), normalized, fractions })
}
