//! Operands of instructions.

use super::constant::Constant;
use super::{Parse, Parser};
use crate::ptx::ast::Operand;
use crate::ptx::lexer::Token;

impl Parser<'_> {
    /// Operands up to `;`. Of a call, what stands in brackets is a `list`.
    pub(super) fn operands(&mut self, list: bool) -> Parse<Vec<Operand>> {
        let mut operands = Vec::new();
        if self.eat(b';')? {
            return Ok(operands);
        }
        loop {
            operands.push(self.operand(0, list)?);
            if self.eat(b';')? {
                return Ok(operands);
            }
            self.need(b',')?;
        }
    }

    fn sequence(&mut self, close: u8, depth: u32) -> Parse<Vec<Operand>> {
        let mut all = Vec::new();
        while !self.eat(close)? {
            all.push(self.operand(depth + 1, false)?);
            if !self.eat(b',')? && !self.is(close) {
                return self.expected(&format!("`,` or `{}`", close as char));
            }
        }
        Ok(all)
    }

    fn operand(&mut self, depth: u32, list: bool) -> Parse<Operand> {
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
            // A list of a call's parameters, or a constant in brackets.
            Token::Punct(b'(') if list => {
                self.lexer.advance()?;
                Operand::List(self.sequence(b')', depth)?)
            }
            Token::Punct(b'!') if self.lexer.before_a_name() => {
                self.lexer.advance()?;
                Operand::Not(Box::new(self.operand(depth + 1, false)?))
            }
            Token::Punct(b'-') if self.lexer.before_a_name() => {
                self.lexer.advance()?;
                Operand::Negated(Box::new(self.operand(depth + 1, false)?))
            }
            Token::Word("WARP_SZ")
            | Token::Int(_)
            | Token::F32(_)
            | Token::F64(_)
            | Token::Punct(b'(' | b'!' | b'-' | b'+' | b'~') => match self.constant()? {
                Constant::Int(value, _) => Operand::Int(value),
                Constant::F32(bits) => Operand::F32(bits),
                Constant::F64(bits) => Operand::F64(bits),
            },
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
            let second = self.operand(depth + 1, false)?;
            return Ok(Operand::Pair(Box::new(operand), Box::new(second)));
        }
        Ok(operand)
    }
}
