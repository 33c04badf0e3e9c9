//! The simulator behind the backend interface.

pub(super) mod arguments;
mod modules;
#[cfg(not(target_family = "wasm"))]
mod sampled;
mod session;
mod textures;
#[cfg(not(target_family = "wasm"))]
mod turned;

#[cfg(not(target_family = "wasm"))]
pub(super) use arguments::arguments;
pub use modules::Modules;
use session::SimSession;

#[cfg(not(target_family = "wasm"))]
use super::machine::Sampled;
use super::machine::{Machine, Session, Stop};
#[cfg(not(target_family = "wasm"))]
use super::message::job::{Output, Varying};
use super::message::job::{Program, Text};
use crate::backend::{Fault, JobError, UNREADABLE};
#[cfg(not(target_family = "wasm"))]
use crate::backend::{Profile, Status};
use plan::stream::Stream;
use simulator::explore::Effort;
use simulator::finding::as_named;
use simulator::{Checks, Config, Device, Finding, Module, Schedule};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Simulated devices of one configuration.
pub struct Sim {
    config: Config,
    schedules: Vec<Schedule>,
    effort: Option<Effort>,
    modules: Modules,
    bell: Option<Arc<AtomicBool>>,
}

impl Sim {
    /// `schedules` may be empty: the default one is used. With an `effort`, failed orders are minimised.
    pub fn new(config: Config, schedules: Vec<Schedule>, effort: Option<Effort>, modules: Modules) -> Self {
        let schedules = if schedules.is_empty() { vec![Schedule::default()] } else { schedules };
        Self { config, schedules, effort, modules, bell: None }
    }

    /// Its launches end when this is set.
    pub fn until(self, bell: Arc<AtomicBool>) -> Self {
        Self { bell: Some(bell), ..self }
    }

    /// The settings for a program: another size, other addresses.
    fn config(&self, program: &Program) -> Config {
        let mut config = self.config.clone();
        if config.machine != 0 {
            let sizes = program.plan.buffers.iter().map(|buffer| buffer.len);
            config.machine = sizes.fold(config.machine, |seed, len| Stream::new(seed, "addresses").bits(len)) | 1;
        }
        config
    }

    fn module(&self, program: &Program) -> Result<Arc<Module>, Stop> {
        let failed = |message: String| JobError::Artefact { program: program.name.clone(), message };
        let text = match &program.artefact.ptx {
            Some(Text::Inline(text)) => text.clone(),
            Some(Text::File(path)) => {
                let text =
                    std::fs::read_to_string(path).map_err(|error| failed(format!("{}: {error}", path.display())))?;
                Arc::from(text)
            }
            None => return Err(failed("no PTX: the simulator needs it".into()).into()),
        };
        if let Some(module) = self.modules.find(&text) {
            return Ok(module);
        }
        // Inline PTX that the assembler takes and the simulator does not: the kernel's own doing.
        let unreadable = |error: simulator::ParseError| {
            Stop::Fault(Fault {
                name: UNREADABLE.to_owned(),
                message: format!(
                    "the simulator cannot read the compiled code, PTX line {}: {}",
                    error.line, error.message
                ),
                hint: Some("write the inline PTX there in a plainer form".to_owned()),
                launch: 0,
                line: source_line(&text, error.line),
            })
        };
        let module = Arc::new(Module::parse(&text).map_err(unreadable)?);
        self.modules.keep(text, module.clone());
        Ok(module)
    }
}

/// The source line of a line of PTX, by the last `.loc` before it; 0 where there is none.
fn source_line(ptx: &str, line: u32) -> u32 {
    let before: Vec<&str> = ptx.lines().take(line as usize).collect();
    let loc = before.iter().rev().find_map(|line| line.trim_start().strip_prefix(".loc"));
    loc.and_then(|loc| loc.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

impl Sim {
    fn session(&self, program: &Program, config: Config) -> Result<SimSession, Stop> {
        let module = self.module(program)?;
        let resident = config.resident_blocks;
        let mut device = Device::new(module, config);
        device.set_interrupt(self.bell.clone());
        let addresses = session::allocate(&mut device, program)?;
        let mut textures = Vec::new();
        for planned in &program.plan.textures {
            let memory = |message: String| JobError::Memory { buffer: planned.name.clone(), message };
            let texture = textures::texture(planned, addresses[planned.buffer])
                .ok_or_else(|| memory(format!("no texel has channels of {}", planned.dtype)))?;
            textures.push(device.texture(texture).map_err(|error| memory(error.to_string()))?);
        }
        Ok(SimSession { device, resident, addresses, textures, program: program.clone(), own: None })
    }
}

#[cfg(not(target_family = "wasm"))]
impl Sim {
    /// The first of the orders that are asked for.
    fn first_schedule(&self) -> Schedule {
        self.schedules.first().copied().unwrap_or_default()
    }

    /// A program of which nothing is looked for.
    fn unwatched(&self, program: &Program) -> Result<SimSession, Stop> {
        let config = self.config(program);
        self.session(program, Config { checks: Checks::NONE, coverage: false, schedule: Schedule::Its, ..config })
    }
}

impl Machine for Sim {
    fn open(&self, program: &Program) -> Result<Box<dyn Session + '_>, Stop> {
        Ok(Box::new(self.session(program, self.config(program))?))
    }

    fn open_trusted(&self, program: &Program) -> Result<Box<dyn Session + '_>, Stop> {
        Ok(Box::new(self.session(program, Config { checks: Checks::NONE, ..self.config(program) })?))
    }

    fn open_tracking(
        &self,
        program: &Program,
        buffer: usize,
        element: u64,
    ) -> Result<Option<Box<dyn Session + '_>>, Stop> {
        let mut session = self.session(program, Config { checks: Checks::ALL, ..self.config(program) })?;
        let size = program.plan.buffers[buffer].dtype.size() as u64;
        let start = session.addresses[buffer] + element * size;
        session.device.config_mut().tracked = Some((start, size));
        Ok(Some(Box::new(session)))
    }

    fn schedules(&self) -> Vec<Option<Schedule>> {
        self.schedules.iter().copied().map(Some).collect()
    }

    #[cfg(not(target_family = "wasm"))]
    fn sampled(
        &self,
        programs: (&Program, &Program),
        oracle: Option<&Program>,
        outputs: &[Output],
        seed: u64,
        followed: bool,
    ) -> Result<Sampled, Stop> {
        sampled::judge(self, programs, oracle, (outputs, followed), seed)
    }

    #[cfg(not(target_family = "wasm"))]
    fn untried(&self, far: &Program, near: &[Program], ladder: &[Program], seed: u64) -> Result<Option<Status>, Stop> {
        sampled::first_tried(self, far, near, ladder, seed)
    }

    #[cfg(not(target_family = "wasm"))]
    fn news(&self, known: &[Program], asked: &[Program], seed: u64) -> Result<Vec<Option<Status>>, Stop> {
        sampled::news(self, known, asked, seed)
    }

    #[cfg(not(target_family = "wasm"))]
    fn meant(&self, known: &[Program], varying: &Varying, seed: u64) -> Result<Vec<Vec<i64>>, Stop> {
        sampled::meant(self, known, varying, seed)
    }

    #[cfg(not(target_family = "wasm"))]
    fn profiled(
        &self,
        program: &Program,
        small: Option<&Program>,
        seed: u64,
        steps: u64,
    ) -> Result<Option<Profile>, Stop> {
        sampled::profile(self, (program, small), seed, steps).map(Some)
    }

    fn effort(&self) -> Option<Effort> {
        self.effort
    }

    fn broken(&self) -> bool {
        false
    }
}

/// A fault finding in one sentence; its details stay in the findings.
fn fault_of(finding: &Finding, launch: usize, line: u32) -> Fault {
    let name = finding.kind.name().name().to_owned();
    Fault { name, message: finding.explain(&as_named).sentence, hint: None, launch, line }
}
