//! Where the workbook is: named, or the nearest folder around, of the same owner.

use super::{EXERCISES, KERNELS, ROOT_VARIABLE, Workbook};
use crate::ProblemError;
use std::path::Path;

impl Workbook {
    /// The workbook around `start`: what `WARPBOOK_ROOT` names, else the nearest ancestor with `exercises/` and
    /// `kernels/`, else that one's own ancestor with problems in them: what lies inside a workbook is judged by it.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn find(start: &Path) -> Result<Self, ProblemError> {
        match std::env::var_os(ROOT_VARIABLE).filter(|value| !value.is_empty()) {
            Some(root) => Self::at(Path::new(&root)),
            None => Self::around(start),
        }
    }

    /// As [`Workbook::find`], whatever the environment says.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn around(start: &Path) -> Result<Self, ProblemError> {
        let absolute = std::path::absolute(start).unwrap_or_else(|_| start.to_path_buf());
        let mut roots =
            absolute.ancestors().filter(|dir| Self::is_root(dir)).map(|dir| Self { root: dir.to_path_buf() });
        let nearest = roots.next().ok_or(ProblemError::NoWorkbook { start: absolute.clone() })?;
        // A submission that lies in a workbook may look like one.
        let around = roots.filter(|outer| same_owner(&outer.root, &nearest.root) && !outer.ids().is_empty()).last();
        Ok(around.unwrap_or(nearest))
    }

    /// The folder nearest to this one, upwards, that looks like a workbook, whether or not it is the one that judges.
    pub fn nearest(start: &Path) -> Option<Self> {
        start.ancestors().find(|dir| Self::is_root(dir)).map(|dir| Self { root: dir.to_path_buf() })
    }

    /// The workbook whose top is this folder.
    ///
    /// # Errors
    ///
    /// It is none.
    pub fn at(root: &Path) -> Result<Self, ProblemError> {
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_path_buf());
        if Self::is_root(&root) { Ok(Self { root }) } else { Err(ProblemError::BadRoot { root }) }
    }

    fn is_root(dir: &Path) -> bool {
        // A class may be given the workbook without its solutions.
        [EXERCISES, KERNELS].iter().all(|name| dir.join(name).is_dir())
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

#[cfg(unix)]
fn same_owner(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| std::fs::metadata(path).map(|about| about.uid()).ok();
    owner(one) == owner(other)
}

#[cfg(not(unix))]
fn same_owner(_: &Path, _: &Path) -> bool {
    true
}
