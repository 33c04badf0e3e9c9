//! What pages ask the server for, and the answers: JSON both ways. docs/page.md has the table.

use super::super::job::{JobOrder, PageJob};
use super::desk::{Desk, DeskError, Saved};
use super::guard::Visitor;
use super::jobs::{Listener, Queue, QueueError, Whose};
use command::progress::{ProgressError, Store};
use problem::Kind;
use serde::Deserialize;
use serde_json::{Value, json};
use std::net::IpAddr;
use std::process::Command;
use std::sync::Arc;

/// Most bytes of a request: a kernel file's text, escaped.
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

/// A request, and who asks it.
#[derive(Debug)]
pub struct ApiRequest<'a> {
    /// "GET", "POST", "PUT".
    pub method: &'a str,
    /// The path's parts after `/api/`.
    pub path: Vec<&'a str>,
    /// The body.
    pub body: &'a [u8],
    /// Who.
    pub visitor: Visitor,
    /// From where.
    pub from: IpAddr,
}

/// An answer.
#[derive(Debug)]
pub enum ApiAnswer {
    /// At once.
    Value(u16, Value),
    /// As it comes.
    Job(Listener),
}

impl ApiAnswer {
    fn of(value: impl serde::Serialize) -> Self {
        Self::Value(200, json!(value))
    }

    /// In words.
    pub fn error(status: u16, words: impl std::fmt::Display) -> Self {
        Self::Value(status, json!({ "error": words.to_string() }))
    }
}

impl From<DeskError> for ApiAnswer {
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

impl From<ProgressError> for ApiAnswer {
    fn from(error: ProgressError) -> Self {
        Self::error(507, error)
    }
}

impl From<QueueError> for ApiAnswer {
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
    work: PageJob,
}

impl Api {
    /// Answers a request.
    pub fn answer(&self, request: &ApiRequest<'_>) -> ApiAnswer {
        self.answered(request).unwrap_or_else(|refusal| refusal)
    }

    fn answered(&self, request: &ApiRequest<'_>) -> Result<ApiAnswer, ApiAnswer> {
        match (request.method, &request.path[..]) {
            ("GET", ["state"]) => self.state(request.visitor),
            ("GET", ["kernel", name]) => {
                let problem = self.desk.exercise(name)?;
                let text = match request.visitor {
                    Visitor::Owner => self.desk.read(&problem)?,
                    // Whose answer is in the file is nobody's business.
                    Visitor::Guest => self.desk.starter(&problem)?,
                };
                Ok(ApiAnswer::of(text))
            }
            ("PUT", ["kernel", name]) => {
                let save: Save = request.owner()?.read()?;
                let problem = self.desk.exercise(name)?;
                Ok(match self.desk.save(&problem, &save.text, &save.seen, save.anyway)? {
                    Saved::As(text) => ApiAnswer::of(json!({ "hash": text.hash, "kept": text.kept })),
                    // An answer, no failure: browsers write those into the reader's console.
                    Saved::Conflict(text) => ApiAnswer::of(json!({ "conflict": text })),
                })
            }
            ("POST", ["reset", name]) => {
                let problem = self.desk.exercise(name)?;
                Ok(ApiAnswer::of(match request.visitor {
                    Visitor::Owner => self.desk.reset(&problem)?,
                    Visitor::Guest => self.desk.starter(&problem)?,
                }))
            }
            ("POST", ["hints", name]) => self.hints(request, name),
            ("GET", ["solution", name]) => Ok(ApiAnswer::of(self.desk.solution(&self.desk.exercise(name)?)?)),
            ("POST", ["keep"]) => {
                let keep: Keep = request.owner()?.read()?;
                let kept = match (&keep.name, &keep.file) {
                    (Some(name), None) => self.desk.keep(&self.desk.exercise(name)?, &keep.text)?,
                    (None, Some(file)) => self.desk.keep_beside(file, &keep.text)?,
                    _ => return Err(ApiAnswer::error(400, "either `name` or `file` says what is kept")),
                };
                Ok(ApiAnswer::of(json!({ "kept": kept })))
            }
            ("POST", ["job"]) => self.job(request),
            _ => Err(ApiAnswer::error(404, "the server knows no such question; next: reload the page")),
        }
    }

    /// What is solved, and what this server can do.
    fn state(&self, visitor: Visitor) -> Result<ApiAnswer, ApiAnswer> {
        let (progress, _) = Store::of(self.desk.workbook().root()).load()?;
        let (solved, hints) = match visitor {
            Visitor::Owner => (json!(progress.solved.keys().collect::<Vec<_>>()), json!(progress.hints)),
            Visitor::Guest => (json!([]), json!({})),
        };
        Ok(ApiAnswer::of(json!({
            "role": visitor.name(),
            "gpu": self.gpu.as_ref().filter(|_| visitor == Visitor::Owner),
            "exercises": self.exercises,
            "solved": solved,
            "hints": hints,
        })))
    }

    /// The first few hints; of the owner it is kept how many were shown.
    fn hints(&self, request: &ApiRequest<'_>, name: &str) -> Result<ApiAnswer, ApiAnswer> {
        let Hints { first } = request.read()?;
        let problem = self.desk.exercise(name)?;
        let hints = &problem.manifest.hints;
        let first = first.min(hints.len());
        if request.visitor == Visitor::Owner {
            let shown = |progress: &mut command::progress::Progress| {
                let count = progress.hints.entry(name.to_owned()).or_default();
                *count = first.max(*count);
            };
            // A hint is shown whether or not it can be remembered that it was.
            let _ = Store::of(self.desk.workbook().root()).update(shown);
        }
        Ok(ApiAnswer::of(json!({ "hints": &hints[..first], "of": hints.len() })))
    }

    fn job(&self, request: &ApiRequest<'_>) -> Result<ApiAnswer, ApiAnswer> {
        let Job { page, work } = request.read()?;
        match &work {
            PageJob::Check { name, text, gpu } => {
                let problem = self.desk.workbook().get(name).map_err(|error| ApiAnswer::error(404, error))?;
                if !matches!(problem.kind, Kind::Exercise | Kind::Pair) {
                    return Err(ApiAnswer::error(404, format!("`{name}` has no kernel to check here")));
                }
                let guest = request.visitor == Visitor::Guest;
                if guest && (text.is_none() || *gpu) {
                    return Err(ApiAnswer::error(
                        403,
                        "in a class room the text on the page is checked, on the simulator",
                    ));
                }
                if *gpu && self.gpu.is_none() {
                    return Err(ApiAnswer::error(409, "there is no GPU here"));
                }
            }
            PageJob::Compile { file, .. } => {
                // What the book shows lies in the workbook; nothing else is read.
                let path = self.desk.workbook().root().join(file);
                let inside = self.desk.workbook().inside(&path);
                if inside.is_none_or(|inside| inside != std::path::Path::new(file)) {
                    return Err(ApiAnswer::error(404, "the workbook has no such kernel file"));
                }
            }
        }
        let whose = Whose { page, guest: (request.visitor == Visitor::Guest).then_some(request.from) };
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let order = JobOrder { work, workers: (cores / self.jobs.max(1)).max(1) };
        let order = serde_json::to_vec(&order).map_err(|error| ApiAnswer::error(500, error))?;
        let program = system::itself::program().map_err(|error| ApiAnswer::error(500, error))?;
        let root = self.desk.workbook().root();
        let mut command = Command::new(program);
        command.args(["--quiet", "--workbook"]).arg(root).args(["book", "job"]).current_dir(root);
        Ok(ApiAnswer::Job(self.queue.start(whose, command, order)?))
    }
}

impl ApiRequest<'_> {
    fn owner(&self) -> Result<&Self, ApiAnswer> {
        match self.visitor {
            Visitor::Owner => Ok(self),
            Visitor::Guest => {
                Err(ApiAnswer::error(403, "in a class room texts stay on their page; nothing is written here"))
            }
        }
    }

    fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T, ApiAnswer> {
        serde_json::from_slice(self.body).map_err(|error| ApiAnswer::error(400, format!("the question: {error}")))
    }
}
