//! The module's variables: put back before every launch that is to find them as they were.

use super::GpuSession;
use crate::backend::gpu::driver::{CudaError, Memory, Variable};
use crate::backend::machine::Stop;
use plan::{Buffer, Role};
use std::rc::Rc;

/// What a session takes from another one.
#[derive(Clone, Copy)]
pub enum Share<'s, 'a> {
    /// Nothing.
    Nothing,
    /// Inputs that are the same there.
    Inputs(&'s GpuSession<'a>),
    /// Inputs and outputs.
    All(&'s GpuSession<'a>),
}

/// The variables of a session's module as they were when it was loaded.
pub struct Variables {
    /// Each with its first value; `None`: some cannot be reached, so that the module has to be loaded again.
    known: Option<Vec<(Variable, Memory)>>,
}

impl Variables {
    /// There is nothing that a kernel could leave behind there.
    pub fn are_none(&self) -> bool {
        self.known.as_ref().is_some_and(Vec::is_empty)
    }
}

impl<'a> GpuSession<'a> {
    /// Takes down what the module's variables hold; to be asked before anything runs.
    ///
    /// # Errors
    /// No memory is left.
    pub fn variables(&self) -> Result<Variables, CudaError> {
        let names = self.gpu.variables(&self.program.artefact);
        let found = names.and_then(|names| names.iter().map(|name| self.module.variable(name)).collect());
        let Some(found): Option<Vec<Variable>> = found else { return Ok(Variables { known: None }) };
        let copies = found.into_iter().map(|variable| {
            let copy = variable.copy(self.gpu.stream())?;
            Ok((variable, copy))
        });
        Ok(Variables { known: Some(copies.collect::<Result<_, CudaError>>()?) })
    }

    /// Puts every variable of the module back to its first value.
    ///
    /// # Errors
    /// The driver's.
    pub fn put_back(&mut self, variables: &Variables) -> Result<(), Stop> {
        if let Some(known) = &variables.known {
            let stream = self.gpu.stream();
            let restored = known.iter().try_for_each(|(variable, copy)| variable.restore(stream, copy));
            return restored.map_err(|error| self.stop(error, 0));
        }
        self.module = self.gpu.load(&self.program.name, &self.program.artefact)?;
        self.look_up();
        Ok(())
    }

    /// The memory of a buffer that is the same here.
    pub(super) fn same(&self, wanted: &Buffer) -> Option<Rc<Memory>> {
        let equal = |buffer: &Buffer| {
            (&buffer.name, buffer.dtype, buffer.len, buffer.role)
                == (&wanted.name, wanted.dtype, wanted.len, wanted.role)
        };
        let index = self.program.plan.buffers.iter().position(equal)?;
        (wanted.role != Role::Scratch).then(|| self.buffers[index].clone())
    }
}
