//! The buffers of made lines: one for each name that pointers of kernels, or of their structures, have.

use super::begins::{Begins, number, set};
use super::classes::Member;
use super::guess::{cells, scalar};
use super::heads::Parameter;
use super::host::HostArgument;
use std::collections::BTreeMap;

/// A buffer that several kernels may share.
struct Shared {
    ty: &'static str,
    each: u32,
    read_first: bool,
    written: bool,
    /// Elements, where the host says how many.
    elements: Option<u64>,
    /// What it is filled with, where the text says so.
    begins: Option<String>,
}

/// All of them.
#[derive(Default)]
pub struct Buffers {
    order: Vec<String>,
    known: BTreeMap<String, Shared>,
}

impl Buffers {
    /// Adds what a kernel's pointer points to, elements of type `ty`.
    pub fn pointer(
        &mut self,
        name: &str,
        parameter: &Parameter,
        ty: &'static str,
        said: &HostArgument,
        begins: &Begins,
    ) {
        let each = match parameter.pointers {
            1 => cells(parameter).map_or(8, |(_, count)| count),
            _ => 1,
        };
        let buffer = self.entry(name.to_owned(), ty, each);
        buffer.each = buffer.each.max(each);
        let set = said.set.filter(|_| !buffer.written);
        // What a kernel reads before anybody wrote it needs a fill; what it leaves as it is is what the host made of it.
        buffer.read_first |= !buffer.written && (parameter.constant || parameter.read_first) || set.is_some();
        buffer.written |= !parameter.constant && parameter.written;
        buffer.elements = buffer.elements.max(said.bytes.map(|bytes| bytes / scalar(ty)));
        let asked = || begins.get(&parameter.name).filter(|_| !parameter.constant);
        let first = set.and_then(|byte| self::set(byte, ty)).or_else(|| number(*asked()?, ty));
        buffer.begins = buffer.begins.take().or(first);
    }

    /// Adds what a structure's pointers point to.
    pub fn members(&mut self, parameter: &Parameter, begins: &Begins) {
        for member in parameter.members.iter().filter(|member| member.pointer) {
            let buffer = self.entry(member_name(parameter, member), member.ty, member.each);
            (buffer.read_first, buffer.written) = (true, true);
            let first = begins.get(&member.name).and_then(|value| number(*value, member.ty));
            buffer.begins = buffer.begins.take().or(first);
        }
    }

    fn entry(&mut self, name: String, ty: &'static str, each: u32) -> &mut Shared {
        self.known.entry(name.clone()).or_insert_with(|| {
            self.order.push(name);
            Shared { ty, each, read_first: false, written: false, elements: None, begins: None }
        })
    }

    /// Is there one of this name?
    pub fn has(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// Their lines; `length` is what nobody says the length of.
    pub fn lines(&self, length: &str) -> Vec<String> {
        self.order.iter().map(|name| self.line(name, length)).collect()
    }

    fn line(&self, name: &str, length: &str) -> String {
        let Shared { ty, each, read_first, written, elements, begins } = &self.known[name];
        let fill = begins.as_deref().unwrap_or(fill(ty));
        let many = match elements {
            Some(elements) => elements.to_string(),
            None if *each > 1 => format!("{each} * {length}"),
            None => length.to_owned(),
        };
        match (read_first, written) {
            (true, false) => format!("//@ in     {name}: {ty}[{many}] = {fill}"),
            (true, true) => format!("//@ inout  {name}: {ty}[{many}] = {fill}"),
            _ => format!("//@ out    {name}: {ty}[{many}]"),
        }
    }
}

/// What a buffer of a type is filled with.
pub fn fill(ty: &str) -> &'static str {
    if ty.starts_with('f') || ty == "bf16" { "uniform(-1, 1)" } else { "integers(0, 9)" }
}

/// What is at a structure's pointer.
pub fn member_name(parameter: &Parameter, member: &Member) -> String {
    format!("{}_{}", parameter.name, member.name)
}
