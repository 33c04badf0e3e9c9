//! Kinds of blocks: what in a kernel hangs on no data but on the block is computed for threads all over the grid, 32 of them at a
//! time, without running the kernel. Where its conditions and its arithmetic come out as in no block that was run, something may
//! be done that nobody has seen.

use super::context::{Context, Worker};
use super::profile::Profile;
use super::select::holds;
use super::special::by_lane;
use super::steer::places::Places;
use super::turns;
use super::turns::Met;
use super::warp::Warp;
use crate::isa::fixed;
use crate::isa::op::{FunctionInfo, Op, Reg, RegisterUse, Special};
use crate::isa::placed::{Slice, slice};
use crate::memory::view::View;
use crate::observe::Nobody;
use crate::random::mix;
use crate::steer::Aim;
use std::collections::{BTreeMap, BTreeSet};

/// Threads that are looked at, at most.
const MOST_SAMPLES: u64 = 1 << 16;
/// A block that is run has all its threads looked at, up to so many blocks.
const COVERED: usize = 1 << 10;
/// Blocks of a kind that are kept, of which the first has not what is looked for, perhaps.
const KEPT: usize = 2;
/// Operations that may be computed to solve one condition.
const SOLVE: u64 = 1 << 14;
/// Blocks that are found so.
const SOLVED: usize = 8;

/// A block and a thread in it, by their numbers.
type Place = (u64, u64);

/// How all that is asked came out, for a thread.
type Signature = u64;

/// Which blocks are asked for.
pub struct Unlike<'a> {
    /// Blocks that are known.
    pub done: &'a BTreeSet<u64>,
    /// As many at most.
    pub most: usize,
    /// Operations, of 32 threads each, that may be computed.
    pub steps: u64,
    /// Draws them.
    pub seed: u64,
}

/// Blocks with threads in which something comes out as in none that is known, those of the rarest and of the commonest kinds first.
pub fn unlike(context: &Context<'_>, asked: Unlike<'_>) -> Vec<u64> {
    let Unlike { done, most, steps, seed } = asked;
    let code = &context.decoded.code;
    let info = &code.functions[context.function as usize];
    let slice = slice(code, info, context.decoded.turns());
    if slice.steps.is_empty() || most == 0 {
        return Vec::new();
    }
    let mut global = crate::memory::global::Global::new(context.appearance);
    let mut nobody = Nobody;
    let mut bench = Bench {
        worker: Worker::new(context, View::Alone(&mut global), &mut nobody),
        slice,
        warp: started(context, info),
        profile: Profile::new(code.insts.len()),
        threads: context.block.iter().map(|&extent| u64::from(extent)).product(),
        came_out: vec![Met::default(); code.insts.len()],
    };
    let mut known: BTreeSet<Signature> = BTreeSet::new();
    done.iter().take(COVERED).for_each(|&block| bench.cover(block, &mut known));
    let samples = (32 * steps / bench.slice.steps.len() as u64).min(MOST_SAMPLES);
    let places = sampled(context, info, (bench.threads, samples), seed);
    let mut kinds: BTreeMap<Signature, (u64, Vec<u64>)> = BTreeMap::new();
    for places in places.chunks(32) {
        let signatures = bench.signatures(places);
        // Most are the same.
        let mut last = None;
        for (&(block, _), signature) in places.iter().zip(signatures) {
            if last == Some(signature) {
                continue;
            }
            if known.contains(&signature) {
                last = Some(signature);
                continue;
            }
            let (count, blocks) = kinds.entry(signature).or_default();
            *count += 1;
            if blocks.len() < KEPT && blocks.last() != Some(&block) {
                blocks.push(block);
            }
        }
    }
    let mut order: Vec<_> = kinds.into_iter().collect();
    order.sort_by_key(|(signature, (count, _))| (*count, *signature));
    // The rarest and the commonest in turn: of neither may there be too many for the other.
    let half = order.len().div_ceil(2);
    let common = order.split_off(half);
    let mut common = common.into_iter().rev();
    let order: Vec<_> = order.into_iter().flat_map(|rare| [Some(rare), common.next()]).flatten().collect();
    let mut chosen = bench.solved(info, &places, steps, seed);
    chosen.truncate(most.div_ceil(2));
    chosen.iter().for_each(|block| bench.cover(*block, &mut known));
    for number in 0..KEPT {
        for (signature, (_, blocks)) in &order {
            let Some(block) = blocks.get(number).filter(|block| !chosen.contains(*block)) else { continue };
            // A second one of each kind, where there is room.
            if chosen.len() < most && (number > 0 || !known.contains(signature)) {
                chosen.push(*block);
                bench.cover(*block, &mut known);
            }
        }
    }
    chosen
}

/// A warp whose registers hold the function's constants.
fn started(context: &Context<'_>, info: &FunctionInfo) -> Warp {
    let mut warp = Warp::default();
    warp.start(0, context.block, context.function, info, 1);
    warp.lanes = u32::MAX;
    warp
}

/// Places all over the grid: each block as often as any other, and the first and the last thread more often than others, as those
/// whose number stands in the code.
fn sampled(context: &Context<'_>, info: &FunctionInfo, (threads, samples): (u64, u64), seed: u64) -> Vec<Place> {
    let blocks: u64 = context.grid.iter().map(|&extent| u64::from(extent)).product();
    let named: Vec<u64> =
        info.constants32.iter().map(|(_, value)| u64::from(*value)).filter(|value| *value < threads).collect();
    let each = (samples / blocks).clamp(1, threads);
    let step = (blocks / samples.max(1)).max(1);
    let place = |at: u64| {
        let drawn = mix(seed ^ mix(at));
        let (block, drawn) = ((at / each * step + drawn % step).min(blocks - 1), mix(drawn));
        let thread = match drawn % 4 {
            0 => 0,
            1 => threads - 1,
            2 if !named.is_empty() => named[(drawn >> 2) as usize % named.len()],
            _ => (drawn >> 2) % threads,
        };
        (block, thread)
    };
    (0..blocks.div_ceil(step) * each).map(place).collect()
}

/// Where it is computed.
struct Bench<'a> {
    worker: Worker<'a, Nobody>,
    slice: Slice,
    warp: Warp,
    profile: Profile,
    /// Of a block.
    threads: u64,
    /// What results came to, by operation.
    came_out: Vec<Met>,
}

impl Bench<'_> {
    /// Adds what comes out in a block.
    fn cover(&mut self, block: u64, known: &mut BTreeSet<Signature>) {
        let places: Vec<Place> = (0..self.threads).map(|thread| (block, thread)).collect();
        for places in places.chunks(32) {
            let signatures = self.signatures(places);
            known.extend(&signatures[..places.len()]);
        }
    }

    /// Computes the slice for up to 32 threads, a lane each.
    fn signatures(&mut self, places: &[Place]) -> [Signature; 32] {
        let context = self.worker.context;
        let code = &context.decoded.code;
        let place: [Place; 32] = std::array::from_fn(|lane| places[lane.min(places.len() - 1)]);
        self.warp.tid = along(context.block, place.map(|(_, thread)| thread)).map(|axis| axis.map(|at| at as u32));
        let block = along(context.grid, place.map(|(block, _)| block));
        let (mut all, mut signatures) = (0, [0; 32]);
        for step in 0..self.slice.steps.len() {
            let (at, asked) = self.slice.steps[step];
            let inst = &code.insts[at as usize];
            if let Op::Special32 { d, which } = inst.op
                && let Some(values) = special(which, &block, &place)
            {
                self.warp.write(0, Reg::R32(d), u32::MAX, &values);
                continue;
            }
            if let Some(loaded) = fixed::loads(code, &inst.op) {
                loaded.into_iter().for_each(|(reg, word)| self.warp.write(0, reg, u32::MAX, &[word; 32]));
                continue;
            }
            let turn = context.decoded.turns()[at as usize];
            let is_told = !turn.is_predicate() || turn.ordered > 0;
            let sources = (asked && is_told).then(|| turns::sources(code, inst, &self.warp, 0));
            self.run(at);
            if !asked {
                continue;
            }
            inst.op.registers(code, &mut |reg, role| {
                if role == RegisterUse::Result && reg != Reg::None {
                    let ways = [turns::zero(&self.warp, reg), turns::lost(turn, sources.as_ref(), &self.warp, reg)];
                    self.came_out[at as usize].add(turns::came_to(&self.warp, turn, sources.as_ref(), reg, ways[0]));
                    for (way, lanes) in ways.into_iter().enumerate() {
                        // Which of two equal signatures has what is told by these numbers (Zobrist hashing).
                        let number = mix(2 * step as u64 + way as u64);
                        match lanes {
                            0 => {}
                            u32::MAX => all ^= number,
                            lanes => {
                                for (lane, signature) in signatures.iter_mut().enumerate() {
                                    *signature ^= if holds(lanes, lane) { number } else { 0 };
                                }
                            }
                        }
                    }
                }
            });
        }
        signatures.map(|signature| signature ^ all)
    }

    /// Blocks in which conditions come out as in none of those places, as far as so many operations allow.
    fn solved(&mut self, info: &FunctionInfo, places: &[Place], mut steps: u64, seed: u64) -> Vec<u64> {
        let context = self.worker.context;
        let code = &context.decoded.code;
        let aims = |at: u32| self.came_out[at as usize].aims(context.decoded.turns()[at as usize]);
        let asked = self.slice.steps.iter().filter(|(_, asked)| *asked);
        let mut open: Vec<(u32, Aim)> =
            asked.flat_map(|(at, _)| aims(*at).into_iter().flatten().map(|aim| (*at, aim))).collect();
        open.sort_by_key(|(at, aim)| (!matches!(aim, Aim::Is(_)), mix(seed ^ u64::from(*at))));
        let all: Vec<u32> = self.slice.steps.iter().map(|(at, _)| *at).collect();
        let solver = Places::new(code, info, &all, context.grid, context.block);
        // From all over the grid.
        let from: Vec<Place> = places.iter().step_by(places.len().div_ceil(32).max(1)).copied().collect();
        let mut found = Vec::new();
        for (at, wanted) in open {
            if steps == 0 || found.len() == SOLVED {
                break;
            }
            self.signatures(&from);
            let Self { worker, warp, profile, .. } = self;
            let run = |warp: &mut Warp, at: u32| {
                let mut group = warp.groups[0];
                (group.mask, group.pc) = (u32::MAX, at);
                worker.run_alone(profile, warp, &mut group);
            };
            let most = steps.min(SOLVE);
            let (block, spent) = solver.solve(warp, (at, wanted), (mix(seed ^ u64::from(at)), most), run);
            steps = steps.saturating_sub(spent + all.len() as u64);
            found.extend(block.filter(|block| !found.contains(block)));
        }
        found
    }

    /// Runs one operation in all lanes.
    fn run(&mut self, at: u32) {
        let mut group = self.warp.groups[0];
        (group.mask, group.pc) = (u32::MAX, at);
        self.worker.run_alone(&mut self.profile, &mut self.warp, &mut group);
    }
}

/// Numbers in a box of these extents, x first, by axis.
fn along([x, y, z]: [u32; 3], numbers: [u64; 32]) -> [[u64; 32]; 3] {
    let [x, y] = [x, y].map(u64::from);
    match (y, z) {
        (1, 1) => [numbers, [0; 32], [0; 32]],
        (_, 1) => [numbers.map(|at| at % x), numbers.map(|at| at / x), [0; 32]],
        _ => [numbers.map(|at| at % x), numbers.map(|at| at / x % y), numbers.map(|at| at / (x * y))],
    }
}

/// What differs between lanes that are of several blocks, and of several warps.
fn special(which: Special, block: &[[u64; 32]; 3], place: &[Place; 32]) -> Option<[u64; 32]> {
    match which {
        Special::Ctaid(axis @ 0..3) => Some(block[axis as usize]),
        Special::Laneid
        | Special::LanemaskEq
        | Special::LanemaskLt
        | Special::LanemaskLe
        | Special::LanemaskGt
        | Special::LanemaskGe => Some(by_lane(which, &[[0; 32]; 3], |lane| (place[lane].1 % 32) as u32)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Unlike;
    use crate::{Arg, Config, Device, Launch, Module};
    use std::collections::BTreeSet;
    use std::sync::Arc;

    const NONE: Vec<u64> = Vec::new();

    /// Blocks unlike the first and the last of a grid, for a kernel with a pointer and a number, n, in `%r1`.
    fn unlike(grid: [u32; 3], block: u32, n: u32, body: &str) -> Vec<u64> {
        let ptx = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{{\n\
             .reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %d<9>; .reg .f32 %f<9>;\nld.param.u64 %d1, [p];\nld.param.u32 %r1, [n];\n\
             mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %tid.x;\nmov.u32 %r4, %ntid.x;\nmad.lo.s32 %r5, %r2, %r4, %r3;\n{body}\nret;\n}}\n"
        );
        let device = Device::new(Arc::new(Module::parse(&ptx).expect("PTX")), Config::default());
        let args = vec![Arg::Pointer(0), Arg::Bytes(n.to_le_bytes().to_vec())];
        let launch = Launch { kernel: "k".into(), grid, block: [block, 1, 1], shared: 0, args, cooperative: false };
        let blocks: u64 = grid.iter().map(|&extent| u64::from(extent)).product();
        let done = BTreeSet::from([0, blocks - 1, blocks / 2]);
        device.unlike(&launch, None, Unlike { done: &done, most: 8, steps: 1 << 16, seed: 3 }).expect("a launch")
    }

    #[test]
    fn blocks_are_told_apart_by_what_hangs_on_no_data() {
        let flat = |body: &str| unlike([5000, 1, 1], 64, 320_000 - 7, body);
        assert_eq!(flat("setp.ge.s32 %p1, %r5, %r1;"), NONE, "the last block alone is cut off");
        assert_eq!(flat("setp.eq.u32 %p1, %r2, 1717;"), [1717]);
        let some = flat("rem.u32 %r6, %r2, 100;\nsetp.eq.u32 %p1, %r6, 33;");
        assert!(some.iter().any(|block| block % 100 == 33), "{some:?}");
        // A thread of a block, whose number stands in the code; and one that does not.
        let thread = "setp.eq.u32 %p1, %r2, 1717;\nsetp.eq.u32 %p2, %r3, 21;\nand.pred %p3, %p1, %p2;\nsetp.eq.u32 %p4, %r3, 22;";
        assert_eq!(flat(thread), [1717]);
        let data = "ld.global.u32 %r6, [%d1];\nadd.u32 %r7, %r6, %r2;\nsetp.eq.u32 %p1, %r7, 1717;";
        assert_eq!(flat(data), NONE, "data decide");
        assert_eq!(flat("setp.eq.u32 %p1, %r3, 21;"), NONE, "each block has such a thread");
    }

    /// A number that is the same in all other blocks, whatever it is computed by.
    #[test]
    fn numbers_that_vary_in_one_block_are_solved_for() {
        let wide = |body: &str| unlike([1_000_000, 1, 1], 64, 64_000_000, body);
        let real = "cvt.rn.f32.u32 %f1, %r2;\nsub.f32 %f2, %f1, 0f4912c920;\nabs.f32 %f3, %f2;\nneg.f32 %f4, %f3;\nex2.approx.ftz.f32 %f5, %f4;\n";
        let found = wide(&format!("{real}cvt.rzi.s32.f32 %r6, %f5;"));
        assert_eq!(found.first(), Some(&601_234), "{found:?}");
    }

    #[test]
    fn tiles_are_told_apart_along_both_axes() {
        let corner = "mov.u32 %r6, %ctaid.y;\nsetp.eq.u32 %p1, %r2, 70;\nsetp.eq.u32 %p2, %r6, 9;";
        let found = unlike([100, 20, 1], 32, 0, corner);
        let kinds: BTreeSet<(bool, bool)> = found.iter().map(|block| (block % 100 == 70, block / 100 == 9)).collect();
        assert_eq!(kinds, BTreeSet::from([(true, false), (false, true), (true, true)]), "{found:?}");
    }

    #[test]
    fn loops_are_gone_through_and_guards_hold() {
        let body = "setp.lt.u32 %p5, %r2, 4000;\n@%p5 mov.u32 %r7, 1;\n@!%p5 mov.u32 %r7, 2;\n\
                    LOOP:\nsetp.eq.u32 %p1, %r7, 2;\nadd.s32 %r5, %r5, %r4;\nsetp.lt.s32 %p2, %r5, %r1;\n@%p2 bra LOOP;";
        let found = unlike([5000, 1, 1], 64, 320_000, body);
        assert!(!found.is_empty() && found.iter().all(|block| *block >= 4000), "{found:?}");
    }
}
