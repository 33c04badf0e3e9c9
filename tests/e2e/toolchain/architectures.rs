//! Solutions and optimised kernels of the workbook, compiled for architectures whose PTX the compiler writes in two
//! dialects (before sm_100 and since): the simulator computes the same bytes from each.

use crate::judging::references::{argument, load};
use crate::toolchain::compile::toolchain;
use compiler::compile::{CompileError, CompileRequest, Compiled, compile};
use plan::{Plan, Role};
use problem::workbook::is_small;
use problem::{DeviceShape, PlanContext, Problem, Version, Workbook};
use simulator::{Config, Device, Launch, LaunchStatus, Module};
use std::collections::BTreeMap;
use std::sync::Arc;

const ARCHITECTURES: [&str; 5] = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"];

/// Of the ladder, whose steps are many and much alike.
const STEPS: [&str; 3] = ["shuffle", "ticket", "best"];

#[test]
fn architectures_agree() {
    let workbook = Workbook::around(crate::support::repository()).unwrap();
    let mut problems = workbook.problems().unwrap();
    problems.retain(|problem| problem.ladder().is_none());
    let ladder = workbook.get("reduction").unwrap().of_type(0).unwrap();
    problems.extend(STEPS.map(|step| ladder.of_step(step, false).unwrap()));
    assert!(problems.len() > 30, "{} problems", problems.len());
    problems.retain(|problem| crate::support::in_turn(problem.id.as_str()));
    std::thread::scope(|scope| {
        for part in problems.chunks(problems.len().div_ceil(4)) {
            scope.spawn(|| part.iter().for_each(agree));
        }
    });
}

/// A problem's solution at its last size (a ladder's at a small one) on every architecture.
fn agree(problem: &Problem) {
    let file = problem.version(&Version::Solution).unwrap();
    let path = problem.version_path(&Version::Solution).unwrap();
    let sizes = problem.cases().into_iter().rfind(|sizes| problem.ladder().is_none() || is_small(sizes)).unwrap();
    let device = DeviceShape::H200;
    let kernels = file.name_expressions(&sizes, &device).unwrap();
    let io = problem.io(&sizes).unwrap();
    let context = PlanContext { sizes: sizes.clone(), device, active_blocks: &|_, _, _| Ok(1) };
    let plan = file.plan(&context, &io).unwrap();

    // `None` where an instruction came later.
    let outputs_on = |arch: &str, options: &[&str]| {
        let mut request = CompileRequest::read(&path, arch).unwrap().kernels(kernels.clone());
        request.options = options.iter().map(ToString::to_string).collect();
        let compiled = match compile(toolchain(), &request) {
            Err(CompileError::Rejected { log, .. })
                if ["requires .target", "is undefined"].iter().any(|lacks| log.contains(lacks)) =>
            {
                return None;
            }
            compiled => compiled.unwrap(),
        };
        let target = compiled.ptx.lines().find_map(|line| line.strip_prefix(".target ")).unwrap_or_default();
        assert_eq!(target.split(',').next(), Some(arch), "{}: it was compiled for another architecture", problem.id);
        let outputs = run(problem, &compiled, &plan);
        // An output that the size leaves empty says nothing.
        let poison = |bytes: &Vec<u8>| !bytes.is_empty() && bytes.iter().all(|byte| *byte == 0xff);
        assert!(!outputs.is_empty() && !outputs.values().any(poison), "{} wrote nothing on {arch}", problem.id);
        Some(outputs)
    };
    let outputs: Vec<_> = ARCHITECTURES.iter().filter_map(|arch| Some((*arch, outputs_on(arch, &[])?))).collect();
    assert!(outputs.len() > 1, "{}: {} architectures", problem.id, outputs.len());
    let (oldest, first) = &outputs[0];
    for (arch, others) in &outputs[1..] {
        if others == first {
            continue;
        }
        // Which product of `a * b - c * d` is fused with the difference is the compiler's choice on each architecture.
        let unfused = [*oldest, *arch].map(|arch| outputs_on(arch, &["--fmad=false"]).unwrap());
        for (name, bytes) in &unfused[0] {
            let differs = bytes.iter().zip(&unfused[1][name]).position(|(x, y)| x != y);
            assert_eq!(differs, None, "{}: byte of `{name}` where {arch} and {oldest} part, unfused", problem.id);
        }
    }
}

/// The outputs' bytes. Blocks run one after the other, so that sums by atomics have one order.
fn run(problem: &Problem, compiled: &Compiled, plan: &Plan) -> BTreeMap<String, Vec<u8>> {
    let module = Arc::new(Module::parse(&compiled.ptx).unwrap());
    let mut machine = Device::new(module.clone(), Config { threads: 1, ..Config::default() });
    let addresses = load(&mut machine, plan, problem);
    for launch in &plan.launches {
        let kernel = &compiled.names[&launch.kernel];
        let params = &module.kernel(kernel).unwrap().params;
        let args = launch.args.iter().zip(params).map(|(arg, param)| argument(arg, param, &addresses)).collect();
        let (grid, block) = (launch.grid, launch.block);
        let request = Launch {
            kernel: kernel.clone(),
            grid,
            block,
            shared: launch.shared,
            args,
            cooperative: launch.cooperative,
        };
        let report = machine.launch(&request).unwrap();
        assert_eq!(report.status, LaunchStatus::Finished, "{}: {:?}", problem.id, report.findings);
    }
    let outputs = plan.buffers.iter().zip(addresses).filter(|(buffer, _)| buffer.role == Role::Out);
    outputs
        .map(|(buffer, address)| {
            let mut bytes = vec![0; buffer.len as usize * buffer.dtype.size()];
            machine.read(address, &mut bytes).unwrap();
            (buffer.name.clone(), bytes)
        })
        .collect()
}
