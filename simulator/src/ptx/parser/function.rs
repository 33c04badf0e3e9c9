//! Functions: prototypes, performance directives.

use super::{Parse, Parser};
use crate::ptx::ast::{Function, Prototype, Var};
use crate::ptx::lexer::Token;

impl Parser<'_> {
    pub(super) fn function(&mut self) -> Parse<()> {
        let entry = self.lexer.token == Token::Word(".entry");
        self.lexer.advance()?;
        let mut prototype = Prototype::default();
        if !entry && matches!(self.lexer.token, Token::Word(".attribute")) {
            self.lexer.advance()?;
            self.need(b'(')?;
            while !self.eat(b')')? {
                if self.lexer.token == Token::End {
                    return self.expected("`)`");
                }
                self.lexer.advance()?;
            }
        }
        if self.is(b'(') {
            prototype.returns = self.params()?;
        }
        let line = self.lexer.token_line;
        let name = self.word("a function's name")?.to_string();
        if self.is(b'(') {
            prototype.params = self.params()?;
        }
        let (mut max_threads, mut cluster) = (None, 1u64);
        loop {
            match self.lexer.token {
                Token::Punct(b'{') => {
                    self.lexer.advance()?;
                    let body = self.block(0)?;
                    self.tree.functions.push(Function {
                        name,
                        entry,
                        prototype,
                        max_threads,
                        cluster,
                        body: Some(body),
                        line,
                    });
                    return Ok(());
                }
                Token::Punct(b';') => {
                    self.lexer.advance()?;
                    self.tree.functions.push(Function {
                        name,
                        entry,
                        prototype,
                        max_threads,
                        cluster,
                        body: None,
                        line,
                    });
                    return Ok(());
                }
                Token::Word(".maxntid" | ".reqntid") => {
                    self.lexer.advance()?;
                    let mut threads = self.int("an extent")?;
                    while self.eat(b',')? {
                        threads = threads.saturating_mul(self.int("an extent")?);
                    }
                    max_threads = Some(u32::try_from(threads).unwrap_or(u32::MAX));
                }
                Token::Word(".reqnctapercluster") => {
                    self.lexer.advance()?;
                    cluster = self.int("an extent")?;
                    while self.eat(b',')? {
                        cluster = cluster.saturating_mul(self.int("an extent")?);
                    }
                }
                Token::Word(".pragma") => self.skip_statement()?,
                Token::Word(word) if word.starts_with('.') => {
                    self.lexer.advance()?;
                    while matches!(self.lexer.token, Token::Int(_) | Token::Punct(b',')) {
                        self.lexer.advance()?;
                    }
                }
                _ => return self.expected("`{`, `;` or a performance directive"),
            }
        }
    }

    /// `( .param .u64 a, .reg .b32 b, ... )`
    pub(super) fn params(&mut self) -> Parse<Vec<Var>> {
        self.need(b'(')?;
        let mut params = Vec::new();
        while !self.eat(b')')? {
            let vars = self.declaration()?;
            params.extend(vars);
            if !self.eat(b',')? && !self.is(b')') {
                return self.expected("`,` or `)`");
            }
        }
        Ok(params)
    }
}
