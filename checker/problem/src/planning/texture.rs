//! Textures and surfaces: extents, and the buffer behind them.

use super::walk::Walk;
use crate::error::{LineError, SourceLine};
use crate::expr::Binding;
use crate::statement::TextureStatement;
use plan::{AddressMode, Sampling, Texture, TextureKind};

/// Most texels along each extent (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
const fn limits(kind: TextureKind, axes: u8) -> [i64; 3] {
    match (kind, axes) {
        (TextureKind::Linear, _) => [1 << 28, 1, 1],
        (TextureKind::Array, 1) => [131_072, 1, 1],
        (TextureKind::Array, 2) => [131_072, 65_536, 1],
        (TextureKind::Array, _) => [16_384; 3],
        (TextureKind::Layered, _) => [32_768, 32_768, 2048],
        (TextureKind::Cubemap, _) => [32_768, 32_768, 6],
        (TextureKind::LayeredCubemap, _) => [32_768, 32_768, 2046],
    }
}

impl Walk<'_> {
    pub(super) fn texture(&mut self, source: &SourceLine, texture: &TextureStatement) -> Result<(), LineError> {
        self.require_new(source, texture.column, &texture.name)?;
        let index = self.plan.textures.len();
        if !self.compiled() {
            texture.dims.iter().try_for_each(|expr| self.ask_about(source, expr))?;
            self.scope.bind(&texture.name, Binding::Texture(index));
            return Ok(());
        }
        let Some((buffer, offset)) = self.place(source, &texture.of)? else {
            let message = format!("the texels of `{}` are a buffer's: name one, or `buffer + EXPR`", texture.name);
            return Err(source.error(texture.of.start(), message));
        };
        let (axes, extent) = self.texels(source, texture)?;
        let made = Texture {
            name: texture.name.clone(),
            buffer,
            offset,
            dtype: texture.dtype,
            channels: texture.channels,
            kind: texture.kind,
            axes,
            extent,
            sampling: texture.sampling.as_ref().map(|words| {
                let mode = |axis: usize| words.address.get(axis).or(words.address.last());
                Sampling {
                    address: [0, 1, 2].map(|axis| mode(axis).copied().unwrap_or(AddressMode::Clamp)),
                    linear: words.linear,
                    normalized: words.normalized,
                    fractions: words.fractions,
                }
            }),
            line: source.line,
        };
        let of = &self.plan.buffers[buffer];
        let there = of.bytes().saturating_sub(offset);
        if made.bytes() > there {
            let from = if offset > 0 { " from there on" } else { "" };
            let message = format!(
                "`{}` has {} bytes{from}, and the texels of `{}` take {}",
                of.name,
                there,
                made.name,
                made.bytes()
            );
            return Err(source.error(texture.of.start(), message));
        }
        self.plan.textures.push(made);
        self.scope.bind(&texture.name, Binding::Texture(index));
        Ok(())
    }

    /// Dimensions without layers, and the three extents.
    fn texels(&self, source: &SourceLine, texture: &TextureStatement) -> Result<(u8, [u32; 3]), LineError> {
        let written = texture.dims.len();
        let layers = !matches!(texture.kind, TextureKind::Linear | TextureKind::Array);
        let axes = (written - usize::from(layers)) as u8;
        let limits = limits(texture.kind, axes);
        let mut extent = [1; 3];
        for (at, expr) in texture.dims.iter().enumerate() {
            let value = self.eval(source, expr)?;
            // Layers are the third extent.
            let axis = if layers && at + 1 == written { 2 } else { at };
            let names = ["width", "height", if layers { "number of layers or faces" } else { "depth" }];
            if !(1..=limits[axis]).contains(&value) {
                let message = format!("a {} of {value}; it must be 1 to {}", names[axis], limits[axis]);
                return Err(source.error(expr.start(), message));
            }
            extent[axis] = value as u32;
        }
        let cube = matches!(texture.kind, TextureKind::Cubemap | TextureKind::LayeredCubemap);
        if cube && (extent[0] != extent[1] || !extent[2].is_multiple_of(6)) {
            let [w, h, faces] = extent;
            let message =
                format!("a cubemap has square faces, six of them or six for each layer, not {w} x {h} x {faces}");
            return Err(source.error(texture.dims[0].start(), message));
        }
        Ok((axes, extent))
    }
}
