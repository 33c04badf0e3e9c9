//! Textures and surfaces of a session: each launch finds in them what is in their buffers, and leaves there what it wrote.

use super::{GUARD, GpuSession};
use crate::backend::JobError;
use crate::backend::gpu::driver::TextureObject;
use crate::backend::machine::Stop;
use plan::Texture;

impl GpuSession<'_> {
    /// Makes the objects of a plan.
    pub(super) fn objects(textures: &[Texture]) -> Result<Vec<TextureObject>, Stop> {
        let made = textures.iter().map(|texture| {
            TextureObject::new(texture).map_err(|error| {
                let message = format!("{}: {}: {}", error.call, error.name, error.message);
                JobError::Memory { buffer: texture.name.clone(), message }.into()
            })
        });
        made.collect()
    }

    /// Before a launch.
    pub(super) fn fill_textures(&self, launch: usize) -> Result<(), Stop> {
        if self.textures.is_empty() {
            return Ok(());
        }
        // Buffers may still be filled.
        self.wait(launch)?;
        for (object, texture) in self.textures.iter().zip(&self.program.plan.textures) {
            let memory = &self.buffers[texture.buffer];
            let offset = GUARD + texture.offset as usize;
            object.take(memory, offset).map_err(|error| self.stop(error, launch))?;
        }
        Ok(())
    }

    /// After a launch, which has been waited for.
    pub(super) fn put_surfaces_back(&self, launch: usize) -> Result<(), Stop> {
        let objects = self.textures.iter().zip(&self.program.plan.textures);
        for (object, texture) in objects.filter(|(object, _)| object.is_surface()) {
            let memory = &self.buffers[texture.buffer];
            let offset = GUARD + texture.offset as usize;
            object.put_back(memory, offset).map_err(|error| self.stop(error, launch))?;
        }
        Ok(())
    }
}
