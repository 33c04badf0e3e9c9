//! How the host's texture objects are read: what it assigns to the members of a `cudaTextureDesc`.

use super::super::lexer::{Kind, Token};
use super::arguments;
use super::constants::Constants;
use super::value::Value;

/// What one texture object's description says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sampling {
    /// The address mode of each axis, as `//@` lines call it.
    pub addresses: [Option<&'static str>; 3],
    /// Does it filter?
    pub linear: bool,
    /// Are coordinates from 0 to 1?
    pub normalized: bool,
    /// Are integers read as fractions?
    pub fractions: bool,
    /// Members whose values are not known.
    pub unknown: Vec<&'static str>,
}

/// Members of a description.
const MEMBERS: [&str; 4] = ["addressMode", "filterMode", "normalizedCoords", "readMode"];
/// Address modes by CUDA's names and those of `//@` lines.
const ADDRESSES: [(&str, &str); 4] = [
    ("cudaAddressModeWrap", "wrap"),
    ("cudaAddressModeClamp", "clamp"),
    ("cudaAddressModeMirror", "mirror"),
    ("cudaAddressModeBorder", "border"),
];

/// How the texture object is read that these tokens name.
pub fn sampling(tokens: &[Token], constants: &Constants, piece: &[Token]) -> Option<Sampling> {
    let object = piece.last().filter(|token| token.kind == Kind::Name)?;
    let made = |at: usize| {
        let all = tokens[at].is("cudaCreateTextureObject").then(|| arguments(tokens, at))??;
        all[0].last().filter(|name| name.is(object.text))?;
        Some((at, all.get(2)?.last()?.text))
    };
    let (until, description) = (0..tokens.len()).find_map(made)?;
    let mut found = Sampling::default();
    for at in 2..until {
        let member = MEMBERS.iter().find(|member| tokens[at].is(member));
        let (Some(member), true) = (member, tokens[at - 1].is(".") && tokens[at - 2].is(description)) else { continue };
        let axis = tokens[at + 1..until].get(1).filter(|_| tokens[at + 1].is("[")).map_or("0", |axis| axis.text);
        let value = assigned(&tokens[at..until]);
        let known = value.and_then(|value| found.set(member, axis, value, constants));
        found.unknown.retain(|unknown| unknown != member);
        if known.is_none() {
            found.unknown.push(member);
        }
    }
    Some(found)
}

/// What stands behind the last `=` before the next `;`: `d.addressMode[0] = d.addressMode[1] = MODE;`
fn assigned<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<&'t [Token<'a>]> {
    let statement = &tokens[..tokens.iter().position(|token| token.is(";"))?];
    statement.iter().rposition(|token| token.is("=")).map(|at| &statement[at + 1..])
}

impl Sampling {
    /// Takes what is assigned to a member; nothing if that is not known.
    fn set(&mut self, member: &str, axis: &str, value: &[Token], constants: &Constants) -> Option<()> {
        let word = match value {
            [word] => word.text,
            _ => "",
        };
        let one_of = |no: &str, yes: &str| (word == yes).then_some(true).or_else(|| (word == no).then_some(false));
        match member {
            "addressMode" => {
                let mode = ADDRESSES.iter().find(|(name, _)| *name == word)?.1;
                *self.addresses.get_mut(axis.parse::<usize>().ok()?)? = Some(mode);
            }
            "filterMode" => self.linear = one_of("cudaFilterModePoint", "cudaFilterModeLinear")?,
            "readMode" => self.fractions = one_of("cudaReadModeElementType", "cudaReadModeNormalizedFloat")?,
            _ => {
                let number = || constants.value(value).and_then(Value::number).map(|number| number != 0);
                self.normalized = one_of("false", "true").or_else(number)?;
            }
        }
        Some(())
    }

    /// The address mode of each of some axes. What is not said is 0, which is to wrap; only normalized coordinates wrap or mirror.
    pub fn addresses(&self, axes: usize) -> Vec<&'static str> {
        let mode = |mode: &Option<&'static str>| match mode.unwrap_or("wrap") {
            "wrap" | "mirror" if !self.normalized => "clamp",
            mode => mode,
        };
        self.addresses.iter().take(axes).map(mode).collect()
    }
}
