//! Files that are links, pipes or too large; what is replaced, and what is not.

use super::*;
use std::os::unix::fs::symlink;
use std::path::Path;

fn words(result: Result<Vec<u8>, FileError>) -> String {
    result.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_else(|error| error.to_string())
}

#[test]
fn only_regular_files_without_links_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    std::fs::create_dir(at("inner")).unwrap();
    std::fs::write(at("inner/secret"), "secret").unwrap();
    symlink(at("inner/secret"), at("link")).unwrap();
    symlink(at("inner"), at("way")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, at("fifo"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    let folder = Folder::trusted(dir.path()).unwrap();
    let read = |name: &str| words(folder.read(Path::new(name), 100));
    assert_eq!(read("inner/secret"), "secret");
    assert_eq!(read("./inner/./secret"), "secret");
    for (name, said) in [
        ("link", "symbolic link"),
        ("way/secret", "symbolic link"),
        ("dangling", "symbolic link"),
        ("fifo", "FIFO"),
        ("socket", "socket"),
        ("inner", "folder"),
        ("../x", "leads out"),
        ("/etc/passwd", "leads out"),
        ("inner/../inner/secret", "leads out"),
    ] {
        assert!(read(name).contains(said), "{name}: {}", read(name));
    }
    let within = |path: &str| words(read_in(Some(dir.path()), &at(path), 100));
    assert_eq!(within("inner/../inner/./secret"), "secret", "a folder named on the way to another is no way out");
    assert!(within("inner/../way/secret").contains("symbolic link"));
    assert_eq!(
        words(read_in(Some(&at("inner")), &at("inner/../way/secret"), 100)),
        "secret",
        "it is not below that folder"
    );
    assert!(words(folder.read(Path::new("inner/secret"), 5)).contains("more than"));
    assert!(words(read_named(&at("link"), 100)).contains("symbolic link"));
    assert_eq!(words(read_named(&at("way/secret"), 100)), "secret", "the way there is the reader's own word");
    assert!(words(read_trusted(Path::new("/dev/zero"), 100)).contains("a device"));
    assert_eq!(words(read_trusted(&at("link"), 100)), "secret");
}

#[test]
fn what_killed_writers_left_goes_with_the_next_write() {
    let dir = tempfile::tempdir().unwrap();
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let dead = ended.id();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let left = |name: String, when: Option<std::time::SystemTime>| {
        let file = std::fs::File::create(dir.path().join(name)).unwrap();
        if let Some(when) = when {
            file.set_modified(when).unwrap();
        }
    };
    left(format!("kernel.cu.{dead}.new"), Some(long_ago));
    left(format!("other.cu.{dead}.new"), Some(long_ago));
    left("kernel.cu.1.new".to_owned(), Some(long_ago));
    left("kernel.cu.mine.new".to_owned(), Some(long_ago));
    let folder = Folder::trusted(dir.path()).unwrap();
    let names = || {
        folder.replace(Path::new("kernel.cu"), b"new").unwrap();
        let entries = std::fs::read_dir(dir.path()).unwrap().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let other = format!("other.cu.{dead}.new");
    let kept = ["kernel.cu", "kernel.cu.1.new", "kernel.cu.mine.new", other.as_str()];
    assert_eq!(names(), kept, "another file's, a living process's, no process's");
    // It may be another machine's, which writes now.
    left(format!("kernel.cu.{dead}.new"), None);
    assert_eq!(names().len(), kept.len() + 1);
}

#[test]
fn nothing_is_written_through_a_link() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    for name in ["precious", "twin"] {
        std::fs::write(at(name), "precious").unwrap();
    }
    symlink(at("precious"), at("link")).unwrap();
    std::fs::hard_link(at("twin"), at("hard")).unwrap();
    let folder = Folder::trusted(dir.path()).unwrap();
    assert!(folder.replace(Path::new("link"), b"new").is_err() && replace(&at("link"), b"new").is_err());
    assert!(folder.lock_file(Path::new("link")).is_err());
    folder.replace(Path::new("hard"), b"new").unwrap();
    folder.lock_file(Path::new("twin")).unwrap();
    assert_eq!(std::fs::read_to_string(at("precious")).unwrap(), "precious");
    assert_eq!(std::fs::read_to_string(at("twin")).unwrap(), "precious");
    assert_eq!(std::fs::read_to_string(at("hard")).unwrap(), "new");
    let left = std::fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(left, 4, "no half-written file is left");
}
