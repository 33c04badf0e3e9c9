//! The run of a file as its text says, nothing optimised away: for findings of writes to constant memory, which the optimiser
//! drops. Nothing else of it counts, because it is another program than the one that is judged.

use crate::backend::machine::{Machine, Pass, Stop};
use crate::backend::{Artefact, Checked, Fault, Found, JobError, Program, RunId, Status, Text};
use crate::verify::inputs::prepare;
use simulator::FindingKind;

/// Runs the program as written, under the first run's order and inputs, and adds what it writes to constant memory.
///
/// # Errors
/// A [`JobError`] that no kernel caused.
pub fn look(machine: &dyn Machine, program: &Program, runs: &[RunId], checked: &mut Checked) -> Result<(), JobError> {
    let (Some(written), Some(run)) = (&program.artefact.as_written, runs.first()) else { return Ok(()) };
    // A GPU has only the machine code.
    let Some(schedule) = run.schedule else { return Ok(()) };
    let artefact =
        Artefact { ptx: Some(Text::Inline(written.ptx.clone())), names: written.names.clone(), ..Artefact::default() };
    let program = Program { artefact: artefact.into(), ..program.clone() };
    let pass = match machine.open(&program).and_then(|mut session| {
        prepare(&mut *session, &program, run)?;
        Ok(session.pass(run.schedule))
    }) {
        Ok(pass) => pass,
        Err(Stop::Failure(failure)) => return Err(failure),
        Err(_) => return Ok(()),
    };
    let Pass { reports, stop, .. } = pass;
    let writes = reports.into_iter().enumerate().flat_map(|(launch, report)| {
        let writes = |finding: &simulator::Finding| matches!(finding.kind, FindingKind::WriteToConstant { .. });
        report.findings.into_iter().filter(writes).map(move |finding| Found { finding, launch, schedule })
    });
    let writes: Vec<Found> = writes.collect();
    if let (false, Some(Stop::Fault(fault))) = (writes.is_empty(), stop) {
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
