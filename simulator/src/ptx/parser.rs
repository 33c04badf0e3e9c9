//! Tokens to the syntax tree. Knows the grammar of declarations and operands, and no opcode.

use super::ast::{Function, Guard, Init, Instruction, Loc, Operand, Prototype, Statement, Tree, Ty, Var, VarSpace};
use super::lexer::{Lexer, Token};
use crate::ParseError;

/// Scopes nested deeper than this are refused: no compiler writes them, and they would cost stack.
const MAX_NESTING: u32 = 64;

/// Parses a whole module.
pub fn parse(text: &str) -> Result<Tree, ParseError> {
    let mut parser = Parser { lexer: Lexer::new(text)?, tree: Tree::default() };
    parser.module()?;
    Ok(parser.tree)
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    tree: Tree,
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
                    self.word("an architecture")?;
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
                ".alias" => self.skip_statement()?,
                _ => {
                    let vars = self.variables()?;
                    self.tree.vars.extend(vars);
                }
            }
        }
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
        let mut depth = 1;
        while depth > 0 {
            match self.lexer.token {
                Token::Punct(b'{') => depth += 1,
                Token::Punct(b'}') => depth -= 1,
                Token::End => return self.expected("`}` after a section"),
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

    fn function(&mut self) -> Parse<()> {
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
        let mut max_threads = None;
        loop {
            match self.lexer.token {
                Token::Punct(b'{') => {
                    self.lexer.advance()?;
                    let body = self.block(0)?;
                    self.tree.functions.push(Function { name, entry, prototype, max_threads, body: Some(body), line });
                    return Ok(());
                }
                Token::Punct(b';') => {
                    self.lexer.advance()?;
                    self.tree.functions.push(Function { name, entry, prototype, max_threads, body: None, line });
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
    fn params(&mut self) -> Parse<Vec<Var>> {
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

    fn variables(&mut self) -> Parse<Vec<Var>> {
        let vars = self.declaration_list()?;
        self.need(b';')?;
        Ok(vars)
    }

    fn declaration(&mut self) -> Parse<Vec<Var>> {
        self.declare(false)
    }

    fn declaration_list(&mut self) -> Parse<Vec<Var>> {
        self.declare(true)
    }

    /// `.space [.align n] .ty name[n] = {...}`, several names when `many`.
    fn declare(&mut self, many: bool) -> Parse<Vec<Var>> {
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
        let ty = ty.unwrap_or(Ty::B64);
        let mut vars = Vec::new();
        loop {
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
            vars.push(Var {
                space,
                name,
                ty,
                size: count.map(|count| count.saturating_mul(element)),
                align: align.filter(|&align| align > 0).unwrap_or(natural).max(1),
                init,
            });
            if !many || !self.eat(b',')? {
                return Ok(vars);
            }
        }
    }

    fn initialiser(&mut self, depth: u32) -> Parse<Vec<Init>> {
        if depth > MAX_NESTING {
            return Err(self.lexer.error("an initialiser nested too deeply"));
        }
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
        let negative = self.eat(b'-')?;
        let value = match self.lexer.token {
            Token::Int(value) => {
                self.lexer.advance()?;
                if self.eat(b'(')? {
                    let Init::Symbol { name, offset, .. } = self.symbol()? else { return self.expected("a symbol") };
                    self.need(b')')?;
                    return Ok(vec![Init::Symbol { name, offset, mask: value }]);
                }
                return Ok(vec![Init::Int(if negative { value.wrapping_neg() } else { value })]);
            }
            Token::F32(bits) => Init::F32(if negative { bits ^ (1 << 31) } else { bits }),
            Token::F64(bits) => Init::F64(if negative { bits ^ (1 << 63) } else { bits }),
            Token::Word(_) => return Ok(vec![self.symbol()?]),
            _ => return self.expected("an initial value"),
        };
        self.lexer.advance()?;
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

    /// `+n` and `-n`, any number of times.
    fn offset(&mut self) -> Parse<i64> {
        let mut offset = 0i64;
        loop {
            let negative = if self.eat(b'+')? {
                self.eat(b'-')?
            } else if self.eat(b'-')? {
                true
            } else {
                return Ok(offset);
            };
            let value = self.int("an offset")? as i64;
            offset = offset.wrapping_add(if negative { value.wrapping_neg() } else { value });
        }
    }

    fn block(&mut self, depth: u32) -> Parse<Vec<Statement>> {
        if depth > MAX_NESTING {
            return Err(self.lexer.error("scopes nested too deeply"));
        }
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

    fn operands(&mut self) -> Parse<Vec<Operand>> {
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
