//! `checker bench --characterise`: what the model of time has to know of a GPU, measured by programs of their own.

use crate::spinner::Spinner;
use crate::{Context, Exit, Outcome, usage};
use anyhow::Context as _;
use problem::Workbook;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the programs are, in a workbook.
const PROGRAMS: &str = "scripts/clock";

/// Builds and runs them, all or those named. Each prints a table, as JSON; it becomes `tables/NAME.json` in the folder. One that needs more
/// than itself has a script beside it, which is given the file to write.
pub(super) fn run(
    context: &Context,
    workbook: &Workbook,
    names: &[String],
    out: Option<&Path>,
    nvcc: &Path,
) -> Outcome {
    let Some(out) = out else {
        return Err(usage("name a folder for the tables: `checker bench --characterise --out DIR`"));
    };
    let folder = workbook.root().join(PROGRAMS);
    let known = programs(&folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    if let Some(name) = names.iter().find(|name| !known.contains(name)) {
        return Err(usage(format!("there is no {PROGRAMS}/{name}.cu; there are {}", known.join(", "))));
    }
    let tables = out.join("tables");
    std::fs::create_dir_all(&tables).with_context(|| format!("{} cannot be made", tables.display()))?;
    let spinner = Spinner::new(context);
    let (mut lines, mut failed) = (String::new(), false);
    for name in if names.is_empty() { &known } else { names } {
        spinner.say(&format!("{PROGRAMS}/{name}.cu"));
        let file = tables.join(format!("{name}.json"));
        let said = match measure(&folder, name, nvcc, &file) {
            Ok(()) => file.display().to_string(),
            Err(error) => {
                failed = true;
                crate::in_words(&error)
            }
        };
        lines += &format!("{name}  {said}\n");
    }
    drop(spinner);
    context.print(lines)?;
    Ok(if failed { Exit::NotMet } else { Exit::Met })
}

/// Their names, without `.cu`.
fn programs(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("cu")) {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

fn measure(folder: &Path, name: &str, nvcc: &Path, file: &Path) -> anyhow::Result<()> {
    let work = tempfile::tempdir()?;
    let script = folder.join(format!("{name}.sh"));
    let table: PathBuf = work.path().join("table.json");
    let text = if script.exists() {
        said(Command::new(&script).arg(&table).env("NVCC", nvcc))?;
        std::fs::read_to_string(&table).with_context(|| format!("{name}.sh wrote no table"))?
    } else {
        let program = work.path().join(name);
        let source = folder.join(format!("{name}.cu"));
        let options = ["-arch=native", "-lineinfo", "-O3", "-std=c++17", "-o"];
        said(Command::new(nvcc).args(options).arg(&program).arg(&source))?;
        said(&mut Command::new(&program))?
    };
    serde_json::from_str::<serde_json::Value>(&text).context("what it printed is no table")?;
    std::fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))
}

/// What a command that ended well printed.
fn said(command: &mut Command) -> anyhow::Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let ended = command.output().with_context(|| format!("{program} cannot be run"))?;
    let errors = String::from_utf8_lossy(&ended.stderr);
    let last = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    anyhow::ensure!(ended.status.success(), "{program} ended with {}: {last}", ended.status);
    Ok(String::from_utf8_lossy(&ended.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A script in place of the compiler makes a script in place of the program.
    #[cfg(unix)]
    #[test]
    fn a_table_is_kept_and_a_program_that_fails_says_why() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let nvcc = folder.path().join("nvcc");
        std::fs::write(&nvcc, "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\ncp \"$3\" \"$2\"; chmod +x \"$2\"\n")
            .unwrap();
        std::fs::set_permissions(&nvcc, std::fs::Permissions::from_mode(0o755)).unwrap();
        let program = |name: &str, text: &str| std::fs::write(folder.path().join(format!("{name}.cu")), text).unwrap();
        program("good", "#!/bin/sh\necho '{\"rows\": []}'\n");
        program("no-table", "#!/bin/sh\necho rows\n");
        program("no-device", "#!/bin/sh\necho 'no device' >&2\nexit 3\n");
        assert_eq!(programs(folder.path()).unwrap(), ["good", "no-device", "no-table"]);
        let file = folder.path().join("table.json");
        let try_it = |name: &str| measure(folder.path(), name, &nvcc, &file).map_err(|error| crate::in_words(&error));
        assert!(try_it("no-table").unwrap_err().contains("no table"));
        assert!(try_it("no-device").unwrap_err().ends_with("no device"));
        assert!(!file.exists());
        try_it("good").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "{\"rows\": []}\n");
    }
}
