//! The built book's files, as a browser asks for them. What a page says of itself that the server adds: it is served.

use book::LIVE;
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
/// The file by which the folder of a book's scripts is known.
const MAIN: &str = "main.js";

/// The type and the bytes of what a path means; nothing outside `folder`.
pub fn file(folder: &Path, path: &str) -> Option<(&'static str, Vec<u8>)> {
    let path = place(folder, path)?;
    let bytes = std::fs::read(&path).ok()?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let kind = TYPES.iter().find(|(known, _)| *known == extension).map_or("application/octet-stream", |found| found.1);
    let bytes = match (extension, String::from_utf8(bytes)) {
        ("html", Ok(page)) => page.replacen("</head>", &served(folder), 1).into_bytes(),
        (_, Ok(text)) => text.into_bytes(),
        (_, Err(other)) => other.into_bytes(),
    };
    Some((kind, bytes))
}

/// What tells a page that somebody answers it, and where its scripts are: one without a kernel takes the token and shows what is solved, too.
fn served(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder.join(LIVE)).into_iter().flatten().flatten();
    let scripts = entries
        .filter(|entry| entry.path().join(MAIN).is_file())
        .find_map(|entry| entry.file_name().into_string().ok());
    let parts = scripts.map(|name| format!(" data-parts=\"{LIVE}/{}\"", report::escape(&name))).unwrap_or_default();
    format!("<meta name=\"warpbook\" content=\"served\"{parts}>\n</head>")
}

/// A page that waits for the first build of the book.
pub fn waiting(done: usize, of: usize) -> String {
    let (value, words) = match of {
        0 => (String::new(), "Its problems are being read.".to_owned()),
        of => (format!(" max=\"{of}\" value=\"{done}\""), format!("{done} of {of} pages are written.")),
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Warpbook is being built</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\"></head>\
         <body><main style=\"font-family: sans-serif; max-width: 30em; margin: 4em auto; padding: 0 1em\">\
         <h1>The book is being built</h1><p><progress style=\"width: 100%\" aria-label=\"pages\"{value}></progress></p>\
         <p role=\"status\">{words} Every listing is compiled, every count simulated; next time they are kept. This page shows the \
         book when it is there.</p></main><script>setTimeout(() => location.reload(), 1000)</script></body></html>\n"
    )
}

fn place(folder: &Path, path: &str) -> Option<PathBuf> {
    let relative = Path::new(path.trim_start_matches('/'));
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
        assert_eq!(place(folder, "/a/b.html"), Some(PathBuf::from("/book/a/b.html")));
        assert_eq!(place(folder, "/../etc/passwd"), None);
        assert_eq!(place(folder, "/a/../../etc/passwd"), None);
        assert_eq!(place(folder, "//etc/passwd"), Some(PathBuf::from("/book/etc/passwd")));
    }
}
