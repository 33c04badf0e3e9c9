//! The number that a class's seeds come from. It is drawn once, kept beside the grades where only their owner reads it, and shown
//! when grades are released. Whoever knew it could hand in a kernel that is right for its inputs only.

use crate::hash;
use std::io;
use std::path::Path;
use system::files::{self, FileError};

/// Its name in a grade book.
const NAME: &str = "secret";
/// Longest text that is taken for one.
const LONGEST: u64 = 200;

/// A secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl std::fmt::Debug for Secret {
    /// Nothing of it gets into a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// One that nobody can foresee.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn draw() -> io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self(crate::hex(&bytes)))
    }

    /// The one that a teacher chose.
    pub fn of(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The one in a file; `None` where there is no such file.
    ///
    /// # Errors
    /// It cannot be read, or others may read it.
    pub fn read(path: &Path) -> Result<Option<Self>, FileError> {
        let bytes = match files::read_named(path, LONGEST) {
            Err(error) if error.is_missing() => return Ok(None),
            other => other?,
        };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            if std::fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
                let message = "others may read it, and so foresee inputs: chmod 600, or begin a new grade book";
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, message).into());
            }
        }
        let text = String::from_utf8(bytes).map_err(|_| io::Error::other("it is no text"))?;
        if text.trim().is_empty() {
            return Err(
                io::Error::other("it is empty; it was drawn once and no grade can be repeated without it").into()
            );
        }
        Ok(Some(Self::of(&text)))
    }

    /// The one of a grade book; drawn, or taken from `given`, where there is none yet.
    ///
    /// # Errors
    /// It cannot be read or written, or is another than `given`.
    pub fn of_book(folder: &Path, given: Option<&str>) -> Result<Self, FileError> {
        let path = folder.join(NAME);
        if let Some(known) = Self::read(&path)? {
            if given.is_some_and(|given| Self::of(given) != known) {
                let message = "this grade book has a seed of its own: leave --seed out, or begin another book";
                return Err(io::Error::other(message).into());
            }
            return Ok(known);
        }
        let secret = match given {
            Some(given) => Self::of(given),
            None => Self::draw()?,
        };
        secret.write(folder, &path)?;
        // Of two that begin at the same time one was first.
        Ok(Self::read(&path)?.unwrap_or(secret))
    }

    /// Written whole, for its owner only, and never over another.
    fn write(&self, folder: &Path, path: &Path) -> io::Result<()> {
        use std::io::Write as _;
        // Temporary files are made with mode 0600.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        writeln!(file, "{}", self.0)?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(path) {
            Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(error.error),
            _ => Ok(()),
        }
    }

    /// Its text, for `grade release`.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The seed of an exercise: the same for everybody, so that the same kernel has the same points, and so that handing in once
    /// more is no second draw.
    pub fn seed(&self, exercise: &str) -> u64 {
        let digest = hash([b"seed".as_slice(), self.0.as_bytes(), exercise.as_bytes()]);
        // What is told of a kernel may hang on its inputs, by a count or by a line, and so tell a few bits of them. So it must not be
        // possible to try all seeds. Numbers of JSON are exact up to here.
        u64::from_str_radix(&digest[..15], 16).unwrap_or(0) % (1 << 53)
    }

    /// What stands for it where it must not be told.
    pub fn fingerprint(&self) -> String {
        hash([b"fingerprint".as_slice(), self.0.as_bytes()])[..16].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_once_and_for_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let first = Secret::of_book(folder.path(), None).unwrap();
        assert_eq!(Secret::of_book(folder.path(), None).unwrap(), first);
        assert!(Secret::of_book(folder.path(), Some("7")).is_err(), "not another one for the same grades");
        assert_ne!(Secret::draw().unwrap(), first);
        assert!(!format!("{first:?}").contains(first.reveal()));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let path = folder.path().join(NAME);
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
            assert!(Secret::of_book(folder.path(), None).unwrap_err().to_string().contains("chmod 600"));
        }
    }

    /// So many that nobody who learns a few bits of an input can try them all, and none that JSON would round.
    #[test]
    fn seeds_are_too_many_to_try() {
        let seeds = (0..64).map(|number| Secret::of(&number.to_string()).seed("ex01"));
        let bits: Vec<u32> = seeds.map(|seed| 64 - seed.leading_zeros()).collect();
        assert_eq!(bits.iter().max(), Some(&53), "{bits:?}");
        assert!(bits.iter().filter(|bits| **bits >= 50).count() > 48, "{bits:?}");
    }

    #[test]
    fn seeds_hang_on_the_secret_and_the_exercise() {
        let (one, two) = (Secret::of("1"), Secret::of("2"));
        assert_eq!(one.seed("ex01"), Secret::of(" 1\n").seed("ex01"));
        assert!(one.seed("ex01") != two.seed("ex01") && one.seed("ex01") != one.seed("ex02"));
    }
}
