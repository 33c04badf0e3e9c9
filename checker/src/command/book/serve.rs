//! A file server for one reader on the same machine: GET, one request a connection.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};

const TYPES: [(&str, &str); 9] = [
    ("html", "text/html; charset=utf-8"),
    ("css", "text/css"),
    ("js", "text/javascript"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("woff2", "font/woff2"),
    ("json", "application/json"),
    ("wasm", "application/wasm"),
    ("txt", "text/plain; charset=utf-8"),
];
/// Longest request line read.
const LONGEST: u64 = 8 << 10;

/// Serves `folder` until the process ends.
///
/// # Errors
/// The listener fails. A connection's failure is its own.
pub fn serve(listener: &TcpListener, folder: &Path) -> std::io::Result<()> {
    for connection in listener.incoming() {
        let folder = folder.to_path_buf();
        let connection = connection?;
        // A browser keeps idle connections open: they must not block each other.
        std::thread::spawn(move || {
            let _ = answer(connection, &folder);
        });
    }
    Ok(())
}

fn answer(mut connection: TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut line = String::new();
    std::io::Read::take(BufReader::new(&connection), LONGEST).read_line(&mut line)?;
    let target = line.split_whitespace().nth(1).unwrap_or("/");
    let found = file(folder, target).and_then(|path| Some((std::fs::read(&path).ok()?, path)));
    let (status, kind, body) = match found {
        Some((body, path)) => {
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            let kind = TYPES.iter().find(|(known, _)| *known == extension).map_or("application/octet-stream", |t| t.1);
            ("200 OK", kind, body)
        }
        None => ("404 Not Found", "text/plain", b"no such page\n".to_vec()),
    };
    write!(
        connection,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    connection.write_all(&body)
}

/// The file that a request means; nothing outside `folder`.
fn file(folder: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.trim_start_matches('/');
    let relative = Path::new(path);
    if relative.components().any(|part| !matches!(part, Component::Normal(_))) {
        return None;
    }
    let full = folder.join(relative);
    Some(if full.is_dir() { full.join("index.html") } else { full })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_stay_in_the_folder() {
        let folder = Path::new("/book");
        assert_eq!(file(folder, "/a/b.html?x#y"), Some(PathBuf::from("/book/a/b.html")));
        assert_eq!(file(folder, "/../etc/passwd"), None);
        assert_eq!(file(folder, "/a/../../etc/passwd"), None);
        assert_eq!(file(folder, "//etc/passwd"), Some(PathBuf::from("/book/etc/passwd")));
    }
}
