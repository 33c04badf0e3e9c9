//! Inputs on the device: drawn anew before every round, so that no sample has inputs that a kernel has seen before.

use super::tools::Tools;
use crate::backend::RunId;
use crate::backend::gpu::GpuSession;
use crate::backend::gpu::driver::{CudaError, Memory, Stream as CudaStream};
use crate::backend::machine::Stop;
use crate::verify::POISON;
use crate::verify::inputs::prepare_buffer;
use plan::stream::Stream;
use plan::{Buffer, Role};
use values::fill::{TURNS, Values, first_turn};
use values::recipe::{Recipe, varies};

/// The seed of a pass of a round. What is timed has the first of fills that take turns.
pub fn seed_of(seed: u64, round: u64, pass: usize) -> u64 {
    seed_of_turn(seed, round, pass, 0)
}

/// The same where each of several fills has another one's turn.
pub fn seed_of_turn(seed: u64, round: u64, pass: usize, turn: u64) -> u64 {
    first_turn(Stream::new(seed, "samples").bits(round << 8 | pass as u64)) + turn % TURNS
}

/// A copy of every input for each pass of a sample but the first, which has the session's own.
#[derive(Default)]
pub struct Copies {
    names: Vec<String>,
    passes: Vec<Vec<Memory>>,
}

impl Copies {
    /// For samples of `passes` passes.
    ///
    /// # Errors
    /// No memory is left.
    pub fn new(session: &GpuSession<'_>, passes: usize) -> Result<Self, CudaError> {
        let buffers = session.program().plan.buffers.iter().enumerate();
        let inputs: Vec<(usize, &Buffer)> = buffers.filter(|(_, buffer)| buffer.role == Role::In).collect();
        let of_pass = |_| inputs.iter().map(|(index, _)| Memory::new(session.bytes(*index))).collect();
        Ok(Self {
            names: inputs.iter().map(|(_, buffer)| buffer.name.clone()).collect(),
            passes: (1..passes).map(of_pass).collect::<Result<_, _>>()?,
        })
    }

    /// Where a pass finds an input, when it is not the session's own.
    pub fn address(&self, pass: usize, name: &str) -> Option<u64> {
        let position = self.names.iter().position(|known| known == name)?;
        Some(self.passes.get(pass.checked_sub(1)?)?[position].address())
    }
}

/// Draws the inputs of a session: its own ones with the first of `seeds`, the copies with the others. What comes from a file
/// or is the same for every seed stays as it was filled first.
///
/// # Errors
/// The driver's.
pub fn draw(tools: &Tools<'_>, session: &GpuSession<'_>, copies: &Copies, seeds: &[u64]) -> Result<(), CudaError> {
    for (index, buffer) in session.program().plan.buffers.iter().enumerate() {
        if buffer.role != Role::In || !varies(buffer) {
            continue;
        }
        for (pass, &seed) in seeds.iter().enumerate() {
            let own = (pass == 0 && !session.is_shared(index)).then(|| session.address(index));
            let (Some(address), Some(recipe)) =
                (own.or_else(|| copies.address(pass, &buffer.name)), Recipe::new(buffer, seed))
            else {
                continue;
            };
            tools.draw(&recipe, address, buffer.len)?;
        }
    }
    Ok(())
}

/// Fills every input of a session from the host, once: what [`draw`] leaves alone has its values then, copies too.
///
/// # Errors
/// A fill that cannot be made, or the driver's.
pub fn fill(session: &mut GpuSession<'_>, copies: &Copies, stream: &CudaStream, run: &RunId) -> Result<(), Stop> {
    let program = session.program().clone();
    for (index, buffer) in program.plan.buffers.iter().enumerate().filter(|(_, buffer)| buffer.role == Role::In) {
        if !session.is_shared(index) && !varies(buffer) {
            prepare_buffer(session, &program, index, run)?;
        }
        for copy in copies.of(&buffer.name) {
            let (memory, start) = session.buffer(index);
            let copied = copy.copy_from(stream, 0, memory, start, session.bytes(index));
            copied.map_err(crate::backend::gpu::failure)?;
        }
    }
    Ok(())
}

/// Fills the in-place buffers of a session, from the host.
///
/// # Errors
/// A fill that cannot be made, or the driver's.
pub fn fill_in_place(session: &mut GpuSession<'_>, seed: u64) -> Result<(), Stop> {
    let program = session.program().clone();
    let run = run_of(seed);
    let in_place = program.plan.buffers.iter().enumerate().filter(|(_, buffer)| buffer.role == Role::InOut);
    in_place.into_iter().try_for_each(|(index, _)| prepare_buffer(session, &program, index, &run))
}

/// A run with values as stated.
pub fn run_of(seed: u64) -> RunId {
    RunId { number: 0, seed, values: Values::AsStated, poison: POISON[0], schedule: None }
}

impl Copies {
    fn of(&self, name: &str) -> impl Iterator<Item = &Memory> {
        let position = self.names.iter().position(|known| known == name);
        self.passes.iter().filter_map(move |pass| pass.get(position?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::dtype::DType;
    use plan::{Fill, Plan};
    use values::fill::{chosen, turns};

    #[test]
    fn each_fill_has_its_turn() {
        let fills = |count: i32| Fill::OneOf((0..count).map(|number| Fill::Constant(number.into())).collect());
        let buffer = |name: &str, role, fill| Buffer { name: name.into(), dtype: DType::F32, len: 8, role, fill };
        let buffers = vec![
            buffer("a", Role::In, Some(fills(3))),
            buffer("b", Role::InOut, Some(fills(4))),
            buffer("c", Role::In, Some(Fill::Iota)),
            buffer("y", Role::Out, None),
        ];
        let plan = Plan { buffers, ..Plan::default() };
        assert_eq!(turns(&plan.buffers), 4);
        assert_eq!(turns(&[]), 1);
        for round in [0, 7, u64::from(u32::MAX), u64::MAX >> 8] {
            assert_eq!(seed_of(5, round, 1), seed_of_turn(5, round, 1, 0));
            for turn in 0..4 {
                let seed = seed_of_turn(5, round, 1, turn);
                let number = |count: u64| Some(Fill::Constant((turn % count) as f64));
                assert_eq!(chosen(&plan.buffers[0], seed).cloned(), number(3));
                assert_eq!(chosen(&plan.buffers[1], seed).cloned(), number(4));
            }
        }
    }
}
