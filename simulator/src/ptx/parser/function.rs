//! Functions: prototypes, performance directives.

use super::{Parse, Parser};
use crate::ptx::ast::{Function, Prototype, Var};
use crate::ptx::lexer::Token;

/// Directives that say how many registers a thread may have and how many blocks shall fit: the assembler keeps to them, and
/// what comes of it is in the machine code. None of them changes a result.
const WITHOUT_EFFECT: [&str; 7] = [
    ".minnctapersm",
    ".maxnctapersm",
    ".maxnreg",
    ".maxclusterrank",
    ".abi_preserve",
    ".abi_preserve_control",
    ".unified",
];

impl Parser<'_> {
    pub(super) fn function(&mut self) -> Parse<()> {
        let mut function = self.head()?;
        // `.explicitcluster`: the launch is to say how large clusters are, unless the kernel does.
        let mut explicit = false;
        loop {
            match self.lexer.token {
                Token::Punct(b'{') => {
                    self.lexer.advance()?;
                    if explicit && function.cluster.is_none() {
                        function.unknown = Some(".explicitcluster without .reqnctapercluster".to_owned());
                    }
                    function.body = Some(if self.bodies {
                        self.block(0)?
                    } else {
                        self.skip_braces("`}` after a body")?;
                        Vec::new()
                    });
                    break;
                }
                Token::Punct(b';') => {
                    self.lexer.advance()?;
                    break;
                }
                Token::Word(word) if word.starts_with('.') => self.directive(word, &mut function, &mut explicit)?,
                _ => return self.expected("`{`, `;` or a performance directive"),
            }
        }
        self.tree.functions.push(function);
        Ok(())
    }

    /// `.entry name(...)`, `.func (...) name (...)`
    fn head(&mut self) -> Parse<Function> {
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
        Ok(Function {
            name,
            entry,
            prototype,
            max_threads: None,
            required_block: None,
            unknown: None,
            cluster: None,
            body: None,
            line,
        })
    }

    fn directive(&mut self, word: &str, function: &mut Function, explicit: &mut bool) -> Parse<()> {
        match word {
            ".maxntid" | ".reqntid" => {
                let extents = self.extents()?;
                let threads = extents.iter().map(|&extent| u64::from(extent)).product::<u64>();
                let threads = u32::try_from(threads).unwrap_or(u32::MAX);
                function.max_threads = Some(function.max_threads.map_or(threads, |most| most.min(threads)));
                if word == ".reqntid" {
                    function.required_block = Some(extents);
                }
                Ok(())
            }
            ".reqnctapercluster" => {
                function.cluster = Some(self.extents()?);
                Ok(())
            }
            ".explicitcluster" => {
                *explicit = true;
                self.lexer.advance()
            }
            ".noreturn" => {
                function.prototype.never_returns = true;
                self.lexer.advance()
            }
            ".pragma" => self.skip_statement(),
            word => {
                if !WITHOUT_EFFECT.contains(&word) {
                    function.unknown = Some(word.to_owned());
                }
                self.lexer.advance()?;
                while matches!(self.lexer.token, Token::Int(_) | Token::Punct(b',')) {
                    self.lexer.advance()?;
                }
                Ok(())
            }
        }
    }

    /// One to three extents after a directive; those that are left out are 1.
    fn extents(&mut self) -> Parse<[u32; 3]> {
        self.lexer.advance()?;
        let mut extents = [1; 3];
        for (axis, extent) in extents.iter_mut().enumerate() {
            if axis == 0 || self.eat(b',')? {
                *extent = u32::try_from(self.int("an extent")?).unwrap_or(u32::MAX);
            }
        }
        Ok(extents)
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
