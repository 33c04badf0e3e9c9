//! Every version of the workbook at its `count` size, with its inputs: what the GPU's profiler and the simulator count.

use crate::toolchain::compile::toolchain;
use compiler::compile::{CompileRequest, Compiled, compile};
use plan::{Arg, Launch as Launched, Plan, Role};
use problem::{DeviceShape, Kind, PlanContext, Problem, Sizes, Version, Workbook};
use simulator::{Config, Counters, Device, Launch, LaunchStatus, Module, Param};
use std::sync::Arc;
use values::fill::{Values, fill};

/// A version, ready to run.
pub struct Case {
    /// `shuffle/solution`
    pub name: String,
    /// Changes with the kernel's text, comments left out, its launches and its inputs.
    pub fingerprint: u64,
    pub compiled: Compiled,
    pub plan: Plan,
    /// Bytes of each buffer; empty for one that begins as 0xff.
    pub fills: Vec<Vec<u8>>,
}

/// All of them. A flawed version (a race, a wrong result) is left out.
pub fn all() -> Vec<Case> {
    let workbook = Workbook::around(crate::support::repository()).unwrap();
    let problems = workbook.problems().unwrap();
    let mut cases = Vec::new();
    for problem in &problems {
        let count = &problem.manifest.count;
        match problem.kind {
            Kind::Sweep => {
                let sizes = problem.cases().last().cloned().unwrap_or_default();
                cases.push(case(problem, &Version::Sweep, sizes));
            }
            Kind::Ladder => {
                let ladder = problem.ladder().unwrap();
                let mut sizes = count.clone();
                sizes.insert("n".into(), 65536);
                sizes.insert("block".into(), ladder.block);
                for version in &ladder.versions {
                    cases.push(case(problem, &Version::Step(version.clone()), sizes.clone()));
                }
            }
            Kind::Pair | Kind::Exercise => {
                if problem.manifest.flaw.is_none() {
                    cases.push(case(problem, &Version::Baseline, count.clone()));
                }
                cases.push(case(problem, &Version::Solution, count.clone()));
            }
        }
    }
    cases
}

fn case(problem: &Problem, version: &Version, sizes: Sizes) -> Case {
    let file = problem.version(version).unwrap();
    let path = problem.version_path(version).unwrap();
    let device = DeviceShape::H200;
    let kernels = file.name_expressions(&sizes, &device).unwrap();
    let compiled = compile(toolchain(), &CompileRequest::read(&path, "sm_90").unwrap().kernels(kernels)).unwrap();
    // How many blocks fit depends on the compiler: any number does here, the same on both sides.
    let context = PlanContext { sizes: sizes.clone(), device, active_blocks: &|_, _, _| Ok(4) };
    let plan = file.plan(&context, &problem.io(&sizes).unwrap()).unwrap();
    let fills = plan.buffers.iter().map(|buffer| match buffer.role {
        Role::In | Role::InOut => fill(buffer, 2026, Values::AsStated, &problem.dir).unwrap(),
        Role::Out | Role::Scratch => Vec::new(),
    });
    let fills: Vec<Vec<u8>> = fills.collect();
    let mut fingerprint = hash(0, uncommented(file.text()).as_bytes());
    for launch in &plan.launches {
        let Launched { kernel, grid, block, shared, args, cooperative, .. } = launch;
        fingerprint =
            hash(fingerprint, format!("{kernel} {grid:?} {block:?} {shared} {args:?} {cooperative}").as_bytes());
    }
    for (buffer, fill) in plan.buffers.iter().zip(&fills) {
        fingerprint = hash(hash(fingerprint, &buffer.len.to_le_bytes()), fill);
    }
    Case { name: format!("{}/{version}", problem.id), fingerprint, compiled, plan, fills }
}

/// A kernel's text without comments and without lines that hold nothing else: what they say changes no count.
fn uncommented(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// FNV-1a, going on from another hash.
fn hash(from: u64, bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325 ^ from, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

impl Case {
    /// Each launch's kernel as it is linked, and the bytes of its scalar arguments; `None` for a buffer.
    pub fn launches(&self) -> Vec<(&str, Vec<Option<Vec<u8>>>)> {
        let module = Module::parse(&self.compiled.ptx).unwrap();
        let launches = self.plan.launches.iter().map(|launch| {
            let kernel = self.compiled.names[&launch.kernel].as_str();
            let params = &module.kernel(kernel).unwrap().params;
            (kernel, launch.args.iter().zip(params).map(|(arg, param)| scalar(arg, param)).collect())
        });
        launches.collect()
    }

    /// What the simulator counts, all launches together.
    pub fn simulate(&self) -> Counters {
        let module = Arc::new(Module::parse(&self.compiled.ptx).unwrap());
        let mut device = Device::new(module, Config::default());
        let mut addresses = Vec::new();
        for (buffer, fill) in self.plan.buffers.iter().zip(&self.fills) {
            let bytes = buffer.len * buffer.dtype.size() as u64;
            let address = device.alloc(&buffer.name, bytes).unwrap();
            device.poison(address, bytes, &[0xff]).unwrap();
            device.write(address, fill).unwrap();
            addresses.push(address);
        }
        let mut sum = Counters::default();
        for (launch, (kernel, args)) in self.plan.launches.iter().zip(self.launches()) {
            let args = launch.args.iter().zip(args).map(|(arg, bytes)| match (arg, bytes) {
                (Arg::Buffer(buffer), _) => simulator::Arg::Pointer(addresses[*buffer]),
                (_, bytes) => simulator::Arg::Bytes(bytes.unwrap_or_default()),
            });
            let request = Launch {
                kernel: kernel.to_owned(),
                grid: launch.grid,
                block: launch.block,
                shared: launch.shared,
                args: args.collect(),
                cooperative: launch.cooperative,
            };
            let report = device.launch(&request).unwrap();
            assert_eq!(report.status, LaunchStatus::Finished, "{}: {:?}", self.name, report.findings);
            sum.add(&report.counters);
        }
        sum
    }
}

fn scalar(arg: &Arg, param: &Param) -> Option<Vec<u8>> {
    match (arg, param.ty.as_str()) {
        (Arg::Buffer(_) | Arg::Offset { .. } | Arg::Structure(_) | Arg::Texture(_), _) => None,
        (Arg::Int(value), "f32") => Some((*value as f32).to_le_bytes().to_vec()),
        (Arg::Int(value), "f64") => Some((*value as f64).to_le_bytes().to_vec()),
        (Arg::Int(value), _) => Some(value.to_le_bytes()[..param.size as usize].to_vec()),
        (Arg::Real(value), "f32") => Some((*value as f32).to_le_bytes().to_vec()),
        (Arg::Real(value), _) => Some(value.to_le_bytes().to_vec()),
    }
}
