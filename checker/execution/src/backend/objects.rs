//! What buffers, textures and surfaces are on a device.

use plan::{Object, Plan};

/// Values by index in the plan.
#[derive(Clone, Copy)]
pub struct Objects<'a> {
    /// Addresses of buffers.
    pub buffers: &'a [u64],
    /// Texture and surface objects; none where nothing reads them.
    pub textures: &'a [u64],
}

impl Objects<'_> {
    /// The value of one of them; 0, which is no object, where there is none.
    pub fn value(&self, object: Object) -> u64 {
        let found = match object {
            Object::Buffer(at) => self.buffers.get(at),
            Object::Texture(at) => self.textures.get(at),
        };
        found.copied().unwrap_or(0)
    }

    /// The bytes of a structure of the plan.
    pub fn structure(&self, plan: &Plan, at: usize) -> Vec<u8> {
        plan.structures[at].bytes(&|object| self.value(object))
    }
}
