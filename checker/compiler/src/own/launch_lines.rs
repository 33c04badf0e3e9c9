//! `//@` lines made from the kernels' own parameters: a first guess to be pasted and corrected.

use super::begins::Begins;
use super::buffers::{Buffers, fill, member_name};
use super::classes::Member;
use super::constructors::value;
use super::guess::{Guess, axis, cells, element, guess, is_side, is_size, worth};
use super::heads::{KernelHead, Parameter};
use super::host::{HostArgument, Value};
use super::lexer::tokens;
use super::part::last;
use super::places::Places;
use super::shape::{BLOCK, Shape, shape};
use super::shared;
use super::symbols::{Holds, Symbol};
use super::taken::{ELEMENTS, SMALLER, Taken};
use super::texels::texture_lines;
use super::turns;

/// Columns or rows of a guess at a matrix.
pub const SIDE: u32 = 64;
/// Bytes of dynamic shared memory for each of the block's threads: a vector.
const SHARED_EACH: u32 = 16;

/// What all lines have in common.
pub struct Common<'k> {
    /// The sizes that are several sides of a matrix.
    pub sides: Vec<&'k str>,
    /// Elements of a buffer of which the host says nothing.
    pub length: String,
    buffers: Buffers,
    /// Sizes in order.
    pub sizes: Vec<Size<'k>>,
}

/// A size.
pub struct Size<'k> {
    name: &'k str,
    /// What it is, where that is not a guess.
    value: Option<i64>,
    /// What the host passes.
    host: Option<i64>,
    /// Is it one by what it is used for, not by its name?
    used: bool,
}

impl<'k> Size<'k> {
    /// Of a kernel's parameter, if that is one.
    fn of(kernel: &'k KernelHead, index: usize, taken: &Taken) -> Option<Size<'k>> {
        let parameter = &kernel.parameters[index];
        let said = taken.argument(index);
        let large = !said.counter && taken.is_too_large(kernel, index);
        let used = match guess(parameter) {
            Guess::Size if !said.counter => false,
            Guess::Int if large && parameter.bounds && !parameter.choice => true,
            _ => return None,
        };
        let value = if large { Some(SMALLER) } else { said.value };
        Some(Size { name: &parameter.name, value, host: taken.number(index), used })
    }

    /// Its line, with what the host has in its place.
    fn line(&self, guess: u32) -> String {
        let value = self.value.unwrap_or(guess.into());
        let host = self.host.filter(|host| *host != value && *host > 0);
        let remark = host.map(|host| format!("  // the host has {host}")).unwrap_or_default();
        format!("//@ size   {} = {value}{remark}", self.name)
    }
}

/// The lines for a file's kernels and the constant memory that its host fills, in the order in which they are to stand; none without
/// kernels. `begins` is what memory has to hold at first.
pub fn launch_lines(kernels: &[KernelHead], symbols: &[Symbol], begins: &Begins) -> Vec<String> {
    // What is declared only is nothing to launch.
    let mut kernels: Vec<&KernelHead> = kernels.iter().filter(|kernel| kernel.has_body).collect();
    if kernels.is_empty() {
        return Vec::new();
    }
    // As the host launches them; what it does not launch comes last.
    kernels.sort_by_key(|kernel| kernel.host.as_ref().map_or(usize::MAX, |host| host.place));
    let kernels = &kernels[..];
    let mut sizes: Vec<Size> = Vec::new();
    let mut buffers = Buffers::default();
    let places = Places::of(kernels);
    let taken = Taken::of(kernels, &places);
    for ((kernel, names), taken) in kernels.iter().zip(&places.0).zip(&taken) {
        for (index, parameter) in kernel.parameters.iter().enumerate() {
            let said = taken.argument(index);
            if let Some(size) = Size::of(kernel, index, taken) {
                match sizes.iter_mut().find(|known| known.name == size.name) {
                    Some(known) if known.value.is_none() => *known = size,
                    Some(_) => {}
                    None => sizes.push(size),
                }
            }
            match guess(parameter) {
                Guess::Buffer(ty) => {
                    if let Some(merged) = shared::merged(kernel, index) {
                        buffers.pointer(&names[index], &merged, ty, &said, begins);
                    }
                }
                Guess::Structure => buffers.members(parameter, begins),
                _ => {}
            }
        }
    }
    sizes.retain(|size| !buffers.has(size.name));
    let common = Common::of(kernels, sizes, buffers);
    let mut lines = common.buffers.lines(&common.length);
    lines.extend(texture_lines(kernels, &common.image()));
    lines.extend(symbols.iter().flat_map(|symbol| constant(symbol, &common)));
    // Once for all launches.
    let mut zeros = stays_zero(symbols);
    let mut open = Vec::new();
    for ((kernel, names), taken) in kernels.iter().zip(&places.0).zip(&taken) {
        let loops = turns::of(kernel, &common);
        lines.extend(turns::lines(&mut open, &loops));
        let counts = !loops.is_empty();
        let line = launch(kernel, names, &Turn { taken, counts }, &common, zeros.take());
        lines.push(line.replacen("launch", &format!("{}launch", "  ".repeat(open.len())), 1));
    }
    lines.extend(turns::lines(&mut open, &[]));
    let sizes = common.size_lines(&lines);
    [sizes, lines].concat()
}

/// What is said of constant memory that the host fills and no line can.
fn stays_zero(symbols: &[Symbol]) -> Option<String> {
    let names: Vec<&str> =
        symbols.iter().filter(|symbol| symbol.holds == Holds::Unknown).map(|symbol| symbol.name.as_str()).collect();
    let stay = if names.len() == 1 { "stays" } else { "stay" };
    (!names.is_empty()).then(|| format!("the host fills {}, which {stay} 0 here", names.join(", ")))
}

/// The lines for constant memory.
fn constant(symbol: &Symbol, common: &Common) -> Vec<String> {
    let name = &symbol.name;
    match &symbol.holds {
        Holds::Elements(ty, many) => {
            let buffer = format!("{}_values", last(name));
            let values = format!("//@ in     {buffer}: {ty}[{many}] = {}", fill(ty));
            vec![values, format!("//@ constant {name} = {buffer}")]
        }
        Holds::Unknown => Vec::new(),
        Holds::Structure(held) => {
            vec![format!("//@ constant {name} = {}", structure(held, &HostArgument::default(), common))]
        }
    }
}

impl<'k> Common<'k> {
    fn of(kernels: &[&KernelHead], sizes: Vec<Size<'k>>, buffers: Buffers) -> Self {
        let square = kernels.iter().any(|kernel| kernel.two_dimensional);
        let side = |size: &&Size| is_side(size.name) || size.used && square;
        let sides: Vec<&str> = sizes.iter().filter(side).map(|size| size.name).take(2).collect();
        let own = if buffers.has("n") { "elements" } else { "n" };
        let length = match (sides.as_slice(), sizes.as_slice()) {
            ([a, b], _) => format!("{a} * {b}"),
            ([side], [_]) if square => format!("{side} * {side}"),
            (_, [first, ..]) => first.name.to_owned(),
            _ => own.to_owned(),
        };
        Common { sides, length, buffers, sizes }
    }

    /// Is there a size or a buffer of that name?
    pub fn names(&self, name: &str) -> bool {
        self.size(name).is_some() || self.buffers.has(name) || self.length == name
    }

    /// The size of a name.
    fn size(&self, name: &str) -> Option<&Size<'k>> {
        self.sizes.iter().find(|size| size.name == name)
    }

    /// What goes along x and along y, of two sides of a matrix.
    pub fn image(&self) -> Vec<&'k str> {
        match self.sides.as_slice() {
            [first, second] if axis(first) > axis(second) => vec![second, first],
            sides => sides.to_vec(),
        }
    }

    /// The sizes; where no kernel has any, the length of buffers, if one of the `lines` asks for it.
    fn size_lines(&self, lines: &[String]) -> Vec<String> {
        let unsaid = |name: &str| self.sides.contains(&name) && self.length.contains('*');
        let line = |size: &Size| size.line(if unsaid(size.name) { SIDE } else { ELEMENTS });
        let asks = |text: &String| tokens(text.trim_start_matches("//@")).iter().any(|token| token.is(&self.length));
        if self.sizes.is_empty() && lines.iter().any(asks) {
            return vec![format!("//@ size   {} = {ELEMENTS}", self.length)];
        }
        self.sizes.iter().map(line).collect()
    }
}

/// A structure by value, member after member, as the host has it where that is known.
fn structure(parameter: &Parameter, said: &HostArgument, common: &Common) -> String {
    let member = |(index, member): (usize, &Member)| {
        if member.pointer {
            return member_name(parameter, member);
        }
        let said = said.made.as_ref().and_then(|made| value(&parameter.built, made, index));
        let real = member.ty.starts_with(['f', 'b']);
        let one = literal(said.and_then(Value::real).unwrap_or(1.0), member.ty);
        let value = match member.ty {
            "f32" => format!("{one}f"),
            _ if real => one,
            _ if member.name.is_empty() => "0".to_owned(),
            _ if let Some(number) = said.and_then(Value::number) => number.to_string(),
            _ if is_side(&member.name) => SIDE.to_string(),
            _ if is_size(&member.name) => common.length.clone(),
            _ => worth(&member.name).to_string(),
        };
        match (member.ty, member.each, member.count) {
            ("f32" | "f64" | "i32", 1, 1) => value,
            (ty, 1, 1) => format!("{ty} {value}"),
            (ty, 1, count) => format!("{ty}[{count}] {value}"),
            (_, each, _) => format!("{{{}}}", vec![if real { "1.0" } else { "1" }; each as usize].join(", ")),
        }
    };
    format!("{{{}}}", parameter.members.iter().enumerate().map(member).collect::<Vec<_>>().join(", "))
}

/// What is taken of a launch, and whether it stands in loops that count.
struct Turn<'t, 'k> {
    taken: &'t Taken<'k>,
    counts: bool,
}

/// A kernel's line; `more` is what has to be said besides.
fn launch(kernel: &KernelHead, names: &[String], turn: &Turn, common: &Common, more: Option<String>) -> String {
    let Turn { taken, counts } = *turn;
    let argument = |(index, parameter): (usize, &Parameter)| {
        let said = taken.argument(index);
        match guess(parameter) {
            Guess::Size | Guess::Int if counts && let Some(counted) = said.counted => counted,
            Guess::Buffer(_) => {
                let name = &names[index];
                // The host's offset is in elements of the pointer, the line's in those of the buffer.
                let each = cells(parameter).map_or(1, |(_, count)| i64::from(count));
                said.offset.map_or(name.clone(), |offset| format!("{name} + {}", each.saturating_mul(offset)))
            }
            // The first turn's.
            Guess::Size if said.counter => said.value.unwrap_or_else(|| worth(&parameter.name).into()).to_string(),
            // Two launches may give one name two values.
            Guess::Size => match common.size(&parameter.name) {
                Some(size) if said.value.is_some() && size.host != said.value => said.value.unwrap_or(1).to_string(),
                _ => parameter.name.clone(),
            },
            Guess::Int
                if common
                    .size(&parameter.name)
                    .is_some_and(|size| said.value.is_none_or(|value| size.host == Some(value))) =>
            {
                parameter.name.clone()
            }
            // Of a choice the first one, which every one has.
            Guess::Int if parameter.choice => said.value.unwrap_or(0).to_string(),
            Guess::Int => said.value.unwrap_or_else(|| worth(&parameter.name).into()).to_string(),
            Guess::Real => {
                let real = said.real.unwrap_or(1.0);
                element(&parameter.base).map_or("1.0".to_owned(), |(ty, _)| literal(real, ty))
            }
            Guess::Vector(ty, count) => {
                let member = if ty.starts_with('f') { "1.0" } else { "1" };
                format!("{{{}}}", vec![member; count as usize].join(", "))
            }
            Guess::Handle => parameter.name.clone(),
            Guess::Structure => structure(parameter, &said, common),
            Guess::Unknown => "{0}".to_owned(),
        }
    };
    let arguments: Vec<String> = kernel.parameters.iter().enumerate().map(argument).collect();
    let Shape { word, grid, block, remark } = shape(kernel, taken, common);
    let dynamic = match kernel.host.as_ref().and_then(|host| host.shared) {
        Some(0) | None if !kernel.dynamic_shared => String::new(),
        Some(bytes) if bytes > 0 => format!(", {bytes}"),
        _ => format!(", {}", SHARED_EACH * BLOCK),
    };
    let mut remarks: Vec<String> = Vec::new();
    remarks.extend(guesses(kernel, true, " that may not compile"));
    remarks.extend(guesses(kernel, false, ""));
    remarks.extend(remark.into_iter().chain(more));
    let remark = if remarks.is_empty() { String::new() } else { format!("  // {}", remarks.join("; ")) };
    format!("//@ launch{word} {}<<<{grid}, {block}{dynamic}>>>({}){remark}", kernel.instance(), arguments.join(", "))
}

/// What is said of the template arguments that are guesses: of types, or of numbers.
fn guesses(kernel: &KernelHead, types: bool, more: &str) -> Option<String> {
    let all: Vec<String> = kernel
        .unknown
        .iter()
        .filter(|unknown| unknown.ty == types)
        .map(|unknown| format!("{} = {}", unknown.name, unknown.value))
        .collect();
    match all.as_slice() {
        [] => None,
        [one] => Some(format!("{one} is a guess{more}")),
        _ => Some(format!("{} are guesses{more}", all.join(", "))),
    }
}

/// A real as C++ and `//@` lines have it, with as many digits as its type has.
fn literal(real: f64, ty: &str) -> String {
    let single = real as f32;
    if ty == "f64" || !single.is_finite() { format!("{real:?}") } else { format!("{single:?}") }
}
