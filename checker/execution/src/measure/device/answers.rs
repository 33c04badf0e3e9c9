//! What the oracle says of the inputs on the device, kept there: hidden, so that it is of no use to whoever finds it, and
//! compared with every timed output where it lies.

use super::inputs::{self, Copies};
use super::seal::What;
use super::tools::{Hidden, Tools};
use crate::backend::gpu::driver::{CudaError, Memory};
use crate::backend::gpu::{Gpu, GpuSession, Share, failure};
use crate::backend::machine::{Session, Stop};
use crate::backend::{JobError, Output, Program, RunId};
use crate::verify::POISON;
use crate::verify::answer::OracleOutputs;
use plan::stream::Stream;
use plan::{Buffer, Plan, Role};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use values::fill::Values;

/// Seconds that the oracle may take of a measurement; when they are over, inputs that it has answered come again.
const ORACLE: Duration = Duration::from_secs(5);
/// Sets of inputs that are answered in any case.
const SETS: usize = 4;
/// Bytes of answers to a set of inputs above which they are not kept beside others.
const LARGE: usize = 32 << 20;

/// The oracle's arrays for the inputs of one pass, by buffer of its plan.
struct OfPass {
    arrays: BTreeMap<usize, Hidden>,
    /// The fingerprint of all of them as they lie there, hidden.
    mark: Option<u64>,
}

/// The oracle on the device.
pub struct Oracle<'a> {
    gpu: &'a Gpu,
    session: GpuSession<'a>,
    /// Buffers of its plan that are compared, or say how large an error may be.
    wanted: Vec<usize>,
    /// Answers by round, one a pass.
    kept: Vec<(u64, Vec<OfPass>)>,
    /// Which of them belong to the inputs that lie there now.
    now: usize,
    spent: Duration,
    large: bool,
}

impl<'a> Oracle<'a> {
    /// Loads it; its inputs are those of `first`.
    ///
    /// # Errors
    /// It cannot be loaded, or no memory is left.
    pub fn open(gpu: &'a Gpu, program: &Program, outputs: &[Output], first: &GpuSession<'a>) -> Result<Self, Stop> {
        let session = GpuSession::open(gpu, program, Share::Inputs(first))?;
        let belongs = |buffer: &Buffer, output: &Output| {
            buffer.name == output.name || buffer.name.strip_suffix("_magnitude") == Some(output.name.as_str())
        };
        let buffers = program.plan.buffers.iter().enumerate();
        let wanted: Vec<usize> = buffers
            .filter(|(_, buffer)| outputs.iter().any(|output| belongs(buffer, output)))
            .map(|(index, _)| index)
            .collect();
        let large = wanted.iter().map(|&index| session.bytes(index)).sum::<usize>() > LARGE;
        Ok(Self { gpu, session, wanted, kept: Vec::new(), now: 0, spent: Duration::ZERO, large })
    }

    /// Can it answer several passes, each with inputs of its own? Then all its inputs are those of the versions.
    pub fn takes_passes(&self) -> bool {
        let buffers = self.session.program().plan.buffers.iter().enumerate();
        buffers.into_iter().all(|(index, buffer)| match buffer.role {
            Role::In => self.session.is_shared(index),
            Role::InOut => false,
            Role::Out | Role::Scratch => true,
        }) && self.session.program().plan.constants.is_empty()
    }

    /// Fills its inputs that are no version's and are the same for every seed.
    ///
    /// # Errors
    /// A fill that cannot be made, or the driver's.
    pub fn fill(&mut self, run: &RunId) -> Result<(), Stop> {
        inputs::fill(&mut self.session, &Copies::default(), self.gpu.stream(), run)
    }

    /// Which inputs a round should have: new ones, or, where the oracle is slow, some of those that it knows.
    pub fn round(&self, round: u64) -> u64 {
        if self.spent < ORACLE || self.large || self.kept.len() < SETS {
            return round;
        }
        let any = Stream::new(round, "again").integer(0, 0, self.kept.len() as i64 - 1);
        self.kept[any as usize].0
    }

    /// Answers the inputs of a round, which lie in the buffers, those of the passes behind the first in `copies`.
    ///
    /// # Errors
    /// Whatever stopped it.
    pub fn answer(&mut self, tools: &Tools<'_>, copies: &Copies, round: u64, seeds: &[u64]) -> Result<(), Stop> {
        if let Some(known) = self.kept.iter().position(|(known, _)| *known == round) {
            self.now = known;
            return Ok(());
        }
        let begin = Instant::now();
        inputs::draw(tools, &self.session, &Copies::default(), &seeds[..1]).map_err(failure)?;
        inputs::fill_in_place(&mut self.session, seeds[0])?;
        if self.large {
            // One set at a time.
            self.kept.clear();
        }
        let mut passes = Vec::new();
        for pass in 0..seeds.len() {
            passes.push(self.answer_pass(tools, copies, pass)?);
        }
        self.wipe()?;
        self.spent += begin.elapsed();
        self.now = self.kept.len();
        self.kept.push((round, passes));
        Ok(())
    }

    fn answer_pass(&mut self, tools: &Tools<'_>, copies: &Copies, pass: usize) -> Result<OfPass, Stop> {
        self.wipe()?;
        let plan = self.session.program().plan.clone();
        let moved = |buffer: usize| {
            let buffer = &plan.buffers[buffer];
            (buffer.role == Role::In).then(|| copies.address(pass, &buffer.name)).flatten()
        };
        self.session.fill_constants()?;
        self.session.enqueue(&moved)?;
        self.session.wait_all()?;
        let hide = |index: usize| -> Result<Hidden, CudaError> {
            let (from, start) = self.session.buffer(index);
            let bytes = self.session.bytes(index);
            let (key, mark) = (tools.fresh_key(What::Answers), tools.fresh_key(What::Hidden));
            let hidden = Hidden { memory: Memory::new(bytes)?, key, mark };
            hidden.memory.copy_from(self.gpu.stream(), 0, from, start, bytes)?;
            tools.mask(&hidden, bytes)?;
            Ok(hidden)
        };
        let arrays: Result<_, CudaError> = self.wanted.iter().map(|&index| Ok((index, hide(index)?))).collect();
        let mut of_pass = OfPass { arrays: arrays.map_err(failure)?, mark: None };
        let marked = tools.clear().and_then(|()| self.add_mark(tools, 0, &of_pass)).and_then(|()| tools.results(1));
        of_pass.mark = marked.map_err(failure)?.and_then(|words| words.first().copied());
        Ok(of_pass)
    }

    fn add_mark(&self, tools: &Tools<'_>, slot: usize, of_pass: &OfPass) -> Result<(), CudaError> {
        of_pass.arrays.iter().try_for_each(|(&index, hidden)| {
            tools.add_fingerprint(slot, (hidden.memory.address(), self.session.bytes(index)), hidden.mark)
        })
    }

    fn of_pass(&self, pass: usize) -> Option<&OfPass> {
        self.kept.get(self.now)?.1.get(pass)
    }

    /// Adds to `slot` the fingerprint of a pass's answers as they lie there now.
    ///
    /// # Errors
    /// The driver's.
    pub fn mark(&self, tools: &Tools<'_>, (slot, pass): (usize, usize)) -> Result<(), CudaError> {
        self.of_pass(pass).map_or(Ok(()), |of_pass| self.add_mark(tools, slot, of_pass))
    }

    /// Is that the fingerprint of a pass's answers when they were hidden? Who changes what is hidden need not know it: the sum that
    /// says how large an error may be becomes huge by one bit.
    pub fn is_intact(&self, pass: usize, mark: Option<u64>) -> bool {
        self.of_pass(pass).is_none_or(|of_pass| of_pass.mark.is_some() && of_pass.mark == mark)
    }

    /// Overwrites whatever it has written.
    fn wipe(&mut self) -> Result<(), Stop> {
        let roles: Vec<Role> = self.session.program().plan.buffers.iter().map(|buffer| buffer.role).collect();
        for (index, role) in roles.into_iter().enumerate() {
            if matches!(role, Role::Out | Role::Scratch) {
                self.session.poison(index, POISON[0])?;
            }
        }
        Ok(())
    }

    fn hidden(&self, pass: usize, name: &str) -> Option<(&Buffer, &Hidden)> {
        let plan: &Plan = &self.session.program().plan;
        let index = plan.buffers.iter().position(|buffer| buffer.name == name)?;
        Some((&plan.buffers[index], self.of_pass(pass)?.arrays.get(&index)?))
    }

    /// Adds to `slot` in how many places an output of a pass is wrong; false if that cannot be told on the device.
    ///
    /// # Errors
    /// The driver's.
    pub fn compare(
        &self,
        tools: &Tools<'_>,
        (slot, pass): (usize, usize),
        output: &Output,
        (address, buffer): (u64, &Buffer),
    ) -> Result<bool, CudaError> {
        let Some((own, want)) = self.hidden(pass, &output.name) else { return Ok(false) };
        if own.len != buffer.len || own.dtype.is_float() != buffer.dtype.is_float() {
            return Ok(false);
        }
        if !buffer.dtype.is_float() {
            let bytes = buffer.len as usize * buffer.dtype.size();
            tools.compare_bytes(slot, address, want, bytes)?;
            return Ok(own.dtype == buffer.dtype);
        }
        if own.dtype != plan::dtype::DType::F64 {
            return Ok(false);
        }
        let magnitude = self.hidden(pass, &format!("{}_magnitude", output.name)).map(|(_, hidden)| hidden);
        tools.compare_reals(slot, (address, buffer), output.tolerance, want, magnitude)?;
        Ok(true)
    }

    /// The answers of a pass on the host.
    ///
    /// # Errors
    /// The driver's, or no memory is left.
    pub fn on_host(&self, tools: &Tools<'_>, pass: usize) -> Result<OracleOutputs, JobError> {
        let mut buffers = BTreeMap::new();
        let Some(of_pass) = self.of_pass(pass) else {
            return Ok(OracleOutputs::new(0, Values::AsStated, buffers));
        };
        for (index, hidden) in &of_pass.arrays {
            let buffer = &self.session.program().plan.buffers[*index];
            let mut bytes =
                values::fill::zeroed(buffer).map_err(|error| JobError::Fill { message: error.to_string() })?;
            let shown = tools
                .mask(hidden, bytes.len())
                .and_then(|()| self.gpu.stream().synchronize())
                .and_then(|()| hidden.memory.read(0, &mut bytes))
                .and_then(|()| tools.mask(hidden, bytes.len()));
            shown.map_err(failure)?;
            buffers.insert(buffer.name.clone(), (buffer.dtype, bytes));
        }
        Ok(OracleOutputs::new(0, Values::AsStated, buffers))
    }
}
