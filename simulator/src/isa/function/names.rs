//! What the names inside a function stand for.

use super::{Builder, Local, Lower, Symbol, Unknown};
use crate::isa::op::Reg;
use crate::isa::provenance::Array;
use crate::ptx::ast::Operand;

impl Builder<'_> {
    pub(super) fn find(&mut self, name: &str) -> Option<Local> {
        self.whole(name).or_else(|| self.component(name))
    }

    /// A name as it was declared.
    fn whole(&mut self, name: &str) -> Option<Local> {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &name[prefix.len()..];
        for depth in (0..self.scopes.len()).rev() {
            // Of a range `r<9>`, `r07` is `r7`, also where somebody declared another `r07`.
            let padded = digits.len() > 1 && digits.starts_with('0');
            if !padded && let Some(local) = self.scopes[depth].names.get(name) {
                return Some(local.clone());
            }
            let number = digits.parse::<u32>().ok();
            let ranges = &self.scopes[depth].ranges;
            let found = number.and_then(|number| ranges.iter().find(|(p, count, _)| p == prefix && number < *count));
            if let (Some(number), Some(&(_, _, ty))) = (number, found) {
                let name = format!("{prefix}{number}");
                if let Some(local) = self.scopes[depth].names.get(&name) {
                    return Some(local.clone());
                }
                let local = self.fresh(ty);
                self.scopes[depth].names.insert(name, local.clone());
                return Some(local);
            }
            if let Some(local) = self.scopes[depth].names.get(name) {
                return Some(local.clone());
            }
        }
        None
    }

    /// A component of a vector register, or of a special register.
    fn component(&mut self, name: &str) -> Option<Local> {
        let (base, part) = name.rsplit_once('.')?;
        let index = match part {
            "x" | "r" => 0,
            "y" | "g" => 1,
            "z" | "b" => 2,
            "w" | "a" => 3,
            _ => return None,
        };
        match self.whole(base)? {
            Local::Vector(parts) => parts.get(index).map(|&reg| Local::Register(reg)),
            _ => None,
        }
    }

    /// The register of that name.
    pub fn register(&mut self, name: &str) -> Option<Reg> {
        match self.find(name) {
            Some(Local::Register(reg)) => Some(reg),
            _ => None,
        }
    }

    /// Two 64-bit halves of a b128 register.
    pub fn register128(&mut self, operand: &Operand) -> Lower<[Reg; 2]> {
        let Operand::Name(name, 0) = operand else { return Err(Unknown) };
        match self.find(name) {
            Some(Local::Vector(parts)) if parts.len() == 2 => Ok([parts[0], parts[1]]),
            _ => Err(Unknown),
        }
    }

    /// The elements of a vector register, if the operand is one.
    pub fn vector_register(&mut self, operand: &Operand) -> Option<Vec<Reg>> {
        let Operand::Name(name, 0) = operand else { return None };
        match self.find(name) {
            Some(Local::Vector(parts)) => Some(parts),
            _ => None,
        }
    }

    /// Offset in the frame of a variable of that name.
    pub fn frame_offset(&mut self, name: &str) -> Option<u32> {
        match self.find(name) {
            Some(Local::Frame(offset)) => Some(offset),
            _ => None,
        }
    }

    /// Offset of a kernel's parameter.
    pub fn kernel_param(&mut self, name: &str) -> Option<u32> {
        match self.find(name) {
            Some(Local::KernelParam(offset)) => Some(offset),
            _ => None,
        }
    }

    /// The formal parameter that an address names, if so many bytes there are not all its own.
    pub fn beyond_parameter(&mut self, address: &Operand, bytes: u64) -> Option<Array> {
        let Operand::Address(inner) = address else { return None };
        let Operand::Name(name, offset) = inner.first()? else { return None };
        let at = match self.find(name)? {
            Local::Frame(at) | Local::KernelParam(at) => at,
            _ => return None,
        };
        let mut known = self.info.parameters.iter();
        let (_, from, size) = known.find(|(known, from, size)| known == name && *from == at && *size > 0)?;
        let end = u64::try_from(*offset).ok().and_then(|offset| offset.checked_add(bytes));
        end.is_none_or(|end| end > u64::from(*size)).then(|| (*from, from.saturating_add(*size)))
    }

    /// The constant address that a name of shared, global or constant memory stands for.
    pub fn fixed_address(&mut self, name: &str) -> Option<u64> {
        if let Some(local) = self.find(name) {
            return if let Local::Shared(offset) = local { Some(offset) } else { None };
        }
        match self.symbols.get(name)? {
            Symbol::Address(address) | Symbol::Shared(address) => Some(*address),
            Symbol::Function(index) => self.code.addresses.get(*index as usize).copied(),
            Symbol::SharedDynamic => None,
        }
    }

    /// The shared array of that name, if it has a size.
    pub fn array(&mut self, name: &str) -> Option<Array> {
        let at = match self.find(name) {
            Some(Local::Shared(offset)) => offset,
            Some(_) => return None,
            None => match self.symbols.get(name)? {
                Symbol::Shared(at) => *at,
                _ => return None,
            },
        };
        let all = self.own_shared.iter().chain(self.shared_names);
        let size = all.filter(|(_, from, _)| *from == at).map(|(.., size)| *size).find(|size| *size > 0)?;
        Some((u32::try_from(at).ok()?, u32::try_from(at + size).ok()?))
    }

    /// The shared array that an address names.
    pub fn array_named(&mut self, address: &Operand) -> Option<Array> {
        match address {
            Operand::Address(inner) => match inner.first()? {
                Operand::Name(name, _) if self.register(name).is_none() => self.array(name),
                _ => None,
            },
            _ => None,
        }
    }

    /// Dynamic shared memory by that name?
    pub fn is_dynamic_shared(&mut self, name: &str) -> bool {
        self.find(name).is_none() && matches!(self.symbols.get(name), Some(Symbol::SharedDynamic))
    }

    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<u32> {
        match self.symbols.get(name) {
            Some(Symbol::Function(index)) => Some(*index),
            _ => None,
        }
    }

    /// A label's number.
    pub fn label(&mut self, name: &str) -> Option<u32> {
        self.scopes.iter().rev().find_map(|scope| scope.labels.get(name).copied())
    }

    /// Is that prototype's function declared never to return?
    pub fn prototype_never_returns(&self, name: &str) -> bool {
        self.scopes.iter().rev().find_map(|scope| scope.prototypes.get(name).copied()).unwrap_or(false)
    }

    /// A `.branchtargets` or `.calltargets` list.
    pub fn targets(&self, name: &str) -> Option<Vec<String>> {
        self.scopes.iter().rev().find_map(|scope| scope.targets.get(name).cloned())
    }
}
