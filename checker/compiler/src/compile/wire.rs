//! What the checker and its compiling child say to each other, and how a compiled result lies in the cache: a JSON
//! head with lengths, then PTX and CUBIN as they are.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Rises when the messages change, or what a compilation gives: a stale child is told apart from a broken one, and kept results count
/// no more.
pub const PROTOCOL: u32 = 5;

/// Status of a child that did not take its job. A number, because the two are of different builds then: neither need understand
/// the other's messages.
pub const NOT_TAKEN: i32 = 2;

/// What the child is asked.
#[derive(Debug, Serialize, Deserialize)]
pub struct Job {
    pub protocol: u32,
    /// The NVRTC library.
    pub library: PathBuf,
    /// Address space in bytes.
    pub memory: u64,
    /// CPU seconds.
    pub cpu_seconds: u64,
    /// Whether to confine the file system by Landlock.
    pub landlock: bool,
    /// Nothing: say version and architectures.
    pub compile: Option<Compile>,
    /// Nothing: compile the whole text.
    pub header: Option<Header>,
}

/// What a job has to do with a precompiled header, by its name without the addresses that it is for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Header {
    /// Take it, if it is there.
    Use(PathBuf),
    /// Make it from the source, which is nothing but `#include` lines. Nobody reads the answer.
    Make(PathBuf),
}

/// What became of [`Header::Use`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeaderUse {
    /// None was asked for.
    #[default]
    Unasked,
    /// This process's addresses are not its own to choose, or NVRTC is too old.
    Impossible,
    /// There is none yet.
    Missing,
    /// It is being made, or could not be made a short while ago.
    Attempted,
    /// It was read.
    Used(PathBuf),
    /// NVRTC compiled the whole text instead, and says so in its log.
    Refused,
}

/// One compilation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Compile {
    /// What NVRTC calls the file.
    pub name: String,
    pub source: String,
    /// Headers in memory besides the checker's own, as (name, text).
    pub headers: Vec<(String, String)>,
    /// The only folders that may be read.
    pub includes: Vec<PathBuf>,
    pub options: Vec<String>,
    pub expressions: Vec<String>,
}

/// The header of a reply and of a cache entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Head {
    pub protocol: u32,
    pub answer: CompileAnswer,
    pub header: HeaderUse,
    /// Length of the PTX that follows, in bytes.
    pub ptx: usize,
    /// Length of the CUBIN after it, in bytes.
    pub cubin: usize,
}

/// What the child answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum CompileAnswer {
    /// Version and architectures.
    Probed { version: (u32, u32), archs: Vec<u32> },
    /// Compiled.
    Compiled {
        names: Vec<String>,
        log: String,
        confined: bool,
        /// See [`system::calls`].
        closed: bool,
    },
    /// The source does not compile.
    Rejected { log: String, confined: bool },
    /// NVRTC failed in a way that is not the source's fault, or is not known to be.
    Failed { reason: String, log: String },
    /// The library could not be loaded.
    Unloadable { reason: String },
}

/// A reply, taken apart.
#[derive(Debug, Clone)]
pub struct Reply {
    pub answer: CompileAnswer,
    pub header: HeaderUse,
    /// Empty unless it compiled.
    pub ptx: String,
    pub cubin: Vec<u8>,
}

impl From<CompileAnswer> for Reply {
    fn from(answer: CompileAnswer) -> Reply {
        Reply { answer, header: HeaderUse::default(), ptx: String::new(), cubin: Vec::new() }
    }
}

/// Head length (little endian, 8 bytes), head, PTX, CUBIN.
pub fn encode(reply: &Reply) -> Vec<u8> {
    let Reply { answer, header, ptx, cubin } = reply;
    let (answer, header) = (answer.clone(), header.clone());
    let head = Head { protocol: PROTOCOL, answer, header, ptx: ptx.len(), cubin: cubin.len() };
    let head = serde_json::to_vec(&head).unwrap_or_default();
    let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
    bytes.extend(head);
    bytes.extend(ptx.as_bytes());
    bytes.extend(cubin);
    bytes
}

/// The opposite of [`encode`]; `None` where anything is not as it should be.
pub fn decode(bytes: &[u8]) -> Option<Reply> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let (head, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let head: Head = serde_json::from_slice(head).ok()?;
    let (ptx, cubin) = rest.split_at_checked(head.ptx)?;
    if head.protocol != PROTOCOL || cubin.len() != head.cubin {
        return None;
    }
    let ptx = String::from_utf8(ptx.to_vec()).ok()?;
    Some(Reply { answer: head.answer, header: head.header, ptx, cubin: cubin.to_vec() })
}
