//! Textures and surfaces of a plan on the simulated device.

use plan::dtype::DType;
use plan::{AddressMode, Sampling, Texture, TextureKind};
use simulator::texture as sim;

/// A texture of the plan, whose buffer lies at that address; nothing for a type that no texel has.
pub fn texture(texture: &Texture, buffer: u64) -> Option<sim::Texture> {
    Some(sim::Texture {
        name: texture.name.clone(),
        address: buffer + texture.offset,
        kind: match texture.kind {
            TextureKind::Linear => sim::TextureKind::Linear,
            TextureKind::Array => sim::TextureKind::Array(texture.axes),
            TextureKind::Layered => sim::TextureKind::Layered(texture.axes),
            TextureKind::Cubemap => sim::TextureKind::Cubemap { layered: false },
            TextureKind::LayeredCubemap => sim::TextureKind::Cubemap { layered: true },
        },
        extent: texture.extent,
        channel: channel(texture.dtype)?,
        channels: texture.channels,
        sampling: texture.sampling.as_ref().map(sampling),
    })
}

fn sampling(sampling: &Sampling) -> sim::Sampling {
    let mode = |mode| match mode {
        AddressMode::Clamp => sim::AddressMode::Clamp,
        AddressMode::Wrap => sim::AddressMode::Wrap,
        AddressMode::Mirror => sim::AddressMode::Mirror,
        AddressMode::Border => sim::AddressMode::Border,
    };
    let Sampling { address, linear, normalized, fractions } = *sampling;
    sim::Sampling { address: address.map(mode), linear, normalized, fractions }
}

fn channel(dtype: DType) -> Option<sim::Channel> {
    Some(match dtype {
        DType::F32 => sim::Channel::F32,
        DType::F16 => sim::Channel::F16,
        DType::U8 => sim::Channel::U8,
        DType::I8 => sim::Channel::I8,
        DType::U16 => sim::Channel::U16,
        DType::I16 => sim::Channel::I16,
        DType::U32 => sim::Channel::U32,
        DType::I32 => sim::Channel::I32,
        _ => return None,
    })
}
