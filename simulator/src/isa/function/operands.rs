//! Operands as registers.

use super::{Builder, Lower, Unknown};
use crate::isa::op::{Cmp, Op, R, Reg, Special};
use crate::memory::window;
use crate::ptx::ast::{Operand, Ty};

impl Builder<'_> {
    /// The register that holds an operand, as the operand is (its width may differ from the type's).
    pub fn source(&mut self, operand: &Operand, ty: Ty) -> Lower<Reg> {
        match operand {
            Operand::Name(name, offset) => {
                if let Some(reg) = self.register(name) {
                    return if *offset == 0 { Ok(reg) } else { Err(Unknown) };
                }
                if name == "WARP_SZ" && *offset == 0 {
                    return Ok(self.constant(ty, 32));
                }
                if name == "%is_explicit_cluster" && ty == Ty::Pred {
                    #[cfg(target_family = "wasm")]
                    return Ok(Reg::P(self.const_predicate(false)));
                    #[cfg(not(target_family = "wasm"))]
                    return self.nonzero(name);
                }
                if name.starts_with('%') {
                    return self.special(name);
                }
                self.address_of(name, *offset, ty)
            }
            Operand::Int(value) if ty == Ty::Pred => Ok(Reg::P(self.const_predicate(*value != 0))),
            Operand::Int(value) if ty == Ty::F32 => Ok(Reg::R32(self.const32((*value as i64 as f32).to_bits()))),
            Operand::Int(value) if ty == Ty::F64 => Ok(Reg::R64(self.const64((*value as i64 as f64).to_bits()))),
            Operand::Int(value) => Ok(self.constant(ty, *value)),
            // Bits, also where 64 are asked for: `0f3f800000` is no 1.0 there.
            Operand::F32(bits) => Ok(self.constant(ty, u64::from(*bits))),
            Operand::F64(bits) if ty.size() == 8 => Ok(Reg::R64(self.const64(*bits))),
            Operand::F64(bits) if ty.size() == 4 => {
                Ok(Reg::R32(self.const32((f64::from_bits(*bits) as f32).to_bits())))
            }
            Operand::Not(inner) if ty == Ty::Pred => {
                let Reg::P(a) = self.source(inner, ty)? else { return Err(Unknown) };
                let d = self.temp_p();
                self.emit(Op::NotP { d, a });
                Ok(Reg::P(d))
            }
            Operand::Address(inner) if inner.len() == 1 => self.source(&inner[0], ty),
            _ => Err(Unknown),
        }
    }

    /// Is a special register other than 0?
    #[cfg(not(target_family = "wasm"))]
    fn nonzero(&mut self, name: &str) -> Lower<Reg> {
        let Reg::R32(a) = self.special(name)? else { return Err(Unknown) };
        let (b, d) = (self.const32(0), self.temp_p());
        self.emit(Op::SetU32 { d, a, b, cmp: Cmp::Ne });
        Ok(Reg::P(d))
    }

    fn const_predicate(&mut self, value: bool) -> R {
        let one = self.const32(u32::from(value));
        let zero = self.const32(0);
        let d = self.temp_p();
        self.emit(Op::SetU32 { d, a: one, b: zero, cmp: Cmp::Ne });
        d
    }

    fn address_of(&mut self, name: &str, offset: i64, ty: Ty) -> Lower<Reg> {
        if let Some(at) = self.frame_offset(name) {
            let d = self.temp64();
            self.emit(Op::LocalAddress64 { d, offset: at.wrapping_add(offset as u32) });
            return Ok(self.narrow(Reg::R64(d), ty));
        }
        if let Some(at) = self.kernel_param(name) {
            return Ok(self.constant(ty, window::PARAM.wrapping_add(u64::from(at)).wrapping_add(offset as u64)));
        }
        if self.is_dynamic_shared(name) {
            let d = self.temp32();
            self.emit(Op::Special32 { d, which: Special::DynamicSmemBase });
            if offset != 0 {
                let b = self.const32(offset as u32);
                self.emit(Op::Add32 { d, a: d, b });
            }
            if ty.size() == 8 {
                let wide = self.temp64();
                self.emit(Op::Zext { d: wide, a: d });
                return Ok(Reg::R64(wide));
            }
            return Ok(Reg::R32(d));
        }
        let address = self.fixed_address(name).ok_or(Unknown)?.wrapping_add(offset as u64);
        match self.array(name) {
            Some(array) if ty.size() >= 4 => Ok(self.array_address(ty, address, array)),
            _ => Ok(self.constant(ty, address)),
        }
    }

    fn narrow(&mut self, reg: Reg, ty: Ty) -> Reg {
        match (reg, ty.size() == 8) {
            (Reg::R64(a), false) => {
                let d = self.temp32();
                self.emit(Op::Trunc { d, a });
                Reg::R32(d)
            }
            _ => reg,
        }
    }

    fn special(&mut self, name: &str) -> Lower<Reg> {
        let (which, wide) = super::special::register(name).ok_or(Unknown)?;
        if wide {
            let d = self.temp64();
            self.emit(Op::Special64 { d, which });
            Ok(Reg::R64(d))
        } else {
            let d = self.temp32();
            self.emit(Op::Special32 { d, which });
            Ok(Reg::R32(d))
        }
    }

    /// A 32-bit source.
    pub fn source32(&mut self, operand: &Operand, ty: Ty) -> Lower<R> {
        match self.source(operand, ty)? {
            Reg::R32(r) => Ok(r),
            Reg::R64(a) => {
                let d = self.temp32();
                self.emit(Op::Trunc { d, a });
                Ok(d)
            }
            _ => Err(Unknown),
        }
    }

    /// A 64-bit source.
    pub fn source64(&mut self, operand: &Operand, ty: Ty) -> Lower<R> {
        match self.source(operand, ty)? {
            Reg::R64(r) => Ok(r),
            Reg::R32(a) => {
                let d = self.temp64();
                self.emit(if ty.signed() { Op::Sext { d, a } } else { Op::Zext { d, a } });
                Ok(d)
            }
            _ => Err(Unknown),
        }
    }

    /// A predicate source.
    pub fn source_p(&mut self, operand: &Operand) -> Lower<R> {
        match self.source(operand, Ty::Pred)? {
            Reg::P(r) => Ok(r),
            _ => Err(Unknown),
        }
    }

    /// The register an operand names as destination; `_` is none.
    pub fn destination(&mut self, operand: &Operand) -> Lower<Reg> {
        match operand {
            Operand::Sink => Ok(Reg::None),
            Operand::Name(name, 0) => self.register(name).ok_or(Unknown),
            _ => Err(Unknown),
        }
    }

    /// A 32-bit destination; a wider register gets the zero-extended result.
    pub fn destination32(&mut self, operand: &Operand) -> Lower<R> {
        match self.destination(operand)? {
            Reg::R32(r) => Ok(r),
            Reg::R64(d) => {
                let a = self.temp32();
                self.post.push(Op::Zext { d, a });
                Ok(a)
            }
            Reg::None => Ok(self.temp32()),
            Reg::P(_) => Err(Unknown),
        }
    }

    /// A 64-bit destination; a narrower register gets the low half.
    pub fn destination64(&mut self, operand: &Operand) -> Lower<R> {
        match self.destination(operand)? {
            Reg::R64(r) => Ok(r),
            Reg::R32(d) => {
                let a = self.temp64();
                self.post.push(Op::Trunc { d, a });
                Ok(a)
            }
            Reg::None => Ok(self.temp64()),
            Reg::P(_) => Err(Unknown),
        }
    }

    /// A predicate destination.
    pub fn destination_p(&mut self, operand: &Operand) -> Lower<R> {
        match self.destination(operand)? {
            Reg::P(r) => Ok(r),
            Reg::None => Ok(self.temp_p()),
            _ => Err(Unknown),
        }
    }
}
