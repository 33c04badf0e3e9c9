//! The run of a file as its text says, nothing optimised away: for findings of what is undefined, which the optimiser makes
//! something else of: writes to constant memory, and reads of variables that have no value. Nothing else of it counts, because it is
//! another program than the one that is judged.

use crate::backend::machine::{Machine, Pass, Stop};
use crate::backend::{
    Artefact, AsWritten, Checked, Fault, Found, JobError, Program, RunId, Status, Text, Thoroughness, Unset,
};
use crate::verify::inputs::prepare;
use simulator::{Access, Finding, FindingKind, MemoryLocation, Place, Severity};
use std::collections::HashSet;

/// Warp instructions of a run beyond which nobody waits for it a second time, several times as slow.
const MOST: u64 = 10_000_000;
/// Those that show why a run went wrong.
const FAILED: u64 = 1 << 20;

/// Runs the program as written, under the order and inputs of the first run that failed, or of the first one, and adds what it writes to constant memory and which
/// variables it reads that have no value.
///
/// # Errors
/// A [`JobError`] that no kernel caused.
pub fn look(
    machine: &dyn Machine,
    program: &Program,
    runs: &[RunId],
    thoroughness: Thoroughness,
    checked: &mut Checked,
) -> Result<(), JobError> {
    // What went wrong may have gone wrong over some inputs only.
    let failed = checked.runs.iter().find(|result| !result.status.passed()).map(|result| result.run);
    let (Some(written), Some(run)) = (&program.artefact.as_written, failed.as_ref().or(runs.first())) else {
        return Ok(());
    };
    // A GPU has only the machine code.
    let Some(schedule) = run.schedule else { return Ok(()) };
    name(&mut checked.findings, &written.unset, &program.name);
    let unset = looks_for_unset(written, thoroughness, checked);
    if !written.constants && !unset {
        return Ok(());
    }
    let artefact =
        Artefact { ptx: Some(Text::Inline(written.ptx.clone())), names: written.names.clone(), ..Artefact::default() };
    let program = Program { artefact: artefact.into(), ..program.clone() };
    let pass = match machine.open(&program).and_then(|mut session| {
        prepare(&mut *session, &program, run)?;
        if !checked.status.passed() {
            session.at_most(FAILED);
        }
        Ok(session.pass(run.schedule))
    }) {
        Ok(pass) => pass,
        Err(Stop::Failure(failure)) => return Err(failure),
        Err(_) => return Ok(()),
    };
    let Pass { reports, stop, .. } = pass;
    let found = reports.into_iter().enumerate().flat_map(|(launch, report)| {
        report.findings.into_iter().map(move |finding| Found { finding, launch, schedule })
    });
    let is_write = |found: &Found| matches!(found.finding.kind, FindingKind::WriteToConstant { .. });
    let (writes, others): (Vec<Found>, Vec<Found>) = found.partition(is_write);
    if unset {
        checked.findings.extend(named(others, &written.unset, &program.name));
    }
    if let (true, false, Some(Stop::Fault(fault))) = (written.constants, writes.is_empty(), stop) {
        let told = matches!(&checked.status, Status::Fault { fault: Fault { name, .. } } if *name == fault.name);
        if !told {
            checked.status = Status::Fault { fault };
        }
        // The trap that the optimiser puts in the place of such a write says nothing more.
        checked.findings.retain(|found| !matches!(found.finding.kind, FindingKind::Trap));
        checked.findings.splice(0..0, writes);
    }
    Ok(())
}

/// Is a read of a variable without a value worth a run? Where a race or such a read is blamed already it is not, and of a large case not
/// either. A fault may be what came of it.
fn looks_for_unset(written: &AsWritten, thoroughness: Thoroughness, checked: &Checked) -> bool {
    let grave = |found: &Found| {
        found.finding.severity == Severity::Error || matches!(found.finding.kind, FindingKind::Uninitialised { .. })
    };
    let large = matches!(thoroughness, Thoroughness::Large | Thoroughness::LargeTwice);
    let counted = checked.counters.as_ref().is_some_and(|counters| counters.instructions > MOST);
    let long = checked.status.passed() && counted;
    !(written.unset.is_empty() || large || long || checked.findings.iter().any(grave))
}

/// Where the optimised code shows the same, its variables have their names, too.
fn name(findings: &mut [Found], unset: &[Unset], file: &str) {
    for Found { finding: Finding { kind, place, .. }, .. } in findings {
        if let FindingKind::Uninitialised { access, .. } = kind
            && let Some(Some(variable)) = suspect(access, place, unset, file)
        {
            access.object = object(variable);
        }
    }
}

/// The uses of suspects, each variable once, by their names in the text.
fn named(found: Vec<Found>, unset: &[Unset], file: &str) -> Vec<Found> {
    let mut told = HashSet::new();
    let one = |mut found: Found| {
        let Finding { kind, place, .. } = &mut found.finding;
        let FindingKind::Uninitialised { access, .. } = kind else { return None };
        // Which of several it is may stay open.
        let variable = suspect(access, place, unset, file)?;
        if let Some(variable) = variable {
            access.object = object(variable);
        }
        told.insert(variable.map(|one| one.line)).then_some(found)
    };
    found.into_iter().filter_map(one).collect()
}

fn object(Unset { name, line, array, .. }: &Unset) -> MemoryLocation {
    MemoryLocation::Variable { name: name.clone(), line: *line, array: *array }
}

/// The variable whose missing value is used; of several that are not told apart none, and nothing if it can be none of them.
fn suspect<'u>(access: &Access, used: &Place, unset: &'u [Unset], file: &str) -> Option<Option<&'u Unset>> {
    let file = system::text::source_name(file.as_ref());
    if !matches!(access.space.as_str(), "register" | "local") {
        return None;
    }
    let line = |place: &Place| if place.file == file { place.line } else { 0 };
    let (read, used) = (line(&access.place), line(used));
    let holds = |one: &Unset, line: u32| (one.function.0..=one.function.1).contains(&line);
    let inside: Vec<&Unset> = unset.iter().filter(|one| holds(one, read) || holds(one, used)).collect();
    // What a function begins with has no line of its own.
    let lines = |one: &Unset| access.space == "local" && one.used.contains(&read) || one.used.contains(&used);
    let named: Vec<&Unset> = inside.iter().copied().filter(|one| lines(one)).collect();
    let among = if named.is_empty() { inside } else { named };
    // Arrays are in memory.
    let kind: Vec<&Unset> = among.iter().copied().filter(|one| one.array == (access.space == "local")).collect();
    match (among.as_slice(), kind.as_slice()) {
        ([], _) => None,
        ([one], _) | (_, [one]) => Some(Some(one)),
        _ => Some(None),
    }
}
