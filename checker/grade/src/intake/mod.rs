//! Submissions in: a folder, a zip, a list, a single file. Of all that students hand in only kernel files are read, as bytes,
//! and no name of theirs is ever a path that something is written to.

mod archive;
mod folder;
pub mod gradescope;
mod inner;
mod layout;
mod list;
mod student;

pub use archive::LARGEST_ARCHIVE;
pub use student::Student;

use crate::grade::Submitted;
use crate::hash;
use inner::Inner;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use system::files::FileError;

/// Most files that are looked at, links and folders among them.
const MOST_FILES: usize = 200_000;
/// Most bytes of kernels that are taken in all.
const MOST_BYTES: u64 = 256 << 20;
/// Largest kernel in bytes.
const LARGEST_KERNEL: u64 = compiler::compile::LARGEST_SOURCE;
/// Why a folder of an archive is not read.
const A_FOLDER: &str = "it is a folder";
/// Folders in folders at most.
const DEEPEST: usize = 24;

/// Why submissions cannot be taken at all.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// It cannot be read.
    #[error("cannot read the submissions {}: {source}", system::text::path(path))]
    Read {
        /// What was named.
        path: PathBuf,
        /// Why.
        source: FileError,
    },
    /// It is an archive, and a damaged or hostile one.
    #[error("{}: {message}", system::text::path(path))]
    Archive {
        /// What was named.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A list that cannot be read.
    #[error("{}: {message}", system::text::path(path))]
    List {
        /// What was named.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// There is nothing in it.
    #[error("{}: no kernel file (*.cu) in it{}", system::text::path(path), hint(passed_over))]
    Nothing {
        /// What was named.
        path: PathBuf,
        /// What there was.
        passed_over: Vec<Passed>,
    },
}

fn hint(passed_over: &[Passed]) -> String {
    passed_over
        .first()
        .map(|passed| format!(" that could be taken: {}: {}", passed.file, passed.why))
        .unwrap_or_default()
}

/// One kernel of one student.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// Who.
    pub student: Student,
    /// The exercise's name.
    pub exercise: String,
    /// Its name where it came from.
    pub file: String,
    /// Its bytes, or why there are none.
    pub kernel: Result<Vec<u8>, String>,
    /// When it was handed in, where that is known.
    pub time: Option<Timestamp>,
}

impl Submission {
    /// For the grade.
    pub fn submitted(&self) -> Submitted {
        let sha256 = self.kernel.as_ref().map(|bytes| digest(bytes)).unwrap_or_default();
        Submitted { file: self.file.clone(), sha256, time: self.time }
    }
}

/// SHA-256, as `sha256sum` prints it.
pub fn digest(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    crate::hex(&Sha256::digest(bytes))
}

/// Something that was not taken, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Passed {
    /// Its name where it came from.
    pub file: String,
    /// Why.
    pub why: String,
}

/// A student of whom there are files, and no kernel that could be taken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Without {
    /// Who.
    pub student: Student,
    /// Why.
    pub why: String,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Intake {
    /// The submissions, by student and exercise.
    pub submissions: Vec<Submission>,
    /// Kernel files that belong to nobody or to no exercise, links, and what else a teacher should know of.
    pub passed_over: Vec<Passed>,
    /// Students who would be missing in every table, because nothing of theirs was taken.
    pub without: Vec<Without>,
    /// How something was understood that may be meant otherwise.
    pub notes: Vec<String>,
}

/// What a teacher says about submissions.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// The exercise that files are for which do not say.
    pub exercise: Option<String>,
    /// Everything is this student's, wherever it lies: on a platform that grades one submission at a time.
    pub student: Option<Student>,
    /// The names of all exercises.
    pub exercises: Vec<String>,
    /// Those that the one student was to hand in: what is missing of them counts as handed in without a kernel.
    pub assigned: Vec<String>,
    /// Take times of change for times of handing in.
    pub file_times: bool,
    /// When everything was handed in that does not say itself.
    pub time: Option<Timestamp>,
}

/// A file as a folder or an archive lists it.
#[derive(Debug, Clone, Default)]
struct Listed {
    /// Folders and name.
    path: Vec<String>,
    /// When it was changed.
    time: Option<Timestamp>,
    /// Why it is not to be read, if it is not.
    refused: Option<String>,
    /// It lies in an archive in what was handed in, and in a folder of the archive's name.
    in_archive: bool,
}

impl Listed {
    fn name(&self) -> String {
        self.path.join("/")
    }

    fn ends_with(&self, extension: &str) -> bool {
        self.path.last().is_some_and(|name| name.to_lowercase().ends_with(extension))
    }
}

/// Where files are listed and read.
trait Tree {
    /// All files, in any order.
    fn list(&mut self) -> Result<Vec<Listed>, FileError>;
    /// The content of the one of that number.
    fn read(&mut self, index: usize, limit: u64) -> Result<Vec<u8>, FileError>;
}

/// Takes submissions from what a command line names.
///
/// # Errors
/// It cannot be read at all, or holds no kernel.
pub fn take(path: &Path, hints: &Hints) -> Result<Intake, IntakeError> {
    let read = |source: FileError| IntakeError::Read { path: path.to_path_buf(), source };
    let about = std::fs::metadata(path).map_err(|error| read(error.into()))?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase();
    let mut intake = if about.is_dir() {
        from_tree(&mut folder::Files::new(path).map_err(read)?, hints, false).map_err(read)?
    } else {
        match extension.as_str() {
            "csv" | "json" => list::take(path, hints)?,
            "cu" => single(path, hints).map_err(read)?,
            _ => {
                let bytes = system::files::read_named(path, LARGEST_ARCHIVE).map_err(read)?;
                let archive = |message| IntakeError::Archive { path: path.to_path_buf(), message };
                let mut archive = archive::Archive::open(bytes).map_err(|error| archive(error.to_string()))?;
                from_tree(&mut archive, hints, true).map_err(read)?
            }
        }
    };
    missing(&mut intake, hints);
    for submission in &mut intake.submissions {
        submission.time = submission.time.or(hints.time);
    }
    if intake.submissions.is_empty() {
        return Err(IntakeError::Nothing { path: path.to_path_buf(), passed_over: intake.passed_over });
    }
    intake
        .submissions
        .sort_by(|a, b| (&a.exercise, &a.student, a.time, &a.file).cmp(&(&b.exercise, &b.student, b.time, &b.file)));
    Ok(intake)
}

/// Adds what the one student was to hand in and did not: of a part of an assignment nobody has all of its points.
fn missing(intake: &mut Intake, hints: &Hints) {
    let Some(student) = &hints.student else { return };
    for exercise in &hints.assigned {
        if intake.submissions.iter().all(|submission| submission.exercise != *exercise) {
            let why = format!("no kernel file (*.cu) was handed in for it{}", hint(&intake.passed_over));
            intake.submissions.push(Submission {
                student: student.clone(),
                exercise: exercise.clone(),
                file: String::new(),
                kernel: Err(why),
                time: None,
            });
        }
    }
}

/// A kernel file by itself: its student is called after it.
fn single(path: &Path, hints: &Hints) -> Result<Intake, FileError> {
    let kernel = system::files::read_named(path, LARGEST_KERNEL)?;
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let listed = Listed { path: vec![file.clone()], ..Listed::default() };
    let mut found = layout::assign(&[listed], hints, false);
    let student = file.strip_suffix(".cu").unwrap_or(&file).to_owned();
    let named = hints.student.clone();
    let (exercise, student) = match found.kernels.pop() {
        Some(found) => (found.exercise, found.student),
        None => match &hints.exercise {
            Some(exercise) => (exercise.clone(), named.unwrap_or_else(|| Student::named(student))),
            None => return Ok(Intake { passed_over: found.passed_over, ..Intake::default() }),
        },
    };
    let submission = Submission { student, exercise, file, kernel: Ok(kernel), time: None };
    Ok(Intake { submissions: vec![submission], ..Intake::default() })
}

/// From a folder or an archive; archives inside it are opened too, but none inside those.
fn from_tree(tree: &mut dyn Tree, hints: &Hints, wrapped: bool) -> Result<Intake, FileError> {
    let mut listed = tree.list()?;
    let mut inner = Inner::default();
    let mut passed_over = inner.list(tree, &mut listed);
    let metadata = metadata(tree, &listed, &inner, &mut passed_over);
    let found = layout::assign(&listed, hints, wrapped);
    passed_over.extend(found.passed_over);
    let mut taken = 0;
    let mut submissions = Vec::new();
    for kernel in found.kernels {
        let about = &listed[kernel.index];
        let bytes = match kernel.refused {
            Some(why) => Err(why),
            None if taken > MOST_BYTES => Err("all submissions together have too many bytes".to_owned()),
            None => inner.read(tree, kernel.index).map_err(|error| error.to_string()),
        };
        taken += bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
        let of_file = about.time.filter(|_| hints.file_times);
        let known = metadata.of_path(&about.path).filter(|_| hints.student.is_none());
        let (students, time) = known.unwrap_or_else(|| (vec![kernel.student], None));
        for student in students {
            submissions.push(Submission {
                student,
                exercise: kernel.exercise.clone(),
                file: about.name(),
                kernel: bytes.clone(),
                time: time.or(of_file),
            });
        }
    }
    let notes = found.around.filter(|folder| !gradescope::is_export(folder)).map(|folder| {
        let folder = system::text::line(&folder).into_owned();
        format!("everything lies in the folder {folder}, which is taken for nobody's name")
    });
    let without = found.without.into_iter().flat_map(|(index, Without { student, why })| {
        let known = metadata.of_path(&listed[index].path).map_or_else(|| vec![student], |(students, _)| students);
        known.into_iter().map(move |student| Without { student, why: why.clone() })
    });
    Ok(Intake { submissions, passed_over, without: without.collect(), notes: notes.into_iter().collect() })
}

/// Gradescope's word for who is behind its folders; only beside them, never out of what a student handed in.
fn metadata(
    tree: &mut dyn Tree,
    listed: &[Listed],
    inner: &Inner,
    passed_over: &mut Vec<Passed>,
) -> gradescope::Metadata {
    let export = gradescope::export(listed.iter().map(|file| file.path.as_slice()));
    let is_it = |(index, file): &(usize, &Listed)| {
        file.path.split_last().is_some_and(|(name, folders)| name == gradescope::NAME && folders == export)
            && file.refused.is_none()
            && inner.place(*index).is_none()
    };
    let found = listed.iter().enumerate().find(is_it);
    for (_, other) in listed.iter().enumerate().filter(|(index, other)| {
        other.path.last().is_some_and(|name| name == gradescope::NAME) && found.is_none_or(|(own, _)| own != *index)
    }) {
        let why = "it lies in what was handed in, and says nothing about students and times".to_owned();
        passed_over.push(Passed { file: other.name(), why });
    }
    let Some((index, file)) = found else { return gradescope::Metadata::default() };
    let read = tree.read(index, gradescope::LARGEST).map_err(|error| error.to_string());
    read.and_then(|bytes| gradescope::Metadata::read(&bytes, export.len())).unwrap_or_else(|why| {
        let why = format!("{why}: students are called after their folders");
        passed_over.push(Passed { file: file.name(), why });
        gradescope::Metadata::default()
    })
}

/// What a submission is told apart by, for files that are called after it.
pub fn identity(student: &Student, exercise: &str, submitted: &Submitted) -> String {
    let time = submitted.time.map(|time| time.to_string()).unwrap_or_default();
    let id = student.id.as_deref().unwrap_or_default();
    // Nothing that was handed in twice in vain is told apart by its content.
    let file = if submitted.sha256.is_empty() { submitted.file.as_str() } else { "" };
    let parts = [student.name.as_str(), id, exercise, &submitted.sha256, &time, file];
    hash(parts.map(str::as_bytes))
}
