//! Operands of instructions.

use super::{Parse, Parser};
use crate::ptx::ast::Operand;
use crate::ptx::lexer::Token;

impl Parser<'_> {
    pub(super) fn operands(&mut self) -> Parse<Vec<Operand>> {
        let mut operands = Vec::new();
        if self.eat(b';')? {
            return Ok(operands);
        }
        loop {
            operands.push(self.operand(0)?);
            if self.eat(b';')? {
                return Ok(operands);
            }
            self.need(b',')?;
        }
    }

    fn sequence(&mut self, close: u8, depth: u32) -> Parse<Vec<Operand>> {
        let mut all = Vec::new();
        while !self.eat(close)? {
            all.push(self.operand(depth + 1)?);
            if !self.eat(b',')? && !self.is(close) {
                return self.expected(&format!("`,` or `{}`", close as char));
            }
        }
        Ok(all)
    }

    fn operand(&mut self, depth: u32) -> Parse<Operand> {
        if depth > 8 {
            return Err(self.lexer.error("an operand nested too deeply"));
        }
        let operand = match self.lexer.token {
            Token::Punct(b'[') => {
                self.lexer.advance()?;
                Operand::Address(self.sequence(b']', depth)?)
            }
            Token::Punct(b'{') => {
                self.lexer.advance()?;
                Operand::Vector(self.sequence(b'}', depth)?)
            }
            Token::Punct(b'(') => {
                self.lexer.advance()?;
                Operand::List(self.sequence(b')', depth)?)
            }
            Token::Punct(b'!') => {
                self.lexer.advance()?;
                Operand::Not(Box::new(self.operand(depth + 1)?))
            }
            Token::Punct(b'-') => {
                self.lexer.advance()?;
                match self.operand(depth + 1)? {
                    Operand::Int(value) => Operand::Int(value.wrapping_neg()),
                    Operand::F32(bits) => Operand::F32(bits ^ (1 << 31)),
                    Operand::F64(bits) => Operand::F64(bits ^ (1 << 63)),
                    other => Operand::Negated(Box::new(other)),
                }
            }
            Token::Punct(b'~') => {
                self.lexer.advance()?;
                match self.operand(depth + 1)? {
                    Operand::Int(value) => Operand::Int(!value),
                    _ => return self.expected("an integer after `~`"),
                }
            }
            Token::Int(value) => {
                self.lexer.advance()?;
                let offset = self.offset()?;
                Operand::Int(value.wrapping_add(offset as u64))
            }
            Token::F32(bits) => {
                self.lexer.advance()?;
                Operand::F32(bits)
            }
            Token::F64(bits) => {
                self.lexer.advance()?;
                Operand::F64(bits)
            }
            Token::Word("_") => {
                self.lexer.advance()?;
                Operand::Sink
            }
            Token::Word(word) => {
                self.lexer.advance()?;
                let offset = self.offset()?;
                Operand::Name(word.to_string(), offset)
            }
            _ => return self.expected("an operand"),
        };
        if self.eat(b'|')? {
            let second = self.operand(depth + 1)?;
            return Ok(Operand::Pair(Box::new(operand), Box::new(second)));
        }
        Ok(operand)
    }
}
