//! How the command ends: one enum for every exit status, and errors that know which of them they are.

use std::fmt;
use std::process::ExitCode;

/// The exit statuses, which are part of the interface (README.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: all goals met, or the command did what it was asked to.
    Met,
    /// 1: a goal not met, a wrong result, a kernel at fault.
    NotMet,
    /// 2: bad usage: an unknown name or option, a file that cannot be a kernel file or a problem.
    Usage,
    /// 3: the environment is at fault: no toolchain, no driver, disk full.
    Environment,
    /// 130: Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The status as a number.
    pub const fn code(self) -> u8 {
        match self {
            Self::Met => 0,
            Self::NotMet => 1,
            Self::Usage => 2,
            Self::Environment => 3,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// An error with the exit status it deserves. An error that carries none ends with status 3: what is neither the
/// kernel's doing nor the command line's is the environment's.
#[derive(Debug)]
pub struct Fault {
    /// Status to end with.
    pub exit: Exit,
    /// What to print.
    pub error: anyhow::Error,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&in_words(&self.error))
    }
}

/// An error with its causes, each said once: some errors say theirs themselves.
pub fn in_words(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |said, cause| match said.as_str() {
        "" => cause,
        _ if said.ends_with(&cause) => said,
        _ => format!("{said}: {cause}"),
    })
}

impl Fault {
    /// What to put right first, where the machine is at fault and it is known how.
    pub fn next(&self) -> Option<String> {
        if self.exit != Exit::Environment || tempfile::tempfile().is_ok() {
            return None;
        }
        let folder = std::env::temp_dir();
        Some(format!("{} takes no temporary files; set TMPDIR to a folder that does", system::text::path(&folder)))
    }
}

impl From<anyhow::Error> for Fault {
    fn from(error: anyhow::Error) -> Self {
        Self { exit: Exit::Environment, error }
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self { exit: Exit::Environment, error: error.into() }
    }
}

/// What a command returns.
pub type Outcome = Result<Exit, Fault>;

/// Says whose fault an error is.
pub trait Blame<T> {
    /// The command line or an input file: status 2.
    fn usage(self) -> Result<T, Fault>;
    /// The machine: status 3.
    fn environment(self) -> Result<T, Fault>;
}

impl<T, E: Into<anyhow::Error>> Blame<T> for Result<T, E> {
    fn usage(self) -> Result<T, Fault> {
        self.map_err(|error| Fault { exit: Exit::Usage, error: error.into() })
    }

    fn environment(self) -> Result<T, Fault> {
        self.map_err(|error| Fault { exit: Exit::Environment, error: error.into() })
    }
}

/// A [`Fault`] of bad usage, from a message that names the object and the next step.
pub fn usage(message: impl fmt::Display) -> Fault {
    Fault { exit: Exit::Usage, error: anyhow::anyhow!("{message}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
        let named = anyhow::Error::new(missing()).context(format!("cannot read x.cu: {}", missing())).context("so not");
        assert_eq!(in_words(&named), format!("so not: cannot read x.cu: {}", missing()));
    }
}
