//! Archives in what was handed in.

use super::{LARGEST_KERNEL, Listed, MOST_FILES, Passed, Tree, archive};
use system::files::FileError;

/// Largest archive in an archive, in bytes, and most that all of them have together.
const LARGEST_INNER: u64 = 64 << 20;
const MOST_INNER: u64 = 8 << 30;

/// Archives in what was handed in. One at a time is in memory: a class of them need not fit.
#[derive(Default)]
pub(super) struct Inner {
    /// Of each listed file beyond the tree's own: the archive's index there, and its own in it.
    places: Vec<(usize, usize)>,
    /// How many files the tree has itself.
    own: usize,
    /// The archive that was read last.
    open: Option<(usize, archive::Archive)>,
}

impl Inner {
    /// Lists what archives hold, as if it lay in folders of their names. Returns those that cannot be read.
    pub(super) fn list(&mut self, tree: &mut dyn Tree, listed: &mut Vec<Listed>) -> Vec<Passed> {
        self.own = listed.len();
        let mut left = MOST_INNER;
        let mut passed_over = Vec::new();
        for index in 0..self.own {
            if listed[index].refused.is_some() || !listed[index].ends_with(".zip") {
                continue;
            }
            let opened = self.open(tree, index, &mut left).and_then(|archive| archive.list());
            let files = match opened {
                Ok(files) => files,
                Err(error) => {
                    passed_over.push(Passed { file: listed[index].name(), why: error.to_string() });
                    continue;
                }
            };
            // What lies in `alice.zip` lies in a folder of that name.
            let mut above = listed[index].path.clone();
            if let Some(name) = above.last_mut() {
                name.truncate(name.len() - ".zip".len());
            }
            for (number, mut file) in files.into_iter().enumerate() {
                if listed.len() >= MOST_FILES {
                    break;
                }
                file.path = above.iter().cloned().chain(file.path).collect();
                file.in_archive = true;
                listed.push(file);
                self.places.push((index, number));
            }
        }
        passed_over
    }

    fn open(&mut self, tree: &mut dyn Tree, index: usize, left: &mut u64) -> Result<&mut archive::Archive, FileError> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != index) {
            if *left == 0 {
                return Err(std::io::Error::other("the archives in it have too many bytes together").into());
            }
            let read = tree.read(index, LARGEST_INNER.min(*left));
            *left = left.saturating_sub(read.as_ref().map_or(LARGEST_INNER, |bytes| bytes.len() as u64));
            self.open = Some((index, archive::Archive::open(read?).map_err(std::io::Error::other)?));
        }
        self.open.as_mut().map(|(_, archive)| archive).ok_or_else(|| std::io::Error::other("it is not open").into())
    }

    /// Where a listed file lies, if that is in an archive.
    pub(super) fn place(&self, index: usize) -> Option<(usize, usize)> {
        index.checked_sub(self.own).and_then(|at| self.places.get(at)).copied()
    }

    /// A kernel, wherever it lies.
    pub(super) fn read(&mut self, tree: &mut dyn Tree, index: usize) -> Result<Vec<u8>, FileError> {
        match self.place(index) {
            None => tree.read(index, LARGEST_KERNEL),
            Some((archive, number)) => self.open(tree, archive, &mut u64::MAX.clone())?.read(number, LARGEST_KERNEL),
        }
    }
}
