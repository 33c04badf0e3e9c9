//! Tokens to the syntax tree. Knows the grammar of declarations and operands, and no opcode.

mod body;
mod constant;
mod declarations;
mod function;
mod operands;

use super::ast::{Loc, Tree};
use super::lexer::{Lexer, Token};
use crate::{Limits, ParseError};

/// What fits on any thread's stack, whatever the caller allows.
const MAX_NESTING: u32 = 1024;

/// Parses a whole module.
pub fn parse(text: &str, limits: &Limits) -> Result<Tree, ParseError> {
    if text.len() > limits.text {
        let message = format!("{} bytes of PTX: the limit `text` is {}", text.len(), limits.text);
        return Err(ParseError { line: 1, column: 1, message });
    }
    let mut parser = Parser { lexer: Lexer::new(text)?, tree: Tree::default(), limits, variables: 0, bodies: true };
    parser.module()?;
    Ok(parser.tree)
}

/// Reads what stands outside of functions' bodies, up to the first mistake. Bodies are empty.
pub fn parse_declarations(text: &str) -> Tree {
    let limits = Limits { variables: u64::MAX, ..Limits::default() };
    let Ok(lexer) = Lexer::new(text) else { return Tree::default() };
    let mut parser = Parser { lexer, tree: Tree::default(), limits: &limits, variables: 0, bodies: false };
    // Whoever runs the text says what is wrong with it.
    let _mistake = parser.module();
    parser.tree
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    tree: Tree,
    limits: &'a Limits,
    /// Bytes of variables so far.
    variables: u64,
    /// Functions' bodies are read.
    bodies: bool,
}

type Parse<T> = Result<T, ParseError>;

impl<'a> Parser<'a> {
    fn describe(&self) -> String {
        match self.lexer.token {
            Token::Word(word) => format!("`{word}`"),
            Token::Int(value) => format!("`{value}`"),
            Token::F32(_) | Token::F64(_) => "a floating-point literal".into(),
            Token::Text(_) => "a string".into(),
            Token::Punct(byte) => format!("`{}`", byte as char),
            Token::End => "the end of the text".into(),
        }
    }

    fn expected<T>(&self, what: &str) -> Parse<T> {
        Err(self.lexer.error(format!("expected {what}, found {}", self.describe())))
    }

    /// Scopes inside each other cost stack.
    fn nested(&self, depth: u32) -> Parse<()> {
        let limit = self.limits.nesting.min(MAX_NESTING);
        if depth > limit {
            return Err(self.lexer.error(format!("braces nested too deeply: the limit `nesting` is {limit}")));
        }
        Ok(())
    }

    fn is(&self, punct: u8) -> bool {
        self.lexer.token == Token::Punct(punct)
    }

    fn eat(&mut self, punct: u8) -> Parse<bool> {
        let found = self.is(punct);
        if found {
            self.lexer.advance()?;
        }
        Ok(found)
    }

    fn need(&mut self, punct: u8) -> Parse<()> {
        if self.eat(punct)? { Ok(()) } else { self.expected(&format!("`{}`", punct as char)) }
    }

    fn word(&mut self, what: &str) -> Parse<&'a str> {
        let Token::Word(word) = self.lexer.token else { return self.expected(what) };
        self.lexer.advance()?;
        Ok(word)
    }

    fn int(&mut self, what: &str) -> Parse<u64> {
        let Token::Int(value) = self.lexer.token else { return self.expected(what) };
        self.lexer.advance()?;
        Ok(value)
    }

    /// Takes everything up to and with a `;`.
    fn skip_statement(&mut self) -> Parse<()> {
        while !self.eat(b';')? {
            if self.lexer.token == Token::End {
                return self.expected("`;`");
            }
            self.lexer.advance()?;
        }
        Ok(())
    }

    fn module(&mut self) -> Parse<()> {
        let mut versioned = false;
        loop {
            let word = match self.lexer.token {
                Token::End if versioned => return Ok(()),
                Token::Word(word) => word,
                Token::Punct(b';') => {
                    self.lexer.advance()?;
                    continue;
                }
                _ if versioned => return self.expected("a directive"),
                _ => return self.expected("`.version`: this is not PTX"),
            };
            if !versioned && word != ".version" {
                return self.expected("`.version`: this is not PTX");
            }
            match word {
                ".version" => {
                    versioned = true;
                    self.lexer.advance()?;
                    if !matches!(self.lexer.token, Token::F64(_) | Token::Int(_)) {
                        return self.expected("a version");
                    }
                    self.lexer.advance()?;
                }
                ".target" => {
                    self.lexer.advance()?;
                    let name = self.word("an architecture")?;
                    let number = name.strip_prefix("sm_").map(|rest| rest.trim_end_matches(['a', 'f']));
                    self.tree.target = number.and_then(|number| number.parse().ok()).unwrap_or(0);
                    while self.eat(b',')? {
                        self.word("a target option")?;
                    }
                }
                ".address_size" => {
                    self.lexer.advance()?;
                    self.int("32 or 64")?;
                }
                ".file" => self.file()?,
                ".section" => self.section()?,
                ".pragma" => self.skip_statement()?,
                ".loc" => {
                    self.loc()?;
                }
                ".visible" | ".extern" | ".weak" | ".common" => self.lexer.advance()?,
                ".func" | ".entry" => self.function()?,
                ".alias" => self.alias()?,
                _ => {
                    let vars = self.variables()?;
                    self.tree.vars.extend(vars);
                }
            }
        }
    }

    /// `.alias name, function;`
    fn alias(&mut self) -> Parse<()> {
        self.lexer.advance()?;
        let name = self.word("a function's other name")?.to_string();
        self.need(b',')?;
        let target = self.word("a function's name")?.to_string();
        self.tree.aliases.push((name, target));
        self.need(b';')
    }

    fn file(&mut self) -> Parse<()> {
        self.lexer.advance()?;
        let index = self.int("a file's index")?;
        let Token::Text(path) = self.lexer.token else { return self.expected("a file's path in quotes") };
        self.lexer.advance()?;
        while self.eat(b',')? {
            self.int("a number")?;
        }
        self.tree.files.push((index as u32, path.to_string()));
        Ok(())
    }

    fn section(&mut self) -> Parse<()> {
        self.lexer.advance()?;
        self.word("a section's name")?;
        self.need(b'{')?;
        self.skip_braces("`}` after a section")
    }

    /// Takes everything up to and with the brace that closes the one before.
    fn skip_braces(&mut self, missing: &str) -> Parse<()> {
        let mut depth = 1;
        while depth > 0 {
            match self.lexer.token {
                Token::Punct(b'{') => depth += 1,
                Token::Punct(b'}') => depth -= 1,
                Token::End => return self.expected(missing),
                _ => {}
            }
            self.lexer.advance()?;
        }
        Ok(())
    }

    /// `.loc file line column [, function_name label[+n], inlined_at file line column]`
    fn loc(&mut self) -> Parse<(Loc, Option<Loc>)> {
        self.lexer.advance()?;
        let position = |parser: &mut Self| -> Parse<Loc> {
            Ok(Loc {
                file: parser.int("a file's index")? as u32,
                line: parser.int("a line")? as u32,
                column: parser.int("a column")? as u32,
            })
        };
        let at = position(self)?;
        let mut inlined = None;
        while self.eat(b',')? || matches!(self.lexer.token, Token::Word("function_name" | "inlined_at")) {
            match self.word("`function_name` or `inlined_at`")? {
                "inlined_at" => inlined = Some(position(self)?),
                _ => {
                    self.word("a label")?;
                    if self.eat(b'+')? {
                        self.int("an offset")?;
                    }
                }
            }
        }
        Ok((at, inlined))
    }
}
