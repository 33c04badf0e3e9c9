//! The built book's files, as a browser asks for them. What a page says of itself that the server adds: it is served.

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
/// What tells the scripts of a page that somebody answers them.
const SERVED: &str = "<meta name=\"warpbook\" content=\"served\">\n</head>";

/// The type and the bytes of what a path means; nothing outside `folder`.
pub fn file(folder: &Path, path: &str) -> Option<(&'static str, Vec<u8>)> {
    let path = place(folder, path)?;
    let bytes = std::fs::read(&path).ok()?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let kind = TYPES.iter().find(|(known, _)| *known == extension).map_or("application/octet-stream", |found| found.1);
    let bytes = match (extension, String::from_utf8(bytes)) {
        ("html", Ok(page)) => page.replacen("</head>", SERVED, 1).into_bytes(),
        (_, Ok(text)) => text.into_bytes(),
        (_, Err(other)) => other.into_bytes(),
    };
    Some((kind, bytes))
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
