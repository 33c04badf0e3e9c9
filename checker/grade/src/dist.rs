//! What is handed out: the tree that students get, and the bundle with which a platform grades.

mod platform;

pub use platform::Platform;
use problem::{Kind, Problem};
use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::path::Path;
use system::files::{self, FileError};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The rubric of who has none.
const USUAL: &[u8] =
    b"# 4 points for results, 2 for no findings, 4 shared by the goals. docs/grading.md says how to have others.\n";
/// Largest file that is handed out.
const LARGEST: u64 = 512 << 20;

/// Why nothing is handed out.
#[derive(Debug, thiserror::Error)]
pub enum DistError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// Its path.
        path: String,
        /// Why.
        source: FileError,
    },
    /// The archive cannot be made.
    #[error("the archive cannot be made: {0}")]
    Zip(#[from] zip::result::ZipError),
    /// Something is there already.
    #[error("{0} is there already, and not empty: name another place")]
    There(String),
    /// No folder is there.
    #[error("{0} is there already, and no folder: name another place, or one that ends in .zip")]
    NoFolder(String),
    /// Its hints cannot be taken out.
    #[error("{path}: {message}")]
    Manifest {
        /// The file.
        path: String,
        /// Why.
        message: String,
    },
}

/// What students get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contents {
    /// Hints too.
    pub hints: bool,
    /// Oracles too, without which nothing can be checked at home.
    pub references: bool,
    /// A built checker, too.
    pub checker: bool,
}

/// Files by their path in what is handed out.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Files(BTreeMap<String, File>);

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct File {
    bytes: Vec<u8>,
    mode: u32,
}

impl Files {
    fn add(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>, mode: u32) {
        self.0.insert(path.into(), File { bytes: bytes.into(), mode });
    }

    /// A built checker, at the top.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn add_checker(&mut self, checker: &Path) -> Result<(), DistError> {
        self.add("checker", read(checker)?, 0o755);
        Ok(())
    }

    /// The tree that students get: no solutions, mutants or styles, and every `kernel.cu` is the starter.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn for_students(problems: &[Problem], contents: Contents) -> Result<Self, DistError> {
        let mut all = Self::default();
        for problem in problems.iter().filter(|problem| problem.kind == Kind::Exercise) {
            let own = format!("exercises/{}", problem.id);
            for name in listed(&problem.dir)? {
                let path = problem.dir.join(&name);
                match name.as_str() {
                    "kernel.cu" => {}
                    "starter.cu" => {
                        let starter = read(&path)?;
                        all.add(format!("{own}/kernel.cu"), starter.clone(), 0o644);
                        all.add(format!("{own}/starter.cu"), starter, 0o644);
                    }
                    "reference.cu" if !contents.references => {}
                    "problem.toml" if !contents.hints => all.add(format!("{own}/{name}"), without_hints(&path)?, 0o644),
                    _ => all.add(format!("{own}/{name}"), read(&path)?, 0o644),
                }
            }
            // What a starter took that cannot be modelled: without it the same kernel has other goals met here than there.
            for file in check::results_files(problem) {
                let place = file.strip_prefix(problem.root()).unwrap_or(&file).to_string_lossy().into_owned();
                all.add(place, read(&file)?, 0o644);
            }
        }
        // By these two folders a workbook is known.
        all.add("kernels/README.md", "Pairs of kernels go here, a folder each.\n", 0o644);
        all.add("README.md", readme(problems, contents), 0o644);
        Ok(all)
    }

    /// A bundle that grades these exercises on a platform, with this checker and this seed.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn for_platform(
        platform: Platform,
        problems: &[Problem],
        checker: &Path,
        seed: &str,
        rubric: Option<&[u8]>,
    ) -> Result<Self, DistError> {
        let whole = Contents { hints: true, references: true, checker: false };
        let workbook = Self::for_students(problems, whole)?;
        let mut all = Self::default();
        for (path, file) in workbook.0 {
            all.0.insert(format!("workbook/{path}"), file);
        }
        all.add_checker(checker)?;
        all.add("rubric.toml", rubric.unwrap_or(USUAL), 0o644);
        all.add("seed", format!("{seed}\n"), 0o600);
        let names: Vec<&str> = problems.iter().map(|problem| problem.id.as_str()).collect();
        let exercise = match names.as_slice() {
            // A file that does not say what it is for is for the only one.
            [only] => format!("--exercise {only} --assigned {only}"),
            several => format!("--assigned {}", several.join(",")),
        };
        let digits = crate::hash(names.iter().map(|name| name.as_bytes()).chain([seed.as_bytes()]));
        let part = |from: usize, to: usize| &digits[from..to];
        let uuid = format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32));
        let title =
            problems.first().map_or("", |problem| problem.manifest.title.as_str()).replace(['"', '\\', '<', '&'], "");
        for (path, template, executable) in platform.templates() {
            let text = template
                .replace("@EXERCISE@", &exercise)
                .replace("@PACKAGES@\n", platform.packages())
                .replace("@FIRST@", names.first().copied().unwrap_or_default())
                .replace("@UUID@", &uuid)
                .replace("@TITLE@", &title);
            all.add(*path, text, if *executable { 0o755 } else { 0o644 });
        }
        Ok(all)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes them into a folder, or into one zip where the name ends so.
    ///
    /// # Errors
    /// Something is there, or it cannot be written.
    pub fn write(&self, to: &Path) -> Result<(), DistError> {
        let wrong = |path: &Path, source: FileError| DistError::File { path: system::text::path(path), source };
        if to.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip")) {
            return files::replace(to, &self.zip()?).map_err(|source| wrong(to, source));
        }
        if std::fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(DistError::There(system::text::path(to)));
        }
        if to.exists() && !to.is_dir() {
            return Err(DistError::NoFolder(system::text::path(to)));
        }
        for (path, file) in &self.0 {
            let path = to.join(path);
            let parent = path.parent().unwrap_or(to);
            std::fs::create_dir_all(parent).map_err(|error| wrong(parent, error.into()))?;
            files::replace(&path, &file.bytes).map_err(|source| wrong(&path, source))?;
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let mode = PermissionsExt::from_mode(file.mode);
                std::fs::set_permissions(&path, mode).map_err(|error| wrong(&path, error.into()))?;
            }
        }
        Ok(())
    }

    fn zip(&self) -> Result<Vec<u8>, DistError> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, file) in &self.0 {
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Deflated)
                .unix_permissions(file.mode);
            zip.start_file(path.as_str(), options)?;
            zip.write_all(&file.bytes).map_err(zip::result::ZipError::from)?;
        }
        Ok(zip.finish()?.into_inner())
    }
}

/// Regular files of a folder by name.
fn listed(folder: &Path) -> Result<Vec<String>, DistError> {
    let wrong = |error: std::io::Error| DistError::File { path: system::text::path(folder), source: error.into() };
    let entries = std::fs::read_dir(folder).map_err(wrong)?.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    let files = entries.into_iter().filter(|entry| entry.path().is_file());
    let names = files.filter_map(|entry| entry.file_name().into_string().ok());
    Ok(names.filter(|name| !is_left_behind(name)).collect())
}

/// Hidden files, and what editors and merges leave beside a file: a copy of `kernel.cu` that a teacher has solved is an answer.
fn is_left_behind(name: &str) -> bool {
    let ends = ["~", ".orig", ".rej", ".bak", ".old", ".save", ".swp", ".tmp"];
    name.starts_with(['.', '#']) || ends.iter().any(|end| name.ends_with(end)) || is_other_source(name)
}

/// Only these sources belong to an exercise: any other `.cu` beside them is somebody's try.
fn is_other_source(name: &str) -> bool {
    name.ends_with(".cu") && !["kernel.cu", "starter.cu", "reference.cu"].contains(&name)
}

fn read(path: &Path) -> Result<Vec<u8>, DistError> {
    files::read_trusted(path, LARGEST).map_err(|source| DistError::File { path: system::text::path(path), source })
}

/// A manifest that has no hints. Its comments go with them.
fn without_hints(path: &Path) -> Result<Vec<u8>, DistError> {
    let wrong = |message: String| DistError::Manifest { path: system::text::path(path), message };
    let text = String::from_utf8(read(path)?).map_err(|_| wrong("it is not UTF-8".to_owned()))?;
    let mut table: toml::Table = text.parse().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
    if let Some(hints) = table.get_mut("hints") {
        *hints = toml::Value::Array(Vec::new());
    }
    toml::to_string(&table).map(String::into_bytes).map_err(|error| wrong(error.to_string()))
}

fn readme(problems: &[Problem], contents: Contents) -> String {
    let mut text = String::from("# Exercises\n\nEdit `exercises/exNN/kernel.cu`, and hand in that file.\n\n");
    for problem in problems {
        text.push_str(&format!("* {}: {}\n", problem.id, problem.manifest.title));
    }
    if contents.references {
        let command = if contents.checker { "./checker" } else { "checker" };
        text.push_str(&format!("\n`{command} exNN` in this folder checks a kernel, without a GPU.\n"));
    }
    text
}
