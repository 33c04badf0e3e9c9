//! A `.cu` file as its owner wrote it, with its host code: what of it is for the device.
//!
//! ```text
//! text -> lexer -> items (declarations) -> part (host code blanked, lines stay) -> compiler
//!                  headers (beside the file)      ^---- what the compiler refuses and no kernel needs ----'
//! text -> host (its launches) -> heads (kernels, parameters) -> guess, places (buffers), turns (loops) -> launch_lines
//! ```
//!
//! Only `checker run FILE.cu` and `checker sass FILE.cu` of files that belong to no problem read files this way. What is
//! judged is compiled as it stands.

mod begins;
mod branches;
mod buffers;
mod classes;
mod constructors;
mod enums;
mod guess;
mod headers;
mod heads;
mod host;
pub(crate) mod items;
mod launch_lines;
pub(crate) mod lexer;
pub(crate) mod macros;
mod made;
mod part;
mod places;
mod references;
mod shape;
mod shared;
mod summary;
mod symbols;
mod taken;
mod templates;
#[cfg(test)]
mod tests;
mod texels;
mod thrust;
mod turns;
mod uses;

pub use heads::KernelHead;
pub use part::{Skipped, Why};
pub use summary::notes;

use crate::compile::{self, CompileError, CompileRequest, Compiled, Diagnostic, Severity};
use crate::toolchain::Toolchain;
use begins::Begins;
use classes::{Class, classes};
use headers::Headers;
use heads::Names;
use host::Constants;
use items::Item;
use lexer::Token;
use macros::Macros;
use part::Part;
use references::References;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};
use symbols::Symbol;

/// Most times that the compiler is asked about one file, and how long it is asked anew.
const MOST_TRIES: usize = 12;
const ASKED_FOR: Duration = Duration::from_secs(60);

/// A file read as its owner wrote it.
#[derive(Debug, Clone)]
pub struct OwnCode {
    /// The file first, then its headers.
    parts: Vec<Part>,
    /// Is every kernel wanted, whatever a request names?
    pub every_kernel: bool,
    /// What is left out, in order of its finding.
    pub skipped: Vec<Skipped>,
}

impl OwnCode {
    /// Reads the device's part of a file, and the headers beside it.
    pub fn read(toolchain: &Toolchain, path: &Path, text: &str) -> OwnCode {
        let known = |name: &str| compile::is_header(&toolchain.includes, name);
        let mut headers = Headers::of(path, &known);
        let mut texts = vec![(String::new(), text.to_owned())];
        // All macros first: an annotation's name may come from any header.
        let mut macros = Macros::default();
        let mut at = 0;
        while let Some((file, text)) = texts.get(at).cloned() {
            let tokens = lexer::tokens(&text);
            macros.add(&tokens);
            for (_, name) in part::included(&tokens) {
                headers.include(&file, &name);
            }
            texts.extend(std::iter::from_fn(|| headers.next()));
            at += 1;
        }
        let mut skipped = Vec::new();
        let parts = texts
            .iter()
            .map(|(file, text)| Part::new(file, text, &macros, &mut |name| headers.include(file, name), &mut skipped))
            .collect();
        OwnCode { parts, every_kernel: false, skipped }
    }

    /// Is it device code only, of one file, as every kernel file of the workbook is?
    pub fn is_plain(&self) -> bool {
        self.parts.len() == 1 && self.parts[0].is_plain()
    }

    /// The headers that were read, by their path below the file's folder.
    pub fn headers(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().skip(1).map(|part| part.file.as_str())
    }

    /// The headers' texts by those paths, as they stand in their files.
    pub fn header_texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.iter().skip(1).map(|part| (part.file.as_str(), part.original()))
    }

    /// The templates among the kernels, each with how to ask for an instance.
    pub fn templates(&self) -> Vec<String> {
        let ask = |kernel: &KernelHead| {
            let instance = kernel.instance();
            let name = &kernel.name;
            format!("`{name}` is a template and has no machine code of its own: --kernel '{instance}'")
        };
        self.kernels().iter().filter(|kernel| !kernel.instance.is_empty()).map(ask).collect()
    }

    /// If all kernels are templates: an instance of each, as the host launches it or as a guess.
    pub fn only_instances(&self) -> Vec<String> {
        let kernels = self.kernels();
        let all = kernels.iter().all(|kernel| !kernel.instance.is_empty());
        if all { kernels.iter().map(KernelHead::instance).collect() } else { Vec::new() }
    }

    /// `//@` lines made from the kernels' own parameters and from what the host says: a first guess to be pasted and corrected; none
    /// without kernels.
    pub fn launch_lines(&self) -> Vec<String> {
        let (kernels, symbols, begins) = self.read_declarations();
        launch_lines::launch_lines(&kernels, &symbols, &begins)
    }

    /// The file's kernels, those of its headers last, each name once.
    pub fn kernels(&self) -> Vec<KernelHead> {
        self.read_declarations().0
    }

    /// The kernels, the constant memory that the host fills, and what other memory begins with.
    fn read_declarations(&self) -> (Vec<KernelHead>, Vec<Symbol>, Begins) {
        let mut texts: Vec<_> = self.parts.iter().map(|part| lexer::tokens(part.original())).collect();
        let dead = left_out(&texts);
        let alive = |part: usize, item: &&Item| !dead[part].iter().any(|range| range.contains(&item.span.start));
        let items = |part: usize| self.parts[part].items().filter(move |item| alive(part, item));
        // Of branches that nobody can choose from, the first one counts.
        let mut aliases: HashMap<String, String> = HashMap::new();
        for part in 0..self.parts.len() {
            let text = self.parts[part].original();
            let named = |item: &Item| heads::alias(item, text).or_else(|| enums::alias(item, text));
            for (name, ty) in items(part).filter_map(named) {
                aliases.entry(name).or_insert(ty);
            }
        }
        for (text, dead) in texts.iter_mut().zip(&dead) {
            text.retain(|token| !dead.iter().any(|range| range.contains(&token.start)));
        }
        for (name, body) in texts.iter().flat_map(|text| macros::types(text)) {
            aliases.entry(name).or_insert(body);
        }
        let known = |word: &str| heads::resolved(word, &aliases);
        let classes = (0..self.parts.len()).flat_map(|part| classes(items(part), self.parts[part].original(), &known));
        let classes: HashMap<_, _> = classes.collect();
        let mut types = host::Types::default();
        for part in 0..self.parts.len() {
            types.add(items(part), self.parts[part].original());
        }
        let bytes = |class: &Class| class.cells.map(|(ty, each)| guess::scalar(ty) as i64 * i64::from(each));
        let sizes = classes.iter().filter_map(|(name, class)| Some((name.clone(), bytes(class)?))).collect();
        let constants = Constants::of(&texts[0], &texts[1..]).with_sizes(sizes);
        let constants = host::with_wrappers(constants, &types, &items(0).collect::<Vec<_>>(), &texts[0]);
        let filled = symbols::filled(&texts);
        let mut found: Vec<Symbol> = Vec::new();
        for part in 0..self.parts.len() {
            let text = self.parts[part].original();
            for symbol in items(part).flat_map(|item| symbols::declared(item, text, &constants, &classes, &known)) {
                let wanted = filled.contains(&part::last(&symbol.name));
                if wanted && !found.iter().any(|known| known.name == symbol.name) {
                    found.push(symbol);
                }
            }
        }
        let mut launches = host::launches(&texts[0], &constants, &types);
        host::find_functions(&mut launches, items(0));
        let mut references = References::known();
        (0..self.parts.len()).for_each(|part| references.add(items(part), self.parts[part].original()));
        let objects = texts.iter().flat_map(|text| macros::objects(text)).collect();
        let names = Names { classes, aliases, launches, macros: objects, references };
        let mut heads: Vec<KernelHead> = Vec::new();
        let mut macros = Macros::default();
        texts.iter().for_each(|text| macros.add(text));
        let makers: Vec<_> = texts.iter().flat_map(|text| made::makers(text)).collect();
        for (index, part) in self.parts.iter().enumerate() {
            let kernels = part.kernels().filter(|item| alive(index, item));
            let own = kernels.filter_map(|item| heads::head(item, part.original(), &dead[index], &names));
            for head in own.chain(made::kernels(items(index), part.original(), &makers, &macros, &names)) {
                match heads.iter_mut().find(|known| known.name == head.name) {
                    // A definition knows more than a declaration before it.
                    Some(known) if !known.has_body => *known = head,
                    Some(_) => {}
                    None => heads.push(head),
                }
            }
        }
        // Memory that a function or a class of the file hands out may be any kernel's.
        let helped = self.parts.iter().any(Part::hands_out_dynamic_shared);
        for head in &mut heads {
            head.dynamic_shared |= helped;
        }
        (heads, found, begins::locks(&texts, &constants))
    }

    /// The names of the file's kernels, those of templates too.
    fn kernel_names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flat_map(Part::kernels).map(|kernel| kernel.name.as_str())
    }

    /// Compiles it. `request` is for the file as it stands; it becomes the one that was compiled. Without kernels in it, all
    /// are wanted.
    ///
    /// # Errors
    /// As [`compile::compile`]; what a skipped name has to do with it is said.
    pub fn compile(&mut self, toolchain: &Toolchain, request: &mut CompileRequest) -> Result<Compiled, CompileError> {
        request.limits = request.limits.of_own();
        if self.is_plain() {
            return compile::compile(toolchain, request).map_err(|error| match error {
                CompileError::Rejected { diagnostics, log } => {
                    CompileError::Rejected { diagnostics: self.explained(diagnostics, &request.file), log }
                }
                other => other,
            });
        }
        request.own = true;
        let began = Instant::now();
        for _ in 0..MOST_TRIES {
            request.source = self.parts[0].text();
            request.headers = self.parts[1..].iter().map(|part| (part.file.clone(), part.text())).collect();
            match compile::compile(toolchain, request) {
                Err(CompileError::Rejected { diagnostics, log }) => {
                    let late = began.elapsed() > ASKED_FOR;
                    if late || !self.refuse(&diagnostics, &request.kernels, &request.file) {
                        let diagnostics = self.explained(diagnostics, &request.file);
                        return Err(CompileError::Rejected { diagnostics, log });
                    }
                }
                // NVRTC may crash over a template's instance where the text itself is wrong: that is what is to be said.
                Err(crashed @ CompileError::GaveUp { .. }) if !request.kernels.is_empty() => {
                    let whole = CompileRequest { kernels: Vec::new(), ..request.clone() };
                    return match compile::compile(toolchain, &whole) {
                        Err(CompileError::Rejected { diagnostics, log }) => {
                            let diagnostics = self.explained(diagnostics, &request.file);
                            Err(CompileError::Rejected { diagnostics, log })
                        }
                        _ => Err(crashed),
                    };
                }
                other => return other,
            }
        }
        compile::compile(toolchain, request)
    }

    /// Leaves out what the compiler refused; false if there is nothing more that may go.
    fn refuse(&mut self, diagnostics: &[Diagnostic], kernels: &[String], file: &Path) -> bool {
        let needed = self.needed(kernels);
        let own = system::text::path(file);
        let mut any = false;
        for said in diagnostics.iter().filter(|said| said.severity == Severity::Error) {
            let Some(line) = said.line else { continue };
            let named = |part: &Part| if part.file.is_empty() { said.file == own } else { part.file == said.file };
            let Some(at) = self.parts.iter().position(named) else {
                let dropped = self.parts.iter_mut().find_map(|part| part.refuse_header(&said.file));
                any |= dropped.is_some();
                self.skipped.extend(dropped);
                continue;
            };
            // A header beside the file may count on what was included before it.
            if let Some(header) = standard(&said.message)
                && (self.parts[at].bring(header) || self.parts.iter_mut().any(|part| part.bring(header)))
            {
                any = true;
                continue;
            }
            let part = &mut self.parts[at];
            if let Some(skipped) = part.refuse(line, &said.message, &needed) {
                self.skipped.push(skipped);
                any = true;
            }
        }
        any
    }

    /// The names that the wanted kernels need, in the end.
    fn needed(&self, kernels: &[String]) -> HashSet<String> {
        let base = |kernel: &str| part::last(kernel.split('<').next().unwrap_or(kernel).trim()).to_owned();
        let mut names: HashSet<String> = if kernels.is_empty() || self.every_kernel {
            self.kernel_names().map(base).collect()
        } else {
            kernels.iter().map(|kernel| base(kernel)).collect()
        };
        // Template arguments may name types.
        for kernel in kernels {
            let words = kernel.split(|c: char| !c.is_alphanumeric() && c != '_');
            // The empty word behind `>` would stand for every declaration without a name.
            names.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
        }
        loop {
            let mut more = false;
            for part in &self.parts {
                more |= part.reach(&mut names);
            }
            if !more {
                return names;
            }
        }
    }

    /// What to say of a name that is declared as a texture reference: those are no part of CUDA any more.
    fn texture_reference(&self, name: &str) -> Option<String> {
        self.parts.iter().find_map(|part| {
            let declares = |line: &str| {
                let line = line.trim_start();
                let before = line.split(';').next().unwrap_or_default().trim_end();
                let kind = ["texture", "surface"].into_iter().find(|kind| line.starts_with(&format!("{kind}<")))?;
                before.ends_with(&format!(" {name}")).then_some(kind)
            };
            let (at, kind) = part.original().lines().zip(1..).find_map(|(line, at)| Some((at, declares(line)?)))?;
            let object = if kind == "texture" { "cudaTextureObject_t" } else { "cudaSurfaceObject_t" };
            Some(format!(
                "`{name}` (line {at}) is a {kind} reference, which CUDA 12 dropped: let the kernel take a `{object}`, and make it by a line \
                 `//@ {kind}`"
            ))
        })
    }

    /// Names that are unknown because their declaration was left out are explained; headers get their place on the disk.
    fn explained(&self, diagnostics: Vec<Diagnostic>, file: &Path) -> Vec<Diagnostic> {
        let (thrusts, mut diagnostics) = self.of_thrust(diagnostics);
        if let Some(one) = thrusts.first().and_then(|first| self.thrust(first, file)) {
            diagnostics.insert(0, one);
        } else {
            diagnostics.splice(0..0, thrusts);
        }
        for said in &mut diagnostics {
            let unknown = said.message.strip_prefix("identifier \"").and_then(|rest| rest.split_once('"'));
            said.notes.extend(unknown.and_then(|(name, _)| self.texture_reference(name)));
            for skipped in self.skipped.iter().filter(|skipped| !skipped.name.is_empty()) {
                let name = part::last(&skipped.name);
                if !said.message.contains(&format!("\"{name}\"")) {
                    continue;
                }
                let place = format!("line {}", skipped.line);
                let note = match &skipped.why {
                    Why::HostFunction => {
                        format!("`{name}` ({place}) is host code: kernels can call it if it is `__device__`")
                    }
                    Why::HostVariable => format!("`{name}` ({place}) is a variable of the host"),
                    Why::Header | Why::Word => continue,
                    Why::Refused(message) => format!("`{name}` ({place}) does not compile: {message}"),
                };
                if !said.notes.contains(&note) {
                    said.notes.push(note);
                }
            }
            if let Some(part) = self.parts.iter().skip(1).find(|part| part.file == said.file) {
                let line = said.line.and_then(|line| (line as usize).checked_sub(1));
                said.text = line.and_then(|line| part.original().lines().nth(line)).map(str::to_owned);
                said.file = system::text::path(&file.with_file_name(&said.file));
            }
        }
        let mut diagnostics = explained_first(diagnostics);
        let undefined = |said: &&mut Diagnostic| said.notes.is_empty() && said.message.ends_with("\" is undefined");
        if let Some(said) = diagnostics.iter_mut().find(undefined) {
            said.notes.extend(summary::missing(&self.skipped));
        }
        diagnostics
    }
}

/// Errors that say why it is one go first; what else is wrong on their lines most often follows from them.
fn explained_first(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let error = |said: &Diagnostic| said.severity == Severity::Error;
    let gone = |said: &Diagnostic| error(said) && compile::is_gone(&said.message);
    let place = |said: &Diagnostic| (said.file.clone(), said.line);
    let lines: HashSet<_> = diagnostics.iter().filter(|said| gone(said) && said.line.is_some()).map(place).collect();
    diagnostics.retain(|said| !error(said) || gone(said) || !said.notes.is_empty() || !lines.contains(&place(said)));
    diagnostics.sort_by_key(|said| !gone(said));
    diagnostics
}

/// What the preprocessor leaves out of each text for certain.
fn left_out(texts: &[Vec<Token<'_>>]) -> Vec<Vec<Range<usize>>> {
    let others = |own: usize| {
        let others = texts.iter().enumerate().filter(move |(index, _)| *index != own);
        others.flat_map(|(_, text)| branches::defined(text)).map(str::to_owned).collect()
    };
    texts.iter().enumerate().map(|(index, text)| branches::dead(text, &others(index))).collect()
}

/// The header for device code that has what the compiler missed in `std`: hosts' headers, which are left out, bring it with them.
fn standard(message: &str) -> Option<&'static str> {
    if message.contains("(<compare> must be included)") {
        return Some("compare");
    }
    let missed = message.split_once("namespace \"std\" has no member \"")?.1.split('"').next()?;
    Some(match missed {
        "array" => "array",
        "exchange"
        | "index_sequence"
        | "integer_sequence"
        | "make_index_sequence"
        | "make_integer_sequence"
        | "make_pair"
        | "pair" => "utility",
        "get" | "make_tuple" | "tie" | "tuple" => "tuple",
        "numeric_limits" => "limits",
        _ => "type_traits",
    })
}
