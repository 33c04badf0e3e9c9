//! How a file's own host code launches its kernels, as far as it says so in constants: the best guess that there is at
//! blocks, template arguments, numbers and lengths of buffers. Nothing of the host is executed.

mod constants;
mod declared;
mod loops;
mod reader;
mod textures;
mod types;
mod value;
mod wrappers;

use super::items::{Item, What};
use super::lexer::{Kind, Token};
use super::part::last;
use super::taken::SHORT;
pub use constants::Constants;
pub use loops::Counting;
use loops::Loop;
pub use textures::Sampling;
pub use types::{Made, Types};
pub use value::Value;
pub use value::matching;
pub use value::split;
pub use wrappers::{pattern, with_wrappers};

/// A launch in host code. What it does not say in constants is missing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostLaunch {
    /// The kernel, without its namespaces.
    pub kernel: String,
    /// Template arguments in order.
    pub instance: Vec<Option<String>>,
    /// Blocks.
    pub grid: Option<[u32; 3]>,
    /// Threads of a block.
    pub block: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub shared: Option<u32>,
    /// Arguments in order.
    pub arguments: Vec<HostArgument>,
    /// Is it inside of a template, whose parameters may be anything?
    pub in_template: bool,
    /// Where it stands.
    pub place: usize,
    /// Where the function begins that it stands in.
    pub within: Option<usize>,
    /// The loops around it, the outermost first, if a line can have all of them that count for its arguments.
    pub loops: Vec<Counting>,
}

impl HostLaunch {
    /// Of a kernel's launches, one for each of its sizes perhaps, one whose template arguments go with its block, else one that passes
    /// something of the file's own types; else the first.
    pub fn of<'l>(launches: &'l [HostLaunch], kernel: &str) -> Option<&'l HostLaunch> {
        let own = || launches.iter().filter(|launch| launch.kernel == last(kernel));
        let typed = |launch: &&HostLaunch| launch.arguments.iter().any(|argument| argument.made.is_some());
        own().find(|launch| launch.names_its_block()).or_else(|| own().find(typed)).or_else(|| own().next())
    }

    fn names_its_block(&self) -> bool {
        let Some(block) = self.block else { return false };
        let sides = [block[0], block.iter().product()].map(|side| side.to_string());
        self.instance.iter().flatten().any(|argument| sides.contains(argument))
    }
}

/// An argument of such a launch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostArgument {
    /// A number.
    pub value: Option<i64>,
    /// The same, or a real.
    pub real: Option<f64>,
    /// Bytes that were allocated for the pointer.
    pub bytes: Option<u64>,
    /// What each of its bytes is set to.
    pub set: Option<u8>,
    /// Elements behind its start, if it is given as `pointer + OFFSET`.
    pub offset: Option<i64>,
    /// How a texture object is read.
    pub sampling: Option<Sampling>,
    /// Something of one of the file's own types.
    pub made: Option<Made>,
    /// Its type, as far as that is known, and how many pointers to it it is.
    pub ty: Option<(String, i32)>,
    /// The variable that is passed.
    pub variable: Option<String>,
    /// Is it a lambda?
    pub lambda: bool,
    /// Does it count the turns of a loop around the launch?
    pub counter: bool,
    /// What it is then, as a line has it.
    pub counted: Option<String>,
}

/// Functions that allocate: the pointer's address first, then the bytes.
const ALLOCATE: [&str; 4] = ["cudaMalloc", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc"];
/// Functions that launch.
const LAUNCH: [&str; 2] = ["cudaLaunchKernel", "cudaLaunchCooperativeKernel"];
/// Functions that set bytes: the pointer first, then the byte.
const SET: [&str; 2] = ["cudaMemset", "cudaMemsetAsync"];
/// Functions that copy: the target first.
const COPY: [&str; 2] = ["cudaMemcpy", "cudaMemcpyAsync"];
/// Most tokens between `<<<` and `>>>`.
const CONFIGURATION: usize = 400;

/// The launches of a text, in order. `constants` and `types` are those of the text and its headers.
pub fn launches<'a>(tokens: &[Token<'a>], constants: &Constants<'a>, types: &Types) -> Vec<HostLaunch> {
    // `<< <` is one, too.
    let chevrons = |at: usize, sign: &str| {
        let three = tokens.get(at..at + 3).unwrap_or_default();
        three.len() == 3 && three.iter().all(|token| token.is(sign))
    };
    let loops = loops::loops(tokens);
    let opening = (0..tokens.len()).filter(|at| chevrons(*at, "<"));
    let read = |open: usize| {
        let close = (open + 3..tokens.len().min(open + CONFIGURATION)).find(|close| chevrons(*close, ">"))?;
        let end = matching(tokens, close + 3)?;
        let call = Call {
            callee: callee(tokens, open)?,
            config: split(&tokens[open + 3..close]),
            arguments: split(&tokens[close + 4..end]),
            place: tokens[open].start,
        };
        Some(call.launch(tokens, constants, types, &loops))
    };
    let by_function = (0..tokens.len())
        .filter_map(|at| Some(Call::by_function(tokens, at)?.launch(tokens, constants, types, &loops)));
    opening.filter_map(read).chain(by_function).collect()
}

/// Says of launches which function they stand in, by the declarations of their text.
pub fn find_functions<'i>(launches: &mut [HostLaunch], items: impl Iterator<Item = &'i Item>) {
    for item in items {
        if matches!(item.what, What::Function { .. }) {
            let inside = launches.iter_mut().filter(|launch| item.span.contains(&launch.place));
            inside.for_each(|launch| launch.within = Some(item.span.start));
        }
        find_functions(launches, item.inner.iter());
    }
}

/// The tokens of a launch.
struct Call<'t, 'a> {
    /// The kernel's name, and its template arguments.
    callee: (&'a str, &'t [Token<'a>]),
    /// Grid, block, shared memory.
    config: Vec<&'t [Token<'a>]>,
    arguments: Vec<&'t [Token<'a>]>,
    /// Where it stands.
    place: usize,
}

impl<'t, 'a> Call<'t, 'a> {
    /// `cudaLaunchKernel((void *)KERNEL, GRID, BLOCK, ARRAY, SHARED, STREAM)`, with the addresses of the arguments in an array.
    fn by_function(tokens: &'t [Token<'a>], at: usize) -> Option<Call<'t, 'a>> {
        let all = LAUNCH.iter().any(|name| tokens[at].is(name)).then(|| arguments(tokens, at))??;
        let (function, array) = (*all.first()?, all.get(3)?.last()?);
        let function = &function[..function.iter().rposition(|token| !token.is(")"))? + 1];
        let declared = |at: usize| {
            let close = at + 2 + tokens[at + 2..].iter().take(CONFIGURATION).position(|token| token.is("]"))?;
            let open = Some(close + 2).filter(|_| tokens.get(close + 1).is_some_and(|token| token.is("=")))?;
            let end = matching(tokens, open).filter(|_| tokens[open].is("{"))?;
            Some(&tokens[open + 1..end])
        };
        let named = |at: &usize| tokens[*at].is(array.text) && tokens.get(at + 1).is_some_and(|token| token.is("["));
        let inside = (0..at).rev().filter(named).find_map(declared).unwrap_or_default();
        let addressed = |piece: &'t [Token<'a>]| {
            let from = piece.iter().rposition(|token| token.is("&")).map_or(0, |at| at + 1);
            &piece[from..]
        };
        Some(Call {
            callee: callee(function, function.len())?,
            config: [1, 2, 4].into_iter().map_while(|index| all.get(index).copied()).collect(),
            arguments: split(inside).into_iter().map(addressed).collect(),
            place: tokens[at].start,
        })
    }

    fn launch(&self, tokens: &[Token<'a>], constants: &Constants<'a>, types: &Types, loops: &[Loop<'a>]) -> HostLaunch {
        let around: Vec<&str> =
            loops.iter().filter(|one| one.body.contains(&self.place)).map(|one| one.counter).collect();
        let counts = |token: &Token| token.kind == Kind::Name && around.contains(&token.text);
        let dims = |index: usize| constants.value(self.config.get(index)?).and_then(Value::dims);
        let number = |piece: &[Token]| constants.value(piece).and_then(Value::number);
        let argument = |piece: &&[Token<'a>]| {
            let passed = constants.through(piece);
            let plus = passed.iter().position(|token| token.is("+"));
            let base = constants.through(&passed[..plus.unwrap_or(passed.len())]);
            let bytes = allocated(tokens, constants, base);
            // Where nobody says the length, one that is short is there all the same.
            let there = |offset: &i64| *offset > 0 && (bytes.is_some() || *offset <= SHORT);
            let offset = plus.and_then(|plus| number(&passed[plus + 1..])).filter(there);
            // Behind an offset that nobody knows nobody knows the length.
            let bytes = bytes.filter(|_| plus.is_none() || offset.is_some());
            let value = constants.value(passed);
            let ty = declared::declared(constants, types, tokens, passed);
            HostArgument {
                value: value.and_then(Value::number),
                real: value.and_then(Value::real),
                bytes,
                set: set(tokens, constants, base),
                offset,
                sampling: textures::sampling(tokens, constants, passed),
                made: types.made(constants, tokens, passed),
                ty: ty.and_then(|(ty, pointers)| Some((types.spelled(constants, &ty)?, pointers))),
                variable: variable(without_casts(base)),
                counter: piece.iter().any(counts),
                counted: loops::spelled(constants, piece, &around).filter(|_| piece.iter().any(counts)),
                lambda: passed.first().is_some_and(|first| first.is("[")),
            }
        };
        let (name, instance) = self.callee;
        HostLaunch {
            kernel: last(name).to_owned(),
            instance: types::template_arguments(types, constants, instance),
            grid: dims(0),
            block: dims(1).filter(|block| block.iter().product::<u32>() <= 1024),
            shared: self.config.get(2).and_then(|piece| u32::try_from(number(piece)?).ok()),
            arguments: self.arguments.iter().map(argument).collect(),
            in_template: constants.in_template(self.place),
            place: self.place,
            within: None,
            loops: self.counting(constants, loops),
        }
    }
}

impl<'a> Call<'_, 'a> {
    /// The loops around it that its arguments count in; none if one of them cannot be read.
    fn counting(&self, constants: &Constants<'a>, loops: &[Loop<'a>]) -> Vec<Counting> {
        let around: Vec<&Loop> = loops.iter().filter(|one| one.body.contains(&self.place)).collect();
        let mut names: Vec<&str> = Vec::new();
        let mut all: Vec<Counting> = Vec::new();
        for one in around {
            let inside = self.arguments.iter().any(|piece| piece.iter().any(|token| token.is(one.counter)));
            let inner = || loops.iter().any(|other| other.body.contains(&self.place) && other.names(one.counter));
            if inside || inner() {
                let Some(counting) = one.counting(constants, &names) else { return Vec::new() };
                all.push(counting);
                names.push(one.counter);
            }
        }
        all
    }
}

/// The variable that an argument is, with what it is a member of.
fn variable(piece: &[Token]) -> Option<String> {
    let plain = piece.iter().all(|token| token.kind == Kind::Name || [".", "-", ">"].iter().any(|sign| token.is(sign)));
    let nothing = piece.last().is_none_or(|last| last.is("nullptr") || last.is("NULL"));
    (plain && !nothing).then(|| piece.iter().map(|token| token.text).collect())
}

/// What a cast is of: `(float4 *)d`, `reinterpret_cast<float4 *>(d)`.
fn without_casts<'t, 'a>(piece: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let Some(first) = piece.first() else { return piece };
    let behind = if first.is("(") {
        matching(piece, 0).map(|close| &piece[close + 1..]).filter(|rest| !rest.is_empty())
    } else if first.text.ends_with("_cast") {
        let open = piece.iter().position(|token| token.is("("));
        open.and_then(|open| piece.get(open + 1..matching(piece, open).filter(|close| close + 1 == piece.len())?))
    } else {
        None
    };
    behind.unwrap_or(piece)
}

/// The kernel's name before `<<<`, and the tokens of its template arguments.
fn callee<'t, 'a>(tokens: &'t [Token<'a>], open: usize) -> Option<(&'a str, &'t [Token<'a>])> {
    let mut at = open.checked_sub(1)?;
    let mut instance: &[Token] = &[];
    if tokens[at].is(">") {
        let mut depth = 0_i32;
        let start = (0..=at).rev().take(CONFIGURATION).find(|at| {
            depth += i32::from(tokens[*at].is(">")) - i32::from(tokens[*at].is("<"));
            depth == 0
        })?;
        instance = &tokens[start + 1..at];
        at = start.checked_sub(1)?;
    }
    (tokens[at].kind == Kind::Name).then_some((tokens[at].text, instance))
}

/// Bytes that were allocated for a pointer.
fn allocated(tokens: &[Token], constants: &Constants, piece: &[Token]) -> Option<u64> {
    let pointer = piece.last().filter(|token| token.kind == Kind::Name)?;
    let at = (0..tokens.len()).find(|at| {
        ALLOCATE.contains(&tokens[*at].text)
            && arguments(tokens, *at).is_some_and(|all| all[0].last().is_some_and(|name| name.is(pointer.text)))
    })?;
    let bytes = constants.value(arguments(tokens, at)?.get(1)?)?.number()?;
    u64::try_from(bytes).ok()
}

/// What `cudaMemset` makes of each byte behind a pointer, if nothing is copied there afterwards.
fn set(tokens: &[Token], constants: &Constants, piece: &[Token]) -> Option<u8> {
    let pointer = piece.last().filter(|token| token.kind == Kind::Name)?;
    let to = |at: usize, functions: [&str; 2]| {
        let all = functions.iter().any(|name| tokens[at].is(name)).then(|| arguments(tokens, at))??;
        all[0].last().is_some_and(|name| name.is(pointer.text)).then_some(all)
    };
    let (at, byte) = (0..tokens.len()).find_map(|at| Some((at, *to(at, SET)?.get(1)?)))?;
    let copied = (at..tokens.len()).any(|at| to(at, COPY).is_some());
    Some(constants.value(byte)?.number()? as u8).filter(|_| !copied)
}

/// The arguments of the call whose name stands at `at`; at least one.
pub fn arguments<'t, 'a>(tokens: &'t [Token<'a>], at: usize) -> Option<Vec<&'t [Token<'a>]>> {
    let end = matching(tokens, at + 1)?;
    Some(split(tokens.get(at + 2..end)?)).filter(|all| !all.is_empty())
}
