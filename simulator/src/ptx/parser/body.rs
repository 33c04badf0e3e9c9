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
                Token::Word(".pragma") => statements.extend(self.pragma()?.map(Statement::UsedBytes)),
                Token::Word(".section") => self.section()?,
                Token::Word(word) if word.starts_with('.') => {
                    statements.extend(self.variables()?.into_iter().map(Statement::Var));
                }
                Token::Word(word) => {
                    let (line, written) = (self.lexer.token_line, self.lexer.written);
                    self.lexer.advance()?;
                    if self.eat(b':')? {
                        self.labelled(word, &mut statements)?;
                    } else {
                        let opcode = self.opcode(word)?;
                        let operands = self.operands(opcode.starts_with("call"))?;
                        statements.push(Statement::Instruction(Instruction {
                            guard: None,
                            opcode,
                            operands,
                            line,
                            written,
                        }));
                    }
                }
                _ => return self.expected("a statement or `}`"),
            }
        }
    }

    /// Pragmas are strings. One says what of the next load is used; the others (`nounroll`, `frequency n`,
    /// `enable_smem_spilling`, ...) change how fast something is, and unknown ones are ignored by the assembler, too.
    fn pragma(&mut self) -> Parse<Option<u64>> {
        self.lexer.advance()?;
        let mut used = None;
        while !self.eat(b';')? {
            match self.lexer.token {
                Token::Text(text) => {
                    let mask = text.trim().strip_prefix("used_bytes_mask").map(str::trim);
                    let hex = mask.and_then(|mask| mask.strip_prefix("0x").or_else(|| mask.strip_prefix("0X")));
                    let value = match (mask, hex) {
                        (None, _) => None,
                        (_, Some(hex)) => u64::from_str_radix(hex, 16).ok(),
                        (Some(mask), None) => mask.parse().ok(),
                    };
                    used = value.or(used);
                }
                Token::Punct(b',') => {}
                _ => return self.expected("a pragma in quotes"),
            }
            self.lexer.advance()?;
        }
        Ok(used)
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
                    match word {
                        ".noreturn" => prototype.never_returns = true,
                        ".abi_preserve" | ".abi_preserve_control" => {}
                        _ => return self.expected("`.noreturn`, `.abi_preserve` or `;`"),
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

    /// The opcode that begins with that word: modifiers may stand apart from it.
    fn opcode(&mut self, first: &str) -> Parse<String> {
        let mut opcode = first.to_string();
        while let Token::Word(word) = self.lexer.token {
            if !word.starts_with('.') {
                break;
            }
            opcode.push_str(word);
            self.lexer.advance()?;
        }
        Ok(opcode)
    }

    fn instruction(&mut self) -> Parse<Instruction> {
        self.need(b'@')?;
        let negated = self.eat(b'!')?;
        let name = self.word("a predicate")?.to_string();
        let (line, written) = (self.lexer.token_line, self.lexer.written);
        let first = self.word("an opcode")?;
        let opcode = self.opcode(first)?;
        let operands = self.operands(opcode.starts_with("call"))?;
        Ok(Instruction { guard: Some(Guard { name, negated }), opcode, operands, line, written })
    }
}
