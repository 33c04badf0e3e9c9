//! Lowering one function: scopes, registers, constants and the emission of operations. What each opcode becomes is in
//! the `lower_*` modules.

mod names;
mod operands;
mod special;
mod split_loads;
mod statements;
mod used;

use super::analysis::contract::Unrounded;
use super::op::{Approximate, Code, FunctionInfo, Inst, LongFn, MapFn, MapOp, NO_GUARD, Op, Origin, R, Reg, Use};
use super::provenance::Array;
use crate::appearance::nans::Nans;
use crate::ptx::ast::{Loc, Ty};
use std::collections::{HashMap, HashSet, VecDeque};

/// Why an instruction cannot be lowered; it becomes [`Op::Unsupported`].
pub struct Unknown;

/// Result of lowering.
pub type Lower<T> = Result<T, Unknown>;

/// What a module-level name stands for.
#[derive(Debug, Clone)]
pub enum Symbol {
    /// A generic address.
    Address(u64),
    /// An offset in shared memory.
    Shared(u64),
    /// Dynamic shared memory.
    SharedDynamic,
    /// A function by index.
    Function(u32),
}

/// What a name inside a function stands for.
#[derive(Debug, Clone)]
enum Local {
    Register(Reg),
    /// A vector register's elements.
    Vector(Vec<Reg>),
    /// Bytes of the frame.
    Frame(u32),
    /// Bytes of a kernel's parameters.
    KernelParam(u32),
    Shared(u64),
}

#[derive(Default)]
struct Scope {
    names: HashMap<String, Local>,
    ranges: Vec<(String, u32, Ty)>,
    labels: HashMap<String, u32>,
    targets: HashMap<String, Vec<String>>,
    /// Prototypes, and whether they are `.noreturn`.
    prototypes: HashMap<String, bool>,
}

/// A function on its way to flat code. Program counters are local to it until [`super::control_flow`] places it.
pub struct Builder<'m> {
    /// Module-level names.
    pub symbols: &'m HashMap<String, Symbol>,
    /// Side tables.
    pub code: &'m mut Code,
    /// What becomes of the result of the shuffle being lowered.
    pub used_at_once: Use,
    /// The shuffle being lowered takes the result of the one before.
    pub fed: bool,
    /// PTX line of the shuffle that takes the result of the last one.
    pub feeds: Option<u32>,
    /// The function's frame.
    pub info: FunctionInfo,
    /// Its operations.
    pub insts: Vec<Inst>,
    /// Parallel to `insts`.
    pub origins: Vec<Origin>,
    /// Positions of labels; `NOWHERE` until seen.
    pub labels: Vec<u32>,
    /// Shared memory of function-level variables starts here.
    pub shared: u64,
    /// Its shared variables: name, offset, bytes.
    pub own_shared: Vec<(String, u64, u64)>,
    /// The module's shared variables: name, offset, bytes.
    pub shared_names: &'m [(String, u64, u64)],
    /// Registers that hold addresses of shared arrays, and which.
    pub arrays: Vec<(Reg, Array, u64)>,
    /// The function is an entry.
    pub entry: bool,
    /// Bytes of the values that calls take and give, by offset in the frame.
    pub passed: HashMap<u32, u32>,
    /// The instruction being lowered is PTX of the source's own.
    pub written: bool,
    /// Bytes of the load being lowered that are used, where a pragma says so.
    pub used_bytes: Option<u64>,
    /// Products and sums that name no rounding, by operation.
    pub unrounded: Vec<(usize, Unrounded)>,
    /// A modifier of the instruction being lowered that nobody knows.
    pub unknown_modifier: Option<String>,
    scopes: Vec<Scope>,
    /// Offsets of the local variables that are still to be declared, where they have been placed.
    locals: VecDeque<u32>,
    constants32: HashMap<u32, R>,
    constants64: HashMap<u64, R>,
    guard: u16,
    counted: bool,
    post: Vec<Op>,
    inlined: HashMap<Loc, Loc>,
    at: Option<Loc>,
    own_file: Option<u32>,
    origin: Origin,
    /// Names that instructions read, where somebody asks.
    read: HashSet<String>,
    too_many: bool,
    most: u32,
    carry: Option<R>,
}

impl<'m> Builder<'m> {
    /// A builder for the function of that index.
    pub fn new(
        symbols: &'m HashMap<String, Symbol>,
        code: &'m mut Code,
        index: u32,
        entry: bool,
        (shared, shared_names): (u64, &'m [(String, u64, u64)]),
        registers: u32,
    ) -> Self {
        Self {
            symbols,
            code,
            used_at_once: Use::Unknown,
            fed: false,
            feeds: None,
            info: FunctionInfo::default(),
            insts: Vec::new(),
            origins: Vec::new(),
            labels: Vec::new(),
            shared,
            own_shared: Vec::new(),
            shared_names,
            arrays: Vec::new(),
            entry,
            used_bytes: None,
            written: false,
            passed: HashMap::new(),
            unrounded: Vec::new(),
            unknown_modifier: None,
            scopes: vec![Scope::default()],
            locals: VecDeque::new(),
            constants32: HashMap::new(),
            constants64: HashMap::new(),
            guard: NO_GUARD,
            counted: false,
            post: Vec::new(),
            inlined: HashMap::new(),
            at: None,
            own_file: None,
            origin: Origin { function: index, ..Origin::default() },
            read: HashSet::new(),
            too_many: false,
            most: registers.min(u32::from(u16::MAX >> 1)),
            carry: None,
        }
    }

    /// More registers than an operation can name.
    pub fn too_many_registers(&self) -> bool {
        self.too_many
    }

    /// The limit that holds.
    pub fn most_registers(&self) -> u32 {
        self.most
    }

    // Registers and constants.

    fn slot(count: &mut u32, most: u32, too_many: &mut bool) -> R {
        let slot = *count;
        if slot >= most {
            *too_many = true;
            return 0;
        }
        *count += 1;
        slot as R
    }

    /// A fresh 32-bit register.
    pub fn temp32(&mut self) -> R {
        Self::slot(&mut self.info.registers32, self.most, &mut self.too_many)
    }

    /// A fresh 64-bit register.
    pub fn temp64(&mut self) -> R {
        Self::slot(&mut self.info.registers64, self.most, &mut self.too_many)
    }

    /// A fresh predicate.
    pub fn temp_p(&mut self) -> R {
        Self::slot(&mut self.info.predicates, self.most, &mut self.too_many)
    }

    fn fresh(&mut self, ty: Ty) -> Local {
        match ty {
            Ty::Pred => Local::Register(Reg::P(self.temp_p())),
            Ty::B128 => {
                let low = Reg::R64(self.temp64());
                Local::Vector(vec![low, Reg::R64(self.temp64())])
            }
            _ if ty.size() == 8 => Local::Register(Reg::R64(self.temp64())),
            _ => Local::Register(Reg::R32(self.temp32())),
        }
    }

    /// The function's condition code (`CC.CF`).
    pub fn carry_flag(&mut self) -> R {
        match self.carry {
            Some(flag) => flag,
            None => {
                let flag = self.temp_p();
                self.carry = Some(flag);
                flag
            }
        }
    }

    /// A register that holds a 32-bit constant.
    pub fn const32(&mut self, value: u32) -> R {
        if let Some(&r) = self.constants32.get(&value) {
            return r;
        }
        let r = self.temp32();
        self.constants32.insert(value, r);
        self.info.constants32.push((r, value));
        r
    }

    /// A register that holds a 64-bit constant.
    pub fn const64(&mut self, value: u64) -> R {
        if let Some(&r) = self.constants64.get(&value) {
            return r;
        }
        let r = self.temp64();
        self.constants64.insert(value, r);
        self.info.constants64.push((r, value));
        r
    }

    /// A register as wide as the type that holds the address of a shared array, which is more than a number.
    pub fn array_address(&mut self, ty: Ty, value: u64, array: Array) -> Reg {
        let known = self
            .arrays
            .iter()
            .find(|(reg, of, at)| (*of, *at) == (array, value) && matches!(reg, Reg::R64(_)) == (ty.size() >= 8));
        if let Some((reg, ..)) = known {
            return *reg;
        }
        let reg = if ty.size() >= 8 {
            let r = self.temp64();
            self.info.constants64.push((r, value));
            Reg::R64(r)
        } else {
            let r = self.temp32();
            self.info.constants32.push((r, value as u32));
            Reg::R32(r)
        };
        self.arrays.push((reg, array, value));
        reg
    }

    /// A constant in a register as wide as the type.
    pub fn constant(&mut self, ty: Ty, value: u64) -> Reg {
        match ty.size() {
            8 | 16 => Reg::R64(self.const64(value)),
            4 => Reg::R32(self.const32(value as u32)),
            2 => Reg::R32(self.const32(value as u32 & 0xffff)),
            _ => Reg::R32(self.const32(value as u32 & 0xff)),
        }
    }

    // Emission.

    /// Appends an operation under the instruction's guard.
    pub fn emit(&mut self, op: Op) {
        self.insts.push(Inst { op, guard: self.guard, counted: u8::from(!self.counted) });
        self.origins.push(self.origin);
        self.counted = true;
    }

    /// The instruction being lowered says `.uni`: its guard, if it has one, must not part lanes.
    pub fn promise_uniform(&mut self) {
        if self.guard != NO_GUARD {
            self.insts.push(Inst { op: Op::Uniform { guard: self.guard }, guard: NO_GUARD, counted: 0 });
            self.origins.push(self.origin);
        }
    }

    /// The instruction being lowered says `.uni` and jumps to where a register says: it has to say the same in all lanes.
    pub fn promise_same_target(&mut self, a: Reg) {
        self.insts.push(Inst { op: Op::SameTarget { a }, guard: self.guard, counted: 0 });
        self.origins.push(self.origin);
    }

    /// For some operands the machine goes a long way to what the function emitted last returns.
    pub fn goes_a_long_way(&mut self, long: LongFn) {
        if let Some(map) = self.code.maps.last_mut() {
            map.long = Some(long);
        }
    }

    /// What the function emitted last returns is an approximation.
    pub fn approximates(&mut self, what: Approximate) {
        if let Some(map) = self.code.maps.last_mut() {
            map.approximate = Some(what);
        }
    }

    /// NaNs that the function emitted last returns may be made of its operands' bits.
    pub fn makes_nans(&mut self, nans: Nans) {
        if let Some(map) = self.code.maps.last_mut() {
            map.nans = Some(nans);
        }
    }

    /// A pure function of lanes.
    pub fn emit_map(&mut self, d: Reg, sources: &[Reg], flops: u8, f: MapFn) {
        let mut all = [Reg::None; 4];
        all[..sources.len()].copy_from_slice(sources);
        self.code.maps.push(MapOp { d, sources: all, f, flops, long: None, approximate: None, nans: None });
        self.emit(Op::Map(self.code.maps.len() as u32 - 1));
    }
}
