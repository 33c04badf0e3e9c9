//! What must hold of a problem as it is shipped, as far as its files tell without compiling: `checker dev check` begins
//! with it, and so does the workspace's test over the whole workbook.

use crate::workbook::{Kind, Problem, Version, Workbook};
use crate::{BackendName, DeviceShape, KernelFile, LineError, Metric, PlanContext, ProblemError, Reason, Sizes};
use plan::{Buffer, Plan, Role};
use std::path::Path;
use std::process::Command;

/// Everything wrong with a problem's files, a sentence each; empty when nothing is.
pub fn audit(workbook: &Workbook, problem: &Problem) -> Vec<String> {
    let mut faults = Vec::new();
    let page = workbook.root().join("book/src").join(format!("{}.md", problem.manifest.chapter));
    if !page.is_file() {
        faults.push(format!(
            "chapter `{}`: there is no book/src/{}.md",
            problem.manifest.chapter, problem.manifest.chapter
        ));
    }
    faults.extend(audit_place(workbook, problem));
    for version in shipped(problem) {
        if let Err(fault) = audit_version(problem, &version) {
            faults.push(fault.to_string());
        }
    }
    let mutants = problem.mutants();
    if mutants.is_empty() && problem.kind != Kind::Sweep {
        faults.push("no mutants: at least one wrong kernel shows that the problem catches it".to_string());
    }
    if !mutants.is_empty() && problem.kind == Kind::Sweep {
        faults.push("a sweep has no goals and no baseline, so its mutants would not be run: remove them".to_string());
    }
    let mut slow = false;
    for mutant in mutants {
        match problem.version(&Version::Mutant(mutant.clone())) {
            Err(error) => faults.push(error.to_string()),
            Ok(file) => {
                slow |= file.mutant().is_some_and(|(reason, _)| reason == Reason::Slow);
                if file.mutant().is_none() {
                    faults.push(format!("mutant {mutant}: it states no reason; add `//@ mutant REASON: SENTENCE`"));
                }
                faults.extend(plan_everywhere(problem, &file).err().map(|error| error.to_string()));
            }
        }
    }
    if !slow && problem.manifest.goals.iter().any(|goal| goal.metric == Metric::ModelledSpeedup) {
        faults.push("a goal on `modelled.speedup`, and no mutant `slow` that fails for it alone".to_string());
    }
    for style in problem.styles() {
        if let Err(fault) = audit_version(problem, &Version::Style(style)) {
            faults.push(fault.to_string());
        }
    }
    match problem.kind {
        Kind::Exercise => faults.extend(audit_exercise(workbook, problem)),
        Kind::Pair | Kind::Sweep => {}
        Kind::Ladder => faults.extend(audit_ladder(problem)),
    }
    if !matches!(problem.kind, Kind::Sweep | Kind::Ladder)
        && problem.manifest.goals.is_empty()
        && problem.manifest.flaw.is_none()
    {
        faults.push("no goals: nothing tells the candidate from the baseline".to_string());
    }
    if !matches!(problem.kind, Kind::Sweep | Kind::Ladder) && problem.manifest.hints.is_empty() {
        faults.push("no hints: a reader who is stuck has nothing to go on".to_string());
    }
    faults
}

/// What tells a reader whether to take it up now: its topics, and of an exercise how hard and how long it is.
fn audit_place(workbook: &Workbook, problem: &Problem) -> Vec<String> {
    let mut faults = Vec::new();
    let manifest = &problem.manifest;
    if problem.kind == Kind::Exercise && (manifest.difficulty.is_none() || manifest.minutes.is_none()) {
        faults.push("an exercise has a `difficulty` (1 to 3) and `minutes`: readers choose by them".to_string());
    }
    match workbook.topics() {
        Err(error) => faults.push(error.to_string()),
        Ok(None) => {}
        Ok(Some(_)) if manifest.topics.is_empty() => {
            faults.push("no `topics`: name those of book/topics.toml that it is about".to_string());
        }
        Ok(Some(topics)) => faults.extend(
            manifest
                .topics
                .iter()
                .filter(|number| topics.get(**number).is_none())
                .map(|number| format!("topic {number}: book/topics.toml has 1 to {}", topics.len())),
        ),
    }
    faults
}

/// Versions that a problem must have, without its mutants.
pub fn shipped(problem: &Problem) -> Vec<Version> {
    match problem.kind {
        Kind::Exercise => vec![Version::Reference, Version::Baseline, Version::Candidate, Version::Solution],
        Kind::Pair => vec![Version::Reference, Version::Baseline, Version::Candidate],
        Kind::Sweep => vec![Version::Reference, Version::Sweep],
        Kind::Ladder => {
            let steps = problem.ladder().map(|ladder| ladder.versions.as_slice()).unwrap_or_default();
            let steps = steps.iter().map(|name| Version::Step(name.clone()));
            [Version::Reference].into_iter().chain(steps).collect()
        }
    }
}

/// What a ladder's files must say besides.
fn audit_ladder(problem: &Problem) -> Vec<String> {
    let Some(ladder) = problem.ladder() else { return Vec::new() };
    let mut faults = Vec::new();
    let (name, values) = &ladder.sizes;
    if !problem.manifest.time.get(name).is_some_and(|value| values.contains(value)) {
        faults.push("the `time` size is not among `sizes`: the ladder's figures could not show it".to_string());
    }
    for version in &ladder.versions {
        let Ok(file) = problem.version(&Version::Step(version.clone())) else { continue };
        if file.heading().is_empty() {
            faults
                .push(format!("{version}.cu: it begins with no comment that says what the version does and its flaw"));
        }
        if let Some(block) = file.blocks().unwrap_or_default().iter().find(|block| !ladder.blocks.contains(block)) {
            faults.push(format!("{version}.cu: it claims blocks of {block}, which `blocks` in problem.toml has not"));
        }
    }
    let known = |stem: &str| ladder.versions.iter().any(|version| version == stem) || stem == "reference";
    let files = std::fs::read_dir(&problem.dir).into_iter().flatten().flatten().map(|entry| entry.path());
    for path in files.filter(|path| path.extension().is_some_and(|extension| extension == "cu")) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !known(&stem) {
            faults.push(format!("{stem}.cu is not in `versions`: nothing would run it"));
        }
    }
    faults
}

fn audit_version(problem: &Problem, version: &Version) -> Result<(), ProblemError> {
    let file = problem.version(version)?;
    // The learner's own file may be in any state: only the committed one is the author's affair.
    if problem.kind == Kind::Exercise && *version == Version::Candidate {
        return Ok(());
    }
    if file.mutant().is_some() {
        return Err(file.line(1).error(1, "a `mutant` line in a version that is none").into());
    }
    if *version == Version::Reference {
        for sizes in problem.cases().into_iter().chain(problem.manifest.ends_of_drawn()) {
            let io = problem.reference_io(&file, &sizes)?;
            let plan = plan_at(&file, &sizes, &io)?;
            if let Some(name) = never_passed(&plan) {
                return Err(file.line(1).error(1, format!("no launch of the oracle is given `{name}`")).into());
            }
        }
        return Ok(());
    }
    Ok(plan_everywhere(problem, &file)?)
}

/// Plans a version at every size it will run at.
fn plan_everywhere(problem: &Problem, file: &KernelFile) -> Result<(), LineError> {
    let manifest = &problem.manifest;
    let mut all = problem.cases();
    all.extend(manifest.ends_of_drawn());
    let timed = manifest.backends.contains(&BackendName::Gpu);
    for sizes in [Some(&manifest.count), timed.then_some(&manifest.time)].into_iter().flatten() {
        match &manifest.sweep {
            Some(sweep) => all.extend(sweep.cells(sizes).into_iter().map(|cell| cell.sizes)),
            None => all.push(sizes.clone()),
        }
    }
    if let Some(ladder) = problem.ladder() {
        all.extend(ladder.gpu_cases.iter().cloned());
        let (name, values) = &ladder.sizes;
        all.extend(values.iter().map(|value| {
            let mut sizes = manifest.time.clone();
            sizes.insert(name.clone(), *value);
            sizes
        }));
        all.retain(|sizes| ladder.claims(file, sizes));
    }
    for sizes in all {
        file.name_expressions(&sizes, &DeviceShape::H200)?;
        plan_at(file, &sizes, &problem.io(&sizes)?)?;
    }
    Ok(())
}

/// A plan with `active_blocks` as if registers were no limit.
fn plan_at(file: &KernelFile, sizes: &Sizes, io: &[Buffer]) -> Result<Plan, LineError> {
    let device = DeviceShape::H200;
    let active_blocks = |_: &str, block: i64, shared: i64| -> Result<i64, String> {
        let by_threads = device.max_threads_per_sm / block.max(1);
        Ok(by_threads.min(device.shared_per_sm / shared.max(1)).clamp(1, 32))
    };
    file.plan(&PlanContext { sizes: sizes.clone(), device, active_blocks: &active_blocks }, io)
}

/// An output that no launch is given.
fn never_passed(plan: &Plan) -> Option<&str> {
    let passed =
        |index: usize| plan.launches.iter().any(|launch| launch.args.iter().any(|arg| arg.buffer() == Some(index)));
    let outputs = plan.buffers.iter().enumerate().filter(|(_, buffer)| matches!(buffer.role, Role::Out | Role::InOut));
    outputs.into_iter().find(|(index, _)| !passed(*index)).map(|(_, buffer)| buffer.name.as_str())
}

/// The learner's kernel must be committed as the starter: a solution that slipped in would spoil the exercise.
fn audit_exercise(workbook: &Workbook, problem: &Problem) -> Option<String> {
    let kernel = problem.version_path(&Version::Candidate)?;
    let starter = problem.version_path(&Version::Baseline)?;
    let committed = |path: &Path| committed(workbook.root(), path).or_else(|| std::fs::read(path).ok());
    (committed(&kernel)? != committed(&starter)?).then(|| {
        format!(
            "exercises/{}/kernel.cu is committed different from starter.cu: `checker reset {}` makes them equal",
            problem.id, problem.id
        )
    })
}

/// A file as the last commit has it; None without git, outside a repository, or when it is not committed.
fn committed(root: &Path, path: &Path) -> Option<Vec<u8>> {
    let relative = path.strip_prefix(root).ok()?.to_str()?;
    let output = Command::new("git").arg("-C").arg(root).args(["show", &format!("HEAD:./{relative}")]).output().ok()?;
    output.status.success().then_some(output.stdout)
}
