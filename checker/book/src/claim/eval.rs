//! What an expression is worth, and which facts made it so.

use super::expr::{Compare, Each, Expr, Fact, Unary};
use std::fmt;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A name: a verdict, a version.
    Word(String),
    /// Several.
    List(Vec<Value>),
    /// Whether a condition holds.
    Truth(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => f.write_str(&plain(*number)),
            Self::Word(word) => f.write_str(word),
            Self::List(list) => f.write_str(&list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
            Self::Truth(truth) => write!(f, "{truth}"),
        }
    }
}

/// A number for people: whole ones with their thousands apart, others with three digits that count.
pub fn plain(number: f64) -> String {
    if (number - number.round()).abs() < 1e-9 || number.abs() >= 1000.0 {
        return report::number(number.round(), true);
    }
    let digits = if number == 0.0 { 0.0 } else { number.abs().log10().floor() };
    format!("{number:.*}", (2.0 - digits).clamp(0.0, 12.0) as usize)
}

/// What answers facts.
pub trait Facts {
    /// The value of a fact.
    ///
    /// # Errors
    /// There is no such fact, or nothing that tells it.
    fn value(&self, fact: &Fact) -> anyhow::Result<Value>;
}

/// An evaluation: the facts that were looked at, in order.
pub struct Evaluation<'a> {
    facts: &'a dyn Facts,
    variables: Vec<(String, String)>,
    /// "speedup(fuse) = 3.02" of the last comparison.
    pub found: Vec<String>,
}

impl<'a> Evaluation<'a> {
    /// By these facts.
    pub fn new(facts: &'a dyn Facts) -> Self {
        Self { facts, variables: Vec::new(), found: Vec::new() }
    }

    /// The value.
    ///
    /// # Errors
    /// A fact that nobody knows, or kinds of values that do not go together.
    pub fn of(&mut self, expr: &Expr) -> anyhow::Result<Value> {
        Ok(match expr {
            Expr::Number(number) => Value::Number(*number),
            Expr::Word(word) => {
                let word = self.filled(word);
                word.parse().map_or(Value::Word(word), Value::Number)
            }
            Expr::List(items) => Value::List(items.iter().map(|item| self.of(item)).collect::<Result<_, _>>()?),
            Expr::Fact(fact) => {
                let words = fact.words.iter().map(|word| self.filled(word)).collect();
                let keys = fact.keys.iter().map(|(key, value)| (key.clone(), self.filled(value))).collect();
                let fact = Fact { name: fact.name.clone(), words, keys };
                let value = self.facts.value(&fact).map_err(|error| error.context(fact.to_string()))?;
                self.found.push(format!("{fact} = {value}"));
                value
            }
            Expr::Unary(unary, inner) => {
                let number = self.number(inner)?;
                Value::Number(match unary {
                    Unary::Minus => -number,
                    Unary::Abs => number.abs(),
                    Unary::Round => number.round(),
                })
            }
            Expr::Binary(sign, left, right) => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                Value::Number(match sign {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    '^' => left.powf(right),
                    _ => left / right,
                })
            }
            Expr::Chain(first, rest) => self.chain(first, rest)?,
            Expr::And(all) => {
                for one in all {
                    self.found.clear();
                    if !self.truth(one)? {
                        return Ok(Value::Truth(false));
                    }
                }
                Value::Truth(true)
            }
            Expr::Each(each, variable, list, body) => self.each(*each, variable, list, body)?,
        })
    }

    fn filled(&self, word: &str) -> String {
        // The longest names first: `$nn` is not `$n`.
        let mut variables: Vec<_> = self.variables.iter().collect();
        variables.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        variables.iter().fold(word.to_owned(), |word, (name, value)| word.replace(&format!("${name}"), value))
    }

    fn number(&mut self, expr: &Expr) -> anyhow::Result<f64> {
        match self.of(expr)? {
            Value::Number(number) => Ok(number),
            other => anyhow::bail!("`{other}` is no number"),
        }
    }

    /// Whether a condition holds.
    ///
    /// # Errors
    /// As [`Evaluation::of`]; it is no condition.
    pub fn truth(&mut self, expr: &Expr) -> anyhow::Result<bool> {
        match self.of(expr)? {
            Value::Truth(truth) => Ok(truth),
            other => anyhow::bail!("`{other}` is no condition: compare it with something"),
        }
    }

    fn chain(&mut self, first: &Expr, rest: &[(Compare, Expr)]) -> anyhow::Result<Value> {
        let mut left = self.of(first)?;
        for (compare, next) in rest {
            let right = self.of(next)?;
            if !holds(&left, *compare, &right)? {
                return Ok(Value::Truth(false));
            }
            left = right;
        }
        Ok(Value::Truth(true))
    }

    fn each(&mut self, each: Each, variable: &str, list: &Expr, body: &Expr) -> anyhow::Result<Value> {
        let Value::List(values) = self.of(list)? else { anyhow::bail!("`{variable}` goes through a list: [1, 2]") };
        anyhow::ensure!(!values.is_empty(), "`{variable}` goes through an empty list");
        let (mut holding, mut extreme, mut none) = (0, f64::NAN, true);
        for value in values {
            let written = match &value {
                Value::Number(number) => number.to_string(),
                other => other.to_string(),
            };
            self.variables.push((variable.to_owned(), written));
            if each != Each::Least && each != Each::Most {
                self.found.clear();
                let holds = self.truth(body);
                self.variables.pop();
                match (each, holds?) {
                    (Each::Every, false) => return Ok(Value::Truth(false)),
                    (Each::Some, true) => return Ok(Value::Truth(true)),
                    (_, true) => {
                        holding += 1;
                        none = false;
                    }
                    (_, false) => {}
                }
            } else {
                let number = self.number(body);
                self.variables.pop();
                let number = number?;
                extreme = match each {
                    Each::Least => number.min(extreme),
                    _ => number.max(extreme),
                };
            }
        }
        Ok(match each {
            Each::Every => Value::Truth(true),
            Each::Some => Value::Truth(!none),
            Each::Count => Value::Number(f64::from(holding)),
            Each::Least | Each::Most => Value::Number(extreme),
        })
    }
}

fn holds(left: &Value, compare: Compare, right: &Value) -> anyhow::Result<bool> {
    Ok(match (left, right) {
        (Value::Number(left), Value::Number(right)) => match compare {
            Compare::Less => left < right,
            Compare::AtMost => left <= right,
            Compare::More => left > right,
            Compare::AtLeast => left >= right,
            Compare::Equal => left == right,
            Compare::Other => left != right,
        },
        (Value::Word(left), Value::Word(right)) => match compare {
            Compare::Equal => left == right,
            Compare::Other => left != right,
            _ => anyhow::bail!("`{left}` and `{right}` have no order"),
        },
        _ => anyhow::bail!("`{left}` cannot be compared with `{right}`"),
    })
}

/// A value as a sentence has it: `x` (1.47x), `%` (97 %), `%1` (96.9 %), `.2` (two places), `word` (four), or as it is.
///
/// # Errors
/// An unknown format, or a value that it does not fit.
pub fn shown(value: &Value, format: &str) -> anyhow::Result<String> {
    const WORDS: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    let (Value::Number(number), false) = (value, format.is_empty()) else { return Ok(value.to_string()) };
    Ok(match format.split_at(1) {
        ("x", "") => format!("{number:.2}x"),
        ("%", digits) => format!("{:.*}\u{a0}%", digit(digits)?, 100.0 * number),
        (".", digits) => format!("{number:.*}", digit(digits)?),
        _ if format == "word" => {
            let whole = number.fract() == 0.0 && (0.0..13.0).contains(number);
            if whole { WORDS[*number as usize].to_owned() } else { plain(*number) }
        }
        _ => anyhow::bail!("`{format}` is no format; there are x, %, %1, .2 and word"),
    })
}

fn digit(text: &str) -> anyhow::Result<usize> {
    match text {
        "" => Ok(0),
        _ => text.parse().ok().filter(|places| *places < 10).ok_or_else(|| anyhow::anyhow!("`{text}`: a digit")),
    }
}
