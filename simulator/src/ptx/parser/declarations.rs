//! Variables and their initial values.

use super::constant::Constant;
use super::{Parse, Parser};
use crate::ptx::ast::{Init, Ty, Var, VarSpace};
use crate::ptx::lexer::Token;

/// What the window of variables holds, whatever the caller allows.
const MOST_VARIABLES: u64 = 1 << 39;

/// What all names of a declaration have in common.
struct Head {
    space: VarSpace,
    ty: Ty,
    /// As written; otherwise the type says.
    align: Option<u32>,
    /// Elements of a vector.
    lanes: u64,
}

impl Parser<'_> {
    pub(super) fn variables(&mut self) -> Parse<Vec<Var>> {
        let vars = self.declaration_list()?;
        self.need(b';')?;
        Ok(vars)
    }

    pub(super) fn declaration(&mut self) -> Parse<Vec<Var>> {
        self.declare(false)
    }

    fn declaration_list(&mut self) -> Parse<Vec<Var>> {
        self.declare(true)
    }

    /// `.space [.align n] .ty name[n] = {...}`, several names when `many`.
    fn declare(&mut self, many: bool) -> Parse<Vec<Var>> {
        let head = self.head_of_declaration()?;
        let mut vars = vec![self.variable(&head)?];
        while many && self.eat(b',')? {
            vars.push(self.variable(&head)?);
        }
        Ok(vars)
    }

    /// What stands before the names.
    fn head_of_declaration(&mut self) -> Parse<Head> {
        let (mut space, mut ty, mut align, mut lanes) = (None, None, None, 1u64);
        while let Token::Word(word) = self.lexer.token {
            let Some(name) = word.strip_prefix('.') else { break };
            match name {
                "global" => space = Some(VarSpace::Global),
                "const" => space = Some(VarSpace::Const),
                "shared" | "shared::cta" => space = Some(VarSpace::Shared),
                "local" => space = Some(VarSpace::Local),
                "param" => space = Some(VarSpace::Param),
                "reg" => space = Some(VarSpace::Reg),
                "align" => {
                    self.lexer.advance()?;
                    let Token::Int(value) = self.lexer.token else { return self.expected("an alignment") };
                    if !value.is_power_of_two() || value > 1 << 16 {
                        return self.expected("an alignment that is a power of two");
                    }
                    // Of `.align` and `.ptr .align` only the first is the variable's own.
                    align = align.or(Some(value as u32));
                }
                "ptr" => align = align.or(Some(0)),
                "v2" => lanes = 2,
                "v4" => lanes = 4,
                "v8" => lanes = 8,
                "attribute" => {
                    self.lexer.advance()?;
                    while !self.is(b')') {
                        if self.lexer.token == Token::End {
                            return self.expected("`)`");
                        }
                        self.lexer.advance()?;
                    }
                }
                "managed" | "unified" | "extern" | "visible" | "weak" | "common" | "surfref" | "texref"
                | "samplerref" => {}
                _ => match Ty::from_name(name) {
                    Some(found) => ty = Some(found),
                    None if space.is_none() => return self.expected("a directive or a variable declaration"),
                    None => {}
                },
            }
            self.lexer.advance()?;
        }
        let Some(space) = space else { return self.expected("a state space") };
        Ok(Head { space, ty: ty.unwrap_or(Ty::B64), align: align.filter(|&align| align > 0), lanes })
    }

    /// `name[n] = {...}`
    fn variable(&mut self, head: &Head) -> Parse<Var> {
        let Head { space, ty, align, lanes } = *head;
        let name = self.word("a name")?.to_string();
        let mut count = Some(lanes);
        while self.eat(b'[')? {
            if self.eat(b']')? {
                count = None;
            } else {
                let extent = self.int("an array's extent")?;
                count = count.map(|count| count.saturating_mul(extent));
                self.need(b']')?;
            }
        }
        let init = if self.eat(b'=')? { self.initialiser(0)? } else { Vec::new() };
        let element = u64::from(ty.size());
        if count.is_none() && !init.is_empty() {
            count = Some(init.len() as u64);
        }
        let natural = (element * lanes).min(128) as u32;
        let size = count.map(|count| count.saturating_mul(element));
        if matches!(space, VarSpace::Global | VarSpace::Const | VarSpace::Shared) {
            self.variables = self.variables.saturating_add(size.unwrap_or(0));
            let (bytes, limit) = (self.variables, self.limits.variables.min(MOST_VARIABLES));
            if bytes > limit {
                let message = format!("{bytes} bytes of variables with `{name}`: the limit `variables` is {limit}");
                return Err(self.lexer.error(message));
            }
        }
        Ok(Var { space, name, ty, size, align: align.unwrap_or(natural).max(1), init })
    }

    fn initialiser(&mut self, depth: u32) -> Parse<Vec<Init>> {
        self.nested(depth)?;
        if self.eat(b'{')? {
            let mut all = Vec::new();
            while !self.eat(b'}')? {
                all.extend(self.initialiser(depth + 1)?);
                if !self.eat(b',')? && !self.is(b'}') {
                    return self.expected("`,` or `}`");
                }
            }
            return Ok(all);
        }
        if matches!(self.lexer.token, Token::Word(word) if word != "WARP_SZ") {
            return Ok(vec![self.symbol()?]);
        }
        let value = match self.constant()? {
            Constant::Int(mask, _) if self.eat(b'(')? => {
                let Init::Symbol { name, offset, .. } = self.symbol()? else { return self.expected("a symbol") };
                self.need(b')')?;
                Init::Symbol { name, offset, mask }
            }
            Constant::Int(value, _) => Init::Int(value),
            Constant::F32(bits) => Init::F32(bits),
            Constant::F64(bits) => Init::F64(bits),
        };
        Ok(vec![value])
    }

    fn symbol(&mut self) -> Parse<Init> {
        let mut name = self.word("a symbol")?;
        if name == "generic" {
            self.need(b'(')?;
            name = self.word("a symbol")?;
            self.need(b')')?;
        }
        let offset = self.offset()?;
        Ok(Init::Symbol { name: name.to_string(), offset, mask: u64::MAX })
    }
}
