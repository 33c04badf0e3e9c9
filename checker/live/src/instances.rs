//! Launches of what the build did not compile.

use crate::Code;
use plan::Plan;
use problem::{KernelFile, LineError};

/// The first launch of an instance that was not compiled, where others of the same template were.
///
/// # Errors
/// Its line, with the instances that there are.
pub fn check(file: &KernelFile, code: &Code, plan: &Plan) -> Result<(), LineError> {
    let base = |name: &str| name.split('<').next().unwrap_or(name).trim().to_owned();
    for launch in plan.launches.iter().filter(|launch| !code.names.contains_key(&launch.kernel)) {
        let known: Vec<&str> =
            code.names.keys().map(String::as_str).filter(|name| base(name) == base(&launch.kernel)).collect();
        if !known.is_empty() {
            let message = format!("`{}` was not compiled for this page", launch.kernel);
            let error = file.line(launch.line).error(file.launch_column(launch.line), message);
            return Err(error.expected(known.join(", ")));
        }
    }
    Ok(())
}
