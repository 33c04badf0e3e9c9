//! Lines for textures and surfaces, made from how a kernel's body reads them.

use super::guess::{Guess, element, guess};
use super::heads::{KernelHead, Parameter};
use super::host::Sampling;
use super::lexer::Token;

/// How a body uses a texture or surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TexelUse {
    /// `tex2D`, `surf2Dwrite`
    pub function: String,
    /// The type between angle brackets; empty where there is none.
    pub ty: String,
}

/// The first call that is given `name`: `tex2D<float>(name, ...)`, `surf2Dwrite(value, name, ...)`.
pub fn texel_use(body: &[Token], name: &str) -> Option<TexelUse> {
    (0..body.len()).find_map(|at| {
        let function = body[at].text;
        if !(function.starts_with("tex") || function.starts_with("surf")) {
            return None;
        }
        let mut after = at + 1;
        let mut ty = String::new();
        if body.get(after).is_some_and(|token| token.is("<")) {
            let end = body[after..].iter().position(|token| token.is(">"))? + after;
            ty = body[after + 1..end].iter().map(|token| token.text).collect::<Vec<_>>().join(" ");
            after = end + 1;
        }
        if !body.get(after)?.is("(") {
            return None;
        }
        let end = body[after..].iter().position(|token| token.is(";")).map_or(body.len(), |end| after + end);
        let writes = function.ends_with("write");
        let named = |at: usize| body.get(at).is_some_and(|token| token.is(name));
        let given = if writes { (after..end).any(|at| body[at].is(",") && named(at + 1)) } else { named(after + 1) };
        given.then(|| TexelUse { function: function.to_owned(), ty })
    })
}

/// Extents where no size says more: of two dimensions and of three.
const SIDE: u32 = 64;
const EDGE: u32 = 16;

/// The lines for one parameter: its texels, then the object, which is read as the host reads its own. `sides` are the sizes of an image.
fn lines_for(parameter: &Parameter, sides: &[&str], host: Option<&Sampling>) -> [String; 2] {
    let surface = parameter.base.to_lowercase().contains("surf");
    let fallback = || TexelUse { function: if surface { "surf2Dread" } else { "tex2D" }.into(), ty: "float".into() };
    let used = parameter.texel.clone().unwrap_or_else(fallback);
    let (ty, count) = element(&used.ty).filter(|(ty, count)| *count != 3 && !ty.ends_with("64")).unwrap_or(("f32", 1));
    // Fractions are of bytes most often.
    let ty = if host.is_some_and(|host| host.fractions) && ty.starts_with('f') { "u8" } else { ty };
    let texel = if count > 1 { format!("{ty}x{count}") } else { ty.to_owned() };
    let function = used.function.as_str();
    let (extents, layout) = extents(function, sides);
    let name = &parameter.name;
    let channels = if count > 1 { format!("{count} * ") } else { String::new() };
    let (role, fill) = match (surface, function.ends_with("write")) {
        (true, true) => ("out   ", String::new()),
        (_, _) => {
            let fill = if ty.starts_with('f') { "uniform(0, 1)" } else { "integers(0, 255)" };
            (if surface { "inout " } else { "in    " }, format!(" = {fill}"))
        }
    };
    let statement = if surface { "surface" } else { "texture" };
    let layout = layout.filter(|layout| !surface || *layout != "array");
    let mut options: Vec<&str> = layout.into_iter().collect();
    options.extend(host.into_iter().flat_map(|host| read_as(host, function, ty, extents.len(), layout)));
    let options: String = options.iter().map(|option| format!(", {option}")).collect();
    let unknown = host.map(|host| host.unknown.join(", ")).filter(|unknown| !unknown.is_empty());
    let remark = unknown.map(|unknown| format!("  // not known: the host's {unknown}")).unwrap_or_default();
    [
        format!("//@ {role} {name}_texels: {ty}[{channels}{}]{fill}", extents.join(" * ")),
        format!("//@ {statement} {name}: {texel}[{}] = {name}_texels{options}{remark}", extents.join(", ")),
    ]
}

/// Texels along each axis of what a function reads or writes, and what these are, if they are no plain axes.
fn extents(function: &str, sides: &[&str]) -> (Vec<String>, Option<&'static str>) {
    let (width, height) = match sides {
        [w, h, ..] => ((*w).to_owned(), (*h).to_owned()),
        _ => (SIDE.to_string(), SIDE.to_string()),
    };
    if function.contains("Cubemap") {
        (vec![width.clone(), width, "6".into()], Some("cubemap"))
    } else if function.contains("2DLayered") {
        (vec![width, height, "4".into()], Some("layered"))
    } else if function.contains("1DLayered") {
        (vec![SIDE.to_string(), "4".into()], Some("layered"))
    } else if function.contains("3D") {
        (vec![EDGE.to_string(); 3], None)
    } else if function.starts_with("tex1Dfetch") {
        (vec![(SIDE * SIDE).to_string()], None)
    } else if function.contains("1D") {
        (vec![SIDE.to_string()], Some("array"))
    } else {
        (vec![width, height], None)
    }
}

/// The options of an object that is read as the host's is.
fn read_as(host: &Sampling, function: &str, ty: &str, extents: usize, layout: Option<&str>) -> Vec<&'static str> {
    let mut options = Vec::new();
    // Linear memory has neither a filter nor coordinates, a cube no edges.
    if !function.starts_with("tex1Dfetch") {
        let axes = host.addresses(extents - usize::from(layout == Some("layered")));
        match axes.split_first() {
            _ if layout == Some("cubemap") => {}
            Some((first, rest)) if rest.iter().all(|one| one == first) => {
                options.extend(Some(*first).filter(|first| *first != "clamp"));
            }
            _ => options.extend(axes),
        }
        options.extend(Some("linear").filter(|_| host.linear && (host.fractions || ty.starts_with('f'))));
        options.extend(Some("normalized").filter(|_| host.normalized));
    }
    options.extend(Some("normalized_float").filter(|_| host.fractions && ["u8", "i8", "u16", "i16"].contains(&ty)));
    options
}

/// The lines for all textures and surfaces of some kernels, each name once.
pub fn texture_lines(kernels: &[&KernelHead], sides: &[&str]) -> Vec<String> {
    let mut known: Vec<&str> = Vec::new();
    let mut lines = Vec::new();
    for kernel in kernels {
        for (index, parameter) in kernel.parameters.iter().enumerate() {
            if guess(parameter) == Guess::Handle && !known.contains(&parameter.name.as_str()) {
                known.push(&parameter.name);
                let host = kernel.host.as_ref().and_then(|host| host.arguments.get(index)?.sampling.as_ref());
                lines.extend(lines_for(parameter, sides, host));
            }
        }
    }
    lines
}
