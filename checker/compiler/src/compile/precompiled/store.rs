//! Where precompiled headers lie: `$WARPBOOK_HOME/pch`, a few at a time, for each is about 300 MB.
//!
//! A header is mapped into the compiler as it is, pointers and all, and is too large for a checksum at every use. So it counts
//! only in a folder that nobody else can write to, as a file of this user's own, and it gets its name when it is
//! whole and on the disk.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use system::cache::{make_private, private};

/// Headers that are kept.
const KEPT: usize = 3;
/// What must be free on the disk before one is made, in bytes.
const FREE: u64 = 2 << 30;
/// An attempt that brought no header is not repeated for so long.
const PATIENCE: Duration = Duration::from_secs(3600);
/// A header that was used within so long is in use.
const RECENT: Duration = Duration::from_secs(600);
/// So often one has to be asked for before it takes the place of one that is in use.
const TIMES: u64 = 3;
/// What a file is called besides the header's name that has a byte for each time it was asked for.
const WANTED: &str = "wanted";
/// What an attempt's file is called besides the header's name: a lock, the header while it grows, and, empty, the memory of
/// an attempt that failed.
const ATTEMPT: &str = "making";

/// The header for processes with this address of NVRTC.
pub fn file(stem: &Path, address: usize) -> PathBuf {
    let name = stem.file_name().unwrap_or_default().to_string_lossy();
    stem.with_file_name(format!("{name}-{address:x}"))
}

/// Behind a whole header stand these bytes and its length: one that was cut short is none. NVRTC does not look there.
const END: &[u8; 8] = b"warpbook";

/// The folder for temporary files, beside a header.
pub fn scratch(file: &Path) -> PathBuf {
    file.with_file_name("scratch.d")
}

/// Is it a whole header that nobody else could have put there?
pub fn is_usable(file: &Path) -> bool {
    file.parent().is_some_and(|dir| private(dir).is_ok()) && is_own(file) && is_whole(file).unwrap_or(false)
}

fn is_whole(file: &Path) -> io::Result<bool> {
    let mut file = File::open(file)?;
    let (mut end, mut length) = ([0; 8], [0; 8]);
    let start = file.seek(SeekFrom::End(-16))?;
    file.read_exact(&mut end)?;
    file.read_exact(&mut length)?;
    Ok(&end == END && u64::from_le_bytes(length) == start)
}

#[cfg(unix)]
fn is_own(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid().as_raw();
    fs::symlink_metadata(file).is_ok_and(|about| about.is_file() && about.uid() == own && about.len() > 0)
}

#[cfg(not(unix))]
fn is_own(_file: &Path) -> bool {
    false
}

/// Is somebody making it, or did somebody try in vain a short while ago?
pub fn is_attempted(file: &Path) -> bool {
    age(&file.with_extension(ATTEMPT)).is_some_and(|age| age < PATIENCE)
}

fn age(file: &Path) -> Option<Duration> {
    let modified = fs::symlink_metadata(file).and_then(|about| about.modified()).ok()?;
    Some(SystemTime::now().duration_since(modified).unwrap_or_default())
}

/// Is it worth making, now that a source would have used it? While there is place, yes. Where all that are kept are in use, a header
/// that is asked for once or twice costs more than it saves, and so does making the other one again.
pub fn is_worth_making(stem: &Path) -> bool {
    let dir = stem.parent().unwrap_or(stem);
    let in_use = |path: &PathBuf| is_header(path) && age(path).is_some_and(|age| age < RECENT);
    if private(dir).is_err() || files(dir).filter(in_use).count() < KEPT {
        return true;
    }
    let wanted = stem.with_extension(WANTED);
    let times = fs::symlink_metadata(&wanted).map_or(0, |about| about.len()) + 1;
    if times < TIMES {
        let noted = File::options().create(true).append(true).open(&wanted).and_then(|mut file| file.write_all(b"+"));
        return noted.is_err();
    }
    let _ = fs::remove_file(&wanted);
    true
}

/// The right to make a header, and the place for it; at most one process has it.
pub struct Attempt {
    file: PathBuf,
    /// Where it grows.
    pub growing: PathBuf,
}

impl Attempt {
    /// Nobody else makes this header, and there is room for it.
    pub fn claim(file: &Path) -> Option<Attempt> {
        let dir = file.parent()?;
        make_private(&scratch(file)).and_then(|()| private(dir)).ok()?;
        if is_usable(file) || is_attempted(file) || !has_room(dir) {
            return None;
        }
        clear(dir, KEPT - 1);
        let growing = file.with_extension(ATTEMPT);
        File::create_new(&growing).ok()?;
        Some(Attempt { file: file.to_owned(), growing })
    }

    /// It is whole: gives it its name.
    pub fn succeed(self) {
        if self.finish().and_then(|()| fs::rename(&self.growing, &self.file)).is_err() {
            self.fail();
        } else if let Some(dir) = self.file.parent() {
            // Others may have made theirs meanwhile.
            clear(dir, KEPT);
        }
    }

    fn finish(&self) -> io::Result<()> {
        let mut file = File::options().append(true).open(&self.growing)?;
        let length = file.metadata()?.len();
        file.write_all(END)?;
        file.write_all(&length.to_le_bytes())?;
        file.sync_all()
    }

    /// It is of no use; remembers that.
    pub fn fail(self) {
        let _ = File::create(&self.growing);
    }
}

#[cfg(unix)]
fn has_room(dir: &Path) -> bool {
    rustix::fs::statvfs(dir).is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) >= FREE)
}

#[cfg(not(unix))]
fn has_room(_dir: &Path) -> bool {
    false
}

/// Removes attempts that nobody is at any more, and the headers that were used longest ago: so many stay.
fn clear(dir: &Path, most: usize) {
    let mut headers = Vec::new();
    for path in files(dir) {
        let Some(age) = age(&path) else { continue };
        if is_header(&path) {
            headers.push((age, path));
        } else if age >= PATIENCE {
            let _ = fs::remove_file(path);
        }
    }
    headers.sort();
    for (_, path) in headers.iter().skip(most) {
        let _ = fs::remove_file(path);
    }
}

fn files(dir: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn is_header(path: &Path) -> bool {
    path.extension().is_none()
}

/// The headers that are there: how many, and bytes of disk.
pub fn size(dir: &Path) -> (usize, u64) {
    let sizes = files(dir).filter(|path| is_header(path)).filter_map(|path| Some(fs::metadata(path).ok()?.len()));
    sizes.fold((0, 0), |(count, bytes), size| (count + 1, bytes + size))
}

/// It was of use just now: it goes last.
pub fn touch(file: &Path) {
    let _ = File::open(file).and_then(|file| file.set_modified(SystemTime::now()));
}

/// Whether there is one, for any addresses.
pub fn has_any(stem: &Path) -> bool {
    with_stem(stem).next().is_some()
}

/// A header did harm: it is not used again, nor soon made again.
pub fn condemn(stem: &Path) {
    for file in with_stem(stem) {
        let _ = File::create(file.with_extension(ATTEMPT)).and_then(|_| fs::remove_file(&file));
    }
}

fn with_stem(stem: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let start = stem.file_name().unwrap_or_default().to_string_lossy().into_owned() + "-";
    let dir = stem.parent().unwrap_or(stem);
    let named = move |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&start));
    files(dir).filter(|path| is_header(path)).filter(named)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn grow(file: &Path) {
        let attempt = Attempt::claim(file).expect("nobody else makes it");
        fs::write(&attempt.growing, "header").expect("it is written");
        assert!(!is_usable(file) && is_attempted(file), "half a header");
        attempt.succeed();
    }

    #[test]
    fn one_at_a_time_makes_it_and_a_failure_is_remembered() {
        let home = tempfile::tempdir().unwrap();
        let file = file(&home.path().join("pch/key"), 0xabc);
        grow(&file);
        assert!(is_usable(&file) && !is_attempted(&file) && Attempt::claim(&file).is_none());
        let stem = home.path().join("pch/key");
        assert!(has_any(&stem) && !has_any(&home.path().join("pch/ke")));
        condemn(&stem);
        assert!(!has_any(&stem) && is_attempted(&file) && Attempt::claim(&file).is_none());
        let old = SystemTime::now() - 2 * PATIENCE;
        File::open(file.with_extension(ATTEMPT)).unwrap().set_modified(old).unwrap();
        Attempt::claim(&file).expect("tried again later").fail();
        assert!(Attempt::claim(&file).is_none() && fs::read(file.with_extension(ATTEMPT)).unwrap().is_empty());
    }

    #[test]
    fn the_longest_unused_goes() {
        let home = tempfile::tempdir().unwrap();
        let names: Vec<PathBuf> = (0..5).map(|key| file(&home.path().join(format!("pch/key{key}")), 1)).collect();
        for (age, name) in names.iter().enumerate() {
            grow(name);
            let then = SystemTime::now() - Duration::from_secs(100 - age as u64);
            File::open(name).unwrap().set_modified(then).unwrap();
            if age == 2 {
                touch(&names[0]);
            }
        }
        let there: Vec<bool> = names.iter().map(|name| is_usable(name)).collect();
        assert_eq!(there, [true, false, false, true, true]);
        assert_eq!(size(&home.path().join("pch")), (3, 3 * (6 + 16)));
        let at_once = [5, 6].map(|key| Attempt::claim(&file(&home.path().join(format!("pch/key{key}")), 1)).unwrap());
        for attempt in at_once {
            fs::write(&attempt.growing, "header").unwrap();
            attempt.succeed();
        }
        assert_eq!(size(&home.path().join("pch")).0, KEPT, "two that were made at once");
    }

    #[test]
    fn who_is_in_use_makes_place_for_what_is_asked_for_again_and_again() {
        let home = tempfile::tempdir().unwrap();
        let stem = |key: &str| home.path().join("pch").join(key);
        let keys = ["a", "b", "c"];
        for key in keys {
            assert!(is_worth_making(&stem(key)), "there is place");
            grow(&file(&stem(key), 1));
        }
        let asked: Vec<bool> = (0..4).map(|_| is_worth_making(&stem("d"))).collect();
        assert_eq!(asked, [false, false, true, false], "then it begins anew");
        assert_eq!([is_worth_making(&stem("e")), is_worth_making(&stem("d"))], [false, false], "each for itself");
        assert_eq!(size(&home.path().join("pch")).0, KEPT, "what is noted is no header");
        let old = SystemTime::now() - 2 * RECENT;
        File::open(file(&stem("b"), 1)).unwrap().set_modified(old).unwrap();
        assert!(is_worth_making(&stem("e")), "one is not in use any more");
    }

    #[test]
    fn what_others_could_have_put_there_is_not_believed() {
        use std::os::unix::fs::symlink;
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("pch");
        let good = file(&dir.join("good"), 1);
        grow(&good);
        let (linked, empty) = (file(&dir.join("linked"), 1), file(&dir.join("empty"), 1));
        symlink(&good, &linked).unwrap();
        File::create(&empty).unwrap();
        assert!(!is_usable(&linked) && !is_usable(&empty) && is_usable(&good));
        let cut = file(&dir.join("cut"), 1);
        fs::write(&cut, &fs::read(&good).unwrap()[1..]).unwrap();
        assert!(!is_usable(&cut), "a part of one");
        fs::rename(&dir, home.path().join("elsewhere")).unwrap();
        symlink(home.path().join("elsewhere"), &dir).unwrap();
        assert!(!is_usable(&good), "the folder is a link");
    }
}
