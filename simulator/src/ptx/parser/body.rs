//! Statements of a function's body.

use super::{Parse, Parser};
use crate::ptx::ast::{Guard, Instruction, Prototype, Statement, Ty};
use crate::ptx::lexer::Token;

impl Parser<'_> {
    pub(super) fn block(&mut self, depth: u32) -> Parse<Vec<Statement>> {
        self.nested(depth)?;
        let mut statements = Vec::new();
        loop {
            match self.lexer.token {
                Token::Punct(b'}') => {
                    self.lexer.advance()?;
                    return Ok(statements);
                }
                Token::Punct(b'{') => {
                    self.lexer.advance()?;
                    statements.push(Statement::Block(self.block(depth + 1)?));
                }
                Token::Punct(b';') => self.lexer.advance()?,
                Token::Punct(b'@') => statements.push(Statement::Instruction(self.instruction()?)),
                Token::Word(".loc") => {
                    let (at, inlined) = self.loc()?;
                    statements.push(Statement::Loc(at, inlined));
                }
                Token::Word(".file") => self.file()?,
                Token::Word(".reg") => self.registers(&mut statements)?,
                Token::Word(".pragma") => self.skip_statement()?,
                Token::Word(".section") => self.section()?,
                Token::Word(word) if word.starts_with('.') => {
                    statements.extend(self.variables()?.into_iter().map(Statement::Var));
                }
                Token::Word(word) => {
                    let line = self.lexer.token_line;
                    self.lexer.advance()?;
                    if self.eat(b':')? {
                        self.labelled(word, &mut statements)?;
                    } else {
                        let operands = self.operands()?;
                        let opcode = word.to_string();
                        statements.push(Statement::Instruction(Instruction { guard: None, opcode, operands, line }));
                    }
                }
                _ => return self.expected("a statement or `}`"),
            }
        }
    }

    fn labelled(&mut self, name: &str, statements: &mut Vec<Statement>) -> Parse<()> {
        match self.lexer.token {
            Token::Word(".branchtargets" | ".calltargets") => {
                self.lexer.advance()?;
                let mut names = vec![self.word("a label")?.to_string()];
                while self.eat(b',')? {
                    names.push(self.word("a label")?.to_string());
                }
                self.need(b';')?;
                statements.push(Statement::Targets(name.to_string(), names));
            }
            Token::Word(".callprototype") => {
                self.lexer.advance()?;
                let mut prototype = Prototype::default();
                if self.is(b'(') {
                    prototype.returns = self.params()?;
                }
                self.word("`_`")?;
                if self.is(b'(') {
                    prototype.params = self.params()?;
                }
                while let Token::Word(word) = self.lexer.token {
                    if !word.starts_with('.') {
                        break;
                    }
                    self.lexer.advance()?;
                    if matches!(self.lexer.token, Token::Int(_)) {
                        self.lexer.advance()?;
                    }
                }
                self.need(b';')?;
                statements.push(Statement::Prototype(name.to_string(), prototype));
            }
            _ => statements.push(Statement::Label(name.to_string())),
        }
        Ok(())
    }

    fn registers(&mut self, statements: &mut Vec<Statement>) -> Parse<()> {
        self.lexer.advance()?;
        let (mut ty, mut lanes) = (None, 1);
        while let Token::Word(word) = self.lexer.token {
            match word {
                ".v2" => lanes = 2,
                ".v4" => lanes = 4,
                _ => match word.strip_prefix('.').map(Ty::from_name) {
                    Some(Some(found)) => ty = Some(found),
                    Some(None) => return self.expected("a register's type"),
                    None => break,
                },
            }
            self.lexer.advance()?;
        }
        let Some(ty) = ty else { return self.expected("a register's type") };
        loop {
            let name = self.word("a register's name")?.to_string();
            let mut count = None;
            if self.eat(b'<')? {
                count = Some(u32::try_from(self.int("a count")?).unwrap_or(u32::MAX));
                self.need(b'>')?;
            }
            statements.push(Statement::Reg { ty, lanes, name, count });
            if !self.eat(b',')? {
                return self.need(b';');
            }
        }
    }

    fn instruction(&mut self) -> Parse<Instruction> {
        self.need(b'@')?;
        let negated = self.eat(b'!')?;
        let name = self.word("a predicate")?.to_string();
        let line = self.lexer.token_line;
        let opcode = self.word("an opcode")?.to_string();
        let operands = self.operands()?;
        Ok(Instruction { guard: Some(Guard { name, negated }), opcode, operands, line })
    }
}
