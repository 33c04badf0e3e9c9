//! Packs the fuzzers' corpus: `cargo run -p simulator-tests --example corpus -- pack FOLDER...` keeps, of the folders' files in
//! order of size, each that has an opcode (with its modifiers) or a directive no file before it had.
//! `... -- unpack FOLDER` writes the corpus out again, a file a text.

#[path = "../fuzz/corpus.rs"]
mod corpus;

use std::collections::HashSet;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((verb, folders)) if verb == "pack" && !folders.is_empty() => pack(folders),
        Some((verb, [folder])) if verb == "unpack" => unpack(Path::new(folder)),
        _ => Err("pack FOLDER... or unpack FOLDER".into()),
    }
}

fn pack(folders: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let mut texts = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if let Ok(text) = std::fs::read_to_string(&path) {
                texts.push(plain(&text));
            }
        }
    }
    texts.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    let mut seen = HashSet::new();
    texts.retain(|text| {
        let new = text.lines().flat_map(forms).filter(|form| seen.insert(form.clone())).count();
        new > 0
    });
    let file = corpus::pack(&texts)?;
    println!("{} texts, {} bytes, {} packed", texts.len(), texts.iter().map(String::len).sum::<usize>(), file.len());
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus.z"), file)?;
    Ok(())
}

fn unpack(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all(folder)?;
    for (index, text) in corpus::committed().iter().enumerate() {
        std::fs::write(folder.join(format!("{index:03}.ptx")), text)?;
    }
    Ok(())
}

/// Without comments, indentation, empty lines, debug sections and most positions; files without their folders.
fn plain(text: &str) -> String {
    let (mut positions, mut section) = (0, false);
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or("").trim().replace('\t', " ");
        section |= line.starts_with(".section");
        if section {
            section = line != "}";
            continue;
        }
        positions += usize::from(line.starts_with(".loc"));
        if line.is_empty() || (line.starts_with(".loc") && positions > 2) {
            continue;
        }
        match line.strip_prefix(".file").and_then(|_| line.rsplit_once('/')) {
            Some((before, name)) => {
                let index = before.split('"').next().unwrap_or("");
                lines.push(format!("{index}\"{name}"));
            }
            None => lines.push(line),
        }
    }
    lines.join("\n")
}

/// What of a line makes a file worth keeping.
fn forms(line: &str) -> Vec<String> {
    let mut words = line.split_whitespace().filter(|word| !word.starts_with('@'));
    let Some(first) = words.next() else { return Vec::new() };
    if !first.starts_with('.') {
        return if first.contains(':') { Vec::new() } else { vec![first.trim_end_matches(';').to_string()] };
    }
    line.split_whitespace().filter(|word| word.starts_with('.')).map(str::to_string).collect()
}
