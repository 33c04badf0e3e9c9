//! What is asked and what is answered, as JSON.

use serde::{Deserialize, Serialize};
use simulator::{Arg, Config, Counters, Device, Dim3, Finding, Launch, LaunchStatus, Module};
use std::sync::Arc;

/// One module, its buffers and its launches.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The module.
    pub ptx: String,
    /// Device, schedule, checks, limits; what is left out has its default.
    #[serde(default)]
    pub config: Config,
    /// Device memory, in the order of the bytes that follow the request.
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    /// Run one after the other, up to the first that does not finish.
    pub launches: Vec<Step>,
}

/// A piece of device memory.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    /// Its name in findings.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its first bytes follow the request; without them they count as uninitialised.
    #[serde(default)]
    pub filled: bool,
}

/// A launch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Kernel, as the PTX names it.
    pub kernel: String,
    /// Blocks.
    pub grid: Dim3,
    /// Threads a block.
    pub block: Dim3,
    /// Dynamic shared memory in bytes.
    #[serde(default)]
    pub shared: u32,
    /// All blocks are resident together.
    #[serde(default)]
    pub cooperative: bool,
    /// Arguments in order.
    pub args: Vec<Argument>,
}

/// A kernel argument.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Argument {
    /// The address of a buffer, by its index.
    Buffer(usize),
    /// A 32-bit integer.
    U32(u32),
    /// A signed one.
    S32(i32),
    /// A 64-bit integer.
    U64(u64),
    /// A float.
    F32(f32),
    /// A double.
    F64(f64),
    /// Anything, byte by byte.
    Bytes(Vec<u8>),
}

/// What a launch says.
#[derive(Debug, Serialize)]
pub struct Report {
    /// How it ended.
    pub status: LaunchStatus,
    /// What was caught.
    pub findings: Vec<Finding>,
    /// Sums over the launch.
    pub counters: Counters,
    /// Sums by source line, when `config.lines` asks for them.
    pub lines: Vec<Line>,
    /// What printf wrote.
    pub printf: String,
}

/// Sums of one source line.
#[derive(Debug, Serialize)]
pub struct Line {
    /// Source file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Sums.
    pub counters: Counters,
}

/// The answer: reports of the launches, or why there are none.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// One report a launch.
    Reports(Vec<Report>),
    /// What is wrong with the request.
    Error(String),
}

/// Answers a request. The buffers' bytes come back in order, all of them.
pub fn answer(request: &[u8], fills: &[u8]) -> (Answer, Vec<u8>) {
    run(request, fills).unwrap_or_else(|message| (Answer::Error(message), Vec::new()))
}

fn run(request: &[u8], mut fills: &[u8]) -> Result<(Answer, Vec<u8>), String> {
    let request: Request = serde_json::from_slice(request).map_err(|error| format!("the request: {error}"))?;
    let module = Module::parse(&request.ptx).map_err(|error| error.to_string())?;
    let mut device = Device::new(Arc::new(module), request.config);
    let mut addresses = Vec::new();
    for buffer in &request.buffers {
        let address = device.alloc(&buffer.name, buffer.bytes).map_err(|error| error.to_string())?;
        addresses.push(address);
        if buffer.filled {
            let length = usize::try_from(buffer.bytes).unwrap_or(usize::MAX);
            let (fill, rest) =
                fills.split_at_checked(length).ok_or_else(|| format!("too few bytes for `{}`", buffer.name))?;
            device.write(address, fill).map_err(|error| error.to_string())?;
            fills = rest;
        }
    }
    let mut reports = Vec::new();
    for step in request.launches {
        let args = step.args.into_iter().map(|argument| argument.into_arg(&addresses)).collect::<Result<_, _>>()?;
        let Step { kernel, grid, block, shared, cooperative, .. } = step;
        let launch = Launch { kernel, grid, block, shared, args, cooperative };
        let report = device.launch(&launch).map_err(|error| error.to_string())?;
        let lines = report.lines.into_iter().map(|((file, line), counters)| Line { file, line, counters }).collect();
        let status = report.status;
        reports.push(Report {
            status,
            findings: report.findings,
            counters: report.counters,
            lines,
            printf: String::from_utf8_lossy(&report.printf).into_owned(),
        });
        if status != LaunchStatus::Finished {
            break;
        }
    }
    if let Some(last) = reports.last_mut() {
        // The host is about to read them.
        let undefined = |(address, buffer): (&u64, &Buffer)| device.undefined(*address, buffer.bytes);
        last.findings.extend(addresses.iter().zip(&request.buffers).flat_map(undefined));
    }
    let mut bytes = Vec::new();
    for (address, buffer) in addresses.into_iter().zip(&request.buffers) {
        let from = bytes.len();
        bytes.resize(from + buffer.bytes as usize, 0);
        device.read(address, &mut bytes[from..]).map_err(|error| error.to_string())?;
    }
    Ok((Answer::Reports(reports), bytes))
}

impl Argument {
    fn into_arg(self, buffers: &[u64]) -> Result<Arg, String> {
        Ok(Arg::Bytes(match self {
            Self::Buffer(index) => {
                let address = buffers.get(index).ok_or_else(|| format!("no buffer {index}"))?;
                return Ok(Arg::Pointer(*address));
            }
            Self::U32(value) => value.to_le_bytes().into(),
            Self::S32(value) => value.to_le_bytes().into(),
            Self::U64(value) => value.to_le_bytes().into(),
            Self::F32(value) => value.to_le_bytes().into(),
            Self::F64(value) => value.to_le_bytes().into(),
            Self::Bytes(bytes) => bytes,
        }))
    }
}
