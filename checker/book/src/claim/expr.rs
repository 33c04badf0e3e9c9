//! Expressions of claims: numbers, words, facts of the workbook, arithmetic, comparisons.
//!
//! ```text
//! speedup(fuse) > 2.5 and us(fuse, naive) < 3 * us(fuse, optimised)
//! every n in peer-sizes(reduction): ratio(reduction, CUB, n=$n) >= 0.99
//! ```
//!
//! A fact's arguments are words up to the next comma; `$n` in them is the value that `every`, `some`, `least`, `most` or
//! `count` gives `n`.

use std::fmt;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A number.
    Number(f64),
    /// `"race"`, or the value of `$name`.
    Word(String),
    /// Values one after the other.
    List(Vec<Expr>),
    /// `name(argument, key=value)`.
    Fact(Fact),
    /// `-a`, `abs(a)`.
    Unary(Unary, Box<Expr>),
    /// `a + b`, `a * b`, `a ^ b`.
    Binary(char, Box<Expr>, Box<Expr>),
    /// `a < b <= c`.
    Chain(Box<Expr>, Vec<(Compare, Expr)>),
    /// All of them.
    And(Vec<Expr>),
    /// `every n in LIST: a`.
    Each(Each, String, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// The facts in it, in order.
    pub fn facts(&self) -> Vec<&Fact> {
        match self {
            Self::Number(_) | Self::Word(_) => Vec::new(),
            Self::Fact(fact) => vec![fact],
            Self::List(all) | Self::And(all) => all.iter().flat_map(Self::facts).collect(),
            Self::Unary(_, of) => of.facts(),
            Self::Binary(_, one, other) | Self::Each(_, _, one, other) => [one.facts(), other.facts()].concat(),
            Self::Chain(first, rest) => {
                first.facts().into_iter().chain(rest.iter().flat_map(|(_, expr)| expr.facts())).collect()
            }
        }
    }
}

/// A fact of the workbook as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What.
    pub name: String,
    /// Of what, in order.
    pub words: Vec<String>,
    /// `key=value`.
    pub keys: Vec<(String, String)>,
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.keys.iter().map(|(key, value)| format!("{key}={value}"));
        let all: Vec<String> = self.words.iter().cloned().chain(keys).collect();
        write!(f, "{}({})", self.name, all.join(", "))
    }
}

/// Functions of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    /// The other sign.
    Minus,
    /// Without its sign.
    Abs,
    /// The nearest whole number.
    Round,
}

/// What is asked of all values of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Each {
    /// The condition holds for each.
    Every,
    /// For one or more.
    Some,
    /// The smallest.
    Least,
    /// The largest.
    Most,
    /// For how many the condition holds.
    Count,
}

/// Comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
    /// `!=`
    Other,
}

const COMPARISONS: [(&str, Compare); 6] = [
    ("<=", Compare::AtMost),
    (">=", Compare::AtLeast),
    ("==", Compare::Equal),
    ("!=", Compare::Other),
    ("<", Compare::Less),
    (">", Compare::More),
];
const EACH: [(&str, Each); 5] = [
    ("every", Each::Every),
    ("some", Each::Some),
    ("least", Each::Least),
    ("most", Each::Most),
    ("count", Each::Count),
];
/// Deeper nesting is a mistake.
const DEEPEST: usize = 40;

/// Reads an expression.
///
/// # Errors
/// What is wrong, and where.
pub fn parse(text: &str) -> Result<Expr, String> {
    let mut reader = Reader { rest: text, depth: 0 };
    let expr = reader.and()?;
    match reader.peek() {
        None => Ok(expr),
        Some(_) => Err(reader.fault("the end or an operator")),
    }
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn fault(&self, expected: &str) -> String {
        let found = self.rest.trim_start();
        if found.is_empty() {
            format!("it ends where {expected} was expected")
        } else {
            format!("expected {expected} at `{found}`")
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn eat(&mut self, token: &str) -> bool {
        self.peek();
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest;
        true
    }

    /// A word that stands alone.
    fn eat_word(&mut self, word: &str) -> bool {
        self.peek();
        match self.rest.strip_prefix(word) {
            Some(rest) if !rest.starts_with(is_name) => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn name(&mut self) -> &'a str {
        self.peek();
        let end = self.rest.find(|c: char| !is_name(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        name
    }

    fn and(&mut self) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("too deeply nested".to_owned());
        }
        let mut all = vec![self.chain()?];
        while self.eat_word("and") {
            all.push(self.chain()?);
        }
        self.depth -= 1;
        Ok(if all.len() == 1 { all.swap_remove(0) } else { Expr::And(all) })
    }

    fn chain(&mut self) -> Result<Expr, String> {
        let first = self.sum()?;
        let mut rest = Vec::new();
        while let Some((_, compare)) = COMPARISONS.into_iter().find(|(sign, _)| self.eat(sign)) {
            rest.push((compare, self.sum()?));
        }
        Ok(if rest.is_empty() { first } else { Expr::Chain(Box::new(first), rest) })
    }

    fn sum(&mut self) -> Result<Expr, String> {
        self.binary(&['+', '-'], Self::product)
    }

    fn product(&mut self) -> Result<Expr, String> {
        self.binary(&['*', '/'], Self::power)
    }

    /// `a ^ b`: a chance that 32 lanes have in common, for instance.
    fn power(&mut self) -> Result<Expr, String> {
        self.binary(&['^'], Self::atom)
    }

    fn binary(&mut self, signs: &[char], next: fn(&mut Self) -> Result<Expr, String>) -> Result<Expr, String> {
        let mut left = next(self)?;
        while let Some(sign) = self.peek().filter(|sign| signs.contains(sign)) {
            self.rest = &self.rest[sign.len_utf8()..];
            left = Expr::Binary(sign, Box::new(left), Box::new(next(self)?));
        }
        Ok(left)
    }

    fn atom(&mut self) -> Result<Expr, String> {
        match self.peek() {
            Some('(') => {
                self.eat("(");
                let inner = self.and()?;
                self.close(")")?;
                Ok(inner)
            }
            Some('[') => {
                self.eat("[");
                let mut items = vec![self.sum()?];
                while self.eat(",") {
                    items.push(self.sum()?);
                }
                self.close("]")?;
                Ok(Expr::List(items))
            }
            Some('-') => {
                self.eat("-");
                Ok(Expr::Unary(Unary::Minus, Box::new(self.atom()?)))
            }
            Some('"') => {
                let rest = &self.rest[1..];
                let end = rest.find('"').ok_or("a word without its closing \"")?;
                self.rest = &rest[end + 1..];
                Ok(Expr::Word(rest[..end].to_owned()))
            }
            Some('$') => {
                self.eat("$");
                Ok(Expr::Word(format!("${}", self.name())))
            }
            Some(c) if c.is_ascii_digit() => {
                let end = self.rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(self.rest.len());
                let (number, rest) = self.rest.split_at(end);
                self.rest = rest;
                number.parse().map(Expr::Number).map_err(|_| format!("`{number}` is no number"))
            }
            Some(c) if c.is_ascii_alphabetic() => self.named(),
            _ => Err(self.fault("a number, a fact such as speedup(NAME), or a parenthesis")),
        }
    }

    /// A function, `every n in LIST: ...`, or a fact.
    fn named(&mut self) -> Result<Expr, String> {
        let name = self.name();
        if let Some((_, each)) = EACH.into_iter().find(|(word, _)| *word == name)
            && self.peek() != Some('(')
        {
            let variable = self.name().to_owned();
            if !self.eat_word("in") {
                return Err(self.fault("`in`"));
            }
            let list = self.sum()?;
            self.close(":")?;
            return Ok(Expr::Each(each, variable, Box::new(list), Box::new(self.chain()?)));
        }
        self.close("(")?;
        if let Some(unary) = match name {
            "abs" => Some(Unary::Abs),
            "round" => Some(Unary::Round),
            _ => None,
        } {
            let inner = self.sum()?;
            self.close(")")?;
            return Ok(Expr::Unary(unary, Box::new(inner)));
        }
        let end = self.rest.find(')').ok_or_else(|| format!("`{name}(` is not closed"))?;
        let (inside, rest) = self.rest.split_at(end);
        self.rest = &rest[1..];
        let mut fact = Fact { name: name.to_owned(), words: Vec::new(), keys: Vec::new() };
        for word in inside.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word.split_once('=') {
                Some((key, value)) => fact.keys.push((key.trim().to_owned(), value.trim().to_owned())),
                None => fact.words.push(word.to_owned()),
            }
        }
        Ok(Expr::Fact(fact))
    }

    fn close(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { Err(self.fault(&format!("`{token}`"))) }
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}
