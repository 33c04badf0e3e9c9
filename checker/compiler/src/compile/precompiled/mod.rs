//! Precompiled headers: what libcu++ costs, two seconds of processor time, is paid once and not at every save.
//!
//! ```text
//! source -> #include lines at its top (includes) -> key -> child: addresses fixed, header there? -> use it -> same result
//!                                                              \-> not there: compile all; then a process makes it (child)
//! ```
//!
//! A header is made from nothing but those `#include` lines, with the same options. Whatever goes wrong, the whole text is
//! compiled, as on a system that has no such headers; NVRTC itself compares directives, options and the place in memory.
//!
//! It is made after the first compilation that would have used it, by a process of its own: the first report is not later for it,
//! and the first change already gains. That process steps back behind all others, holds no terminal or pipe, ends by itself, and
//! stays in the reader's group of processes, so that Ctrl-C and the end of a container end it too.

pub(super) mod child;
mod includes;
pub(super) mod store;

use super::nvrtc_child::{self, ChildError};
use super::standard::LATER;
use super::wire::{self, CompileAnswer, Header, HeaderUse, Reply};
use super::{CompileRequest, Limits, headers, is_header};
use crate::toolchain::home::{Home, plain_headers};
use crate::toolchain::{Toolchain, short_hash};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The first NVRTC that has them.
const OLDEST: (u32, u32) = (12, 8);

/// A header that a source could use.
pub(super) struct Wanted {
    /// Where it lies, without the addresses that it is for.
    stem: PathBuf,
    /// The `#include` lines that it is made from.
    text: String,
}

/// The header for a source, if one is worth it and may be used.
pub(super) fn wanted(
    home: &Home,
    toolchain: &Toolchain,
    request: &CompileRequest,
    options: &[String],
) -> Option<Wanted> {
    // What is C++20 is too rare.
    let rare = options.iter().any(|option| option == LATER);
    if !can_be_used(toolchain) || rare {
        return None;
    }
    let text = includes::worth_keeping(&request.source, |name| is_header(&toolchain.includes, name))?;
    // A file beside the source may stand for one of CUDA's, also for CUDA's own headers.
    if !request.headers.is_empty() && may_stand_for(&request.headers, &toolchain.includes) {
        return None;
    }
    let mut parts: Vec<&[u8]> = vec![toolchain.id.as_bytes(), text.as_bytes()];
    parts.extend(options.iter().map(|option| option.as_bytes()));
    parts.extend(headers::ALL.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]));
    Some(Wanted { stem: home.precompiled().join(short_hash(&parts)), text })
}

/// Has one of the headers beside a source the name of one of the compiler's, in whatever folder, or none that ends like a header's?
fn may_stand_for(beside: &[(String, String)], includes: &[PathBuf]) -> bool {
    let last = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
    let names: HashSet<String> = beside.iter().map(|(name, _)| last(name)).collect();
    let plain = names.iter().all(|name| name.contains('.'));
    let stand_in = headers::ALL.iter().any(|(name, _)| names.contains(&last(name)));
    !plain || stand_in || includes.iter().any(|folder| has_file(folder, &names, DEEPEST))
}

/// Deepest folder of the compiler's headers; what lies deeper might have any name.
const DEEPEST: usize = 16;

/// Lies a file of one of these names in a folder or below? Where that cannot be known, it may.
fn has_file(folder: &Path, names: &HashSet<String>, deepest: usize) -> bool {
    let Some((deepest, entries)) = deepest.checked_sub(1).zip(std::fs::read_dir(folder).ok()) else { return true };
    entries.into_iter().any(|entry| {
        let Ok(entry) = entry else { return true };
        let named = entry.file_name().to_str().is_none_or(|name| names.contains(name));
        let folder = entry.file_type().is_ok_and(|kind| !kind.is_file()) && entry.path().is_dir();
        named || folder && has_file(&entry.path(), names, deepest)
    })
}

fn can_be_used(toolchain: &Toolchain) -> bool {
    cfg!(target_os = "linux") && toolchain.nvrtc_version >= OLDEST && !plain_headers()
}

/// Compiles, with the header if there is one.
pub(super) fn compile(
    library: &Path,
    compile: wire::Compile,
    wanted: Option<Wanted>,
    limits: Limits,
) -> Result<Reply, ChildError> {
    let Some(wanted) = wanted else { return nvrtc_child::run(library, Some(compile), None, limits) };
    let there = store::has_any(&wanted.stem);
    let header = Header::Use(wanted.stem.clone());
    let tried = nvrtc_child::run(library, Some(compile.clone()), Some(header), limits);
    let at_fault = match &tried {
        Ok(Reply { header: HeaderUse::Refused, .. }) => true,
        Ok(Reply { header: HeaderUse::Used(_), answer, .. }) => matches!(answer, CompileAnswer::Failed { .. }),
        Err(ChildError::Crashed(_)) => there,
        _ => false,
    };
    if at_fault {
        let plain = nvrtc_child::run(library, Some(compile), None, limits)?;
        store::condemn(&wanted.stem);
        return Ok(plain);
    }
    match &tried {
        Ok(Reply { header: HeaderUse::Used(file), .. }) => store::touch(file),
        Ok(Reply { header: HeaderUse::Missing, answer: CompileAnswer::Compiled { .. }, .. })
            if store::is_worth_making(&wanted.stem) =>
        {
            // Nothing that lies beside the source is in it.
            let (source, expressions, headers) = (wanted.text, Vec::new(), Vec::new());
            let header = wire::Compile { source, expressions, headers, ..compile };
            // Without it everything works as before.
            let _ = nvrtc_child::start(library, header, Header::Make(wanted.stem), limits);
        }
        _ => {}
    }
    tried
}

/// For `doctor`: whether they are in use here, and if not, why.
pub(crate) enum Use {
    /// They are: so many are kept, in so many bytes.
    Possible {
        /// Headers.
        kept: usize,
        /// Bytes of disk.
        bytes: u64,
    },
    /// `WARPBOOK_PCH=0`.
    Off,
    /// NVRTC has none, or the system none.
    Lacking,
    /// Addresses are the system's choice.
    Unplaced,
}

/// Tries it in a child of its own.
pub(crate) fn examine(home: &Home, toolchain: &Toolchain) -> Use {
    if plain_headers() {
        return Use::Off;
    }
    if !can_be_used(toolchain) {
        return Use::Lacking;
    }
    let none = home.precompiled().join("none");
    match nvrtc_child::run(&toolchain.nvrtc, None, Some(Header::Use(none)), Limits::default()) {
        Ok(Reply { header: HeaderUse::Impossible, .. }) => Use::Unplaced,
        _ => {
            let (kept, bytes) = store::size(&home.precompiled());
            Use::Possible { kept, bytes }
        }
    }
}
