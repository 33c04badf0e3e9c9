//! What pages ask the server for, and the answers: JSON both ways. docs/page.md has the table.

use super::super::job::{JobOrder, Work};
use super::desk::{Desk, DeskError, Saved};
use super::guard::Role;
use super::jobs::{Listener, Queue, QueueError, Whose};
use crate::progress::{ProgressError, Store};
use problem::Kind;
use serde::Deserialize;
use serde_json::{Value, json};
use std::net::IpAddr;
use std::process::Command;
use std::sync::Arc;

/// Most bytes of a question: a kernel file's text, escaped.
pub const LARGEST: usize = 4 << 20;

/// Everything that answers are made from.
#[derive(Debug)]
pub struct Api {
    /// The reader's files.
    pub desk: Desk,
    /// The jobs.
    pub queue: Arc<Queue>,
    /// Jobs at the same time.
    pub jobs: usize,
    /// The GPU's name, where there is one.
    pub gpu: Option<String>,
    /// Exercises in the book's order: name, title and page.
    pub exercises: Vec<Exercise>,
}

/// An exercise as pages know it.
#[derive(Debug, serde::Serialize)]
pub struct Exercise {
    /// "ex01".
    pub name: String,
    /// Its title.
    pub title: String,
    /// The page it is on, without an extension.
    pub page: String,
    /// How many hints it has.
    pub hints: usize,
}

/// A question, and who asks it.
#[derive(Debug)]
pub struct Question<'a> {
    /// "GET", "POST", "PUT".
    pub method: &'a str,
    /// The path's parts after `/api/`.
    pub path: Vec<&'a str>,
    /// The body.
    pub body: &'a [u8],
    /// Who.
    pub role: Role,
    /// From where.
    pub from: IpAddr,
}

/// An answer.
#[derive(Debug)]
pub enum Answer {
    /// At once.
    Value(u16, Value),
    /// As it comes.
    Job(Listener),
}

impl Answer {
    fn of(value: impl serde::Serialize) -> Self {
        Self::Value(200, json!(value))
    }

    /// In words.
    pub fn error(status: u16, words: impl std::fmt::Display) -> Self {
        Self::Value(status, json!({ "error": words.to_string() }))
    }
}

impl From<DeskError> for Answer {
    fn from(error: DeskError) -> Self {
        let status = match &error {
            DeskError::Unknown(_) => 404,
            DeskError::TooLarge => 413,
            DeskError::NoText(_) => 422,
            DeskError::File { .. } | DeskError::Fault(_) => 507,
        };
        Self::error(status, error)
    }
}

impl From<ProgressError> for Answer {
    fn from(error: ProgressError) -> Self {
        Self::error(507, error)
    }
}

impl From<QueueError> for Answer {
    fn from(full: QueueError) -> Self {
        Self::error(503, full)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Save {
    text: String,
    /// Hash of the text that the writer began with.
    seen: String,
    #[serde(default)]
    anyway: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keep {
    text: String,
    /// A kernel file that is not an exercise's own.
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hints {
    /// How many hints are wanted.
    first: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Job {
    page: String,
    work: Work,
}

impl Api {
    /// Answers a question.
    pub fn answer(&self, question: &Question<'_>) -> Answer {
        self.answered(question).unwrap_or_else(|refusal| refusal)
    }

    fn answered(&self, question: &Question<'_>) -> Result<Answer, Answer> {
        match (question.method, &question.path[..]) {
            ("GET", ["state"]) => self.state(question.role),
            ("GET", ["kernel", name]) => {
                let problem = self.desk.exercise(name)?;
                let text = match question.role {
                    Role::Owner => self.desk.read(&problem)?,
                    // Whose answer is in the file is nobody's business.
                    Role::Guest => self.desk.starter(&problem)?,
                };
                Ok(Answer::of(text))
            }
            ("PUT", ["kernel", name]) => {
                let save: Save = question.owner()?.read()?;
                let problem = self.desk.exercise(name)?;
                Ok(match self.desk.save(&problem, &save.text, &save.seen, save.anyway)? {
                    Saved::As(text) => Answer::of(json!({ "hash": text.hash, "kept": text.kept })),
                    // An answer, no failure: browsers write those into the reader's console.
                    Saved::Conflict(text) => Answer::of(json!({ "conflict": text })),
                })
            }
            ("POST", ["reset", name]) => {
                let problem = self.desk.exercise(name)?;
                Ok(Answer::of(match question.role {
                    Role::Owner => self.desk.reset(&problem)?,
                    Role::Guest => self.desk.starter(&problem)?,
                }))
            }
            ("POST", ["hints", name]) => self.hints(question, name),
            ("GET", ["solution", name]) => Ok(Answer::of(self.desk.solution(&self.desk.exercise(name)?)?)),
            ("POST", ["keep"]) => {
                let keep: Keep = question.owner()?.read()?;
                let kept = match (&keep.name, &keep.file) {
                    (Some(name), None) => self.desk.keep(&self.desk.exercise(name)?, &keep.text)?,
                    (None, Some(file)) => self.desk.keep_beside(file, &keep.text)?,
                    _ => return Err(Answer::error(400, "either `name` or `file` says what is kept")),
                };
                Ok(Answer::of(json!({ "kept": kept })))
            }
            ("POST", ["job"]) => self.job(question),
            _ => Err(Answer::error(404, "the server knows no such question; next: reload the page")),
        }
    }

    /// What is solved, and what this server can do.
    fn state(&self, role: Role) -> Result<Answer, Answer> {
        let (progress, _) = Store::of(self.desk.workbook().root()).load()?;
        let (solved, hints) = match role {
            Role::Owner => (json!(progress.solved.keys().collect::<Vec<_>>()), json!(progress.hints)),
            Role::Guest => (json!([]), json!({})),
        };
        Ok(Answer::of(json!({
            "role": role.name(),
            "gpu": self.gpu.as_ref().filter(|_| role == Role::Owner),
            "exercises": self.exercises,
            "solved": solved,
            "hints": hints,
        })))
    }

    /// The first few hints; of the owner it is kept how many were shown.
    fn hints(&self, question: &Question<'_>, name: &str) -> Result<Answer, Answer> {
        let Hints { first } = question.read()?;
        let problem = self.desk.exercise(name)?;
        let hints = &problem.manifest.hints;
        let first = first.min(hints.len());
        if question.role == Role::Owner {
            let shown = |progress: &mut crate::progress::Progress| {
                let count = progress.hints.entry(name.to_owned()).or_default();
                *count = first.max(*count);
            };
            // A hint is shown whether or not it can be remembered that it was.
            let _ = Store::of(self.desk.workbook().root()).update(shown);
        }
        Ok(Answer::of(json!({ "hints": &hints[..first], "of": hints.len() })))
    }

    fn job(&self, question: &Question<'_>) -> Result<Answer, Answer> {
        let Job { page, work } = question.read()?;
        match &work {
            Work::Check { name, text, gpu } => {
                let problem = self.desk.workbook().get(name).map_err(|error| Answer::error(404, error))?;
                if !matches!(problem.kind, Kind::Exercise | Kind::Pair) {
                    return Err(Answer::error(404, format!("`{name}` has no kernel to check here")));
                }
                let guest = question.role == Role::Guest;
                if guest && (text.is_none() || *gpu) {
                    return Err(Answer::error(
                        403,
                        "in a class room the text on the page is checked, on the simulator",
                    ));
                }
                if *gpu && self.gpu.is_none() {
                    return Err(Answer::error(409, "there is no GPU here"));
                }
            }
            Work::Compile { file, .. } => {
                // What the book shows lies in the workbook; nothing else is read.
                let path = self.desk.workbook().root().join(file);
                let inside = self.desk.workbook().inside(&path);
                if inside.is_none_or(|inside| inside != std::path::Path::new(file)) {
                    return Err(Answer::error(404, "the workbook has no such kernel file"));
                }
            }
        }
        let whose = Whose { page, guest: (question.role == Role::Guest).then_some(question.from) };
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let order = JobOrder { work, workers: (cores / self.jobs.max(1)).max(1) };
        let order = serde_json::to_vec(&order).map_err(|error| Answer::error(500, error))?;
        let program = system::itself::program().map_err(|error| Answer::error(500, error))?;
        let root = self.desk.workbook().root();
        let mut command = Command::new(program);
        command.args(["--quiet", "--workbook"]).arg(root).args(["book", "job"]).current_dir(root);
        Ok(Answer::Job(self.queue.start(whose, command, order)?))
    }
}

impl Question<'_> {
    fn owner(&self) -> Result<&Self, Answer> {
        match self.role {
            Role::Owner => Ok(self),
            Role::Guest => Err(Answer::error(403, "in a class room texts stay on their page; nothing is written here")),
        }
    }

    fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T, Answer> {
        serde_json::from_slice(self.body).map_err(|error| Answer::error(400, format!("the question: {error}")))
    }
}
