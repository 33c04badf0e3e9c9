//! Texture and surface instructions: texels are read through the read-only cache, as `ld.global.nc` reads.

use crate::FindingKind;
use crate::exec::accessing::{Accessing, LaneBytes, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::collective::matrix::in_order;
use crate::exec::context::{Flow, Worker};
use crate::exec::defined::{Fragments, Reached};
use crate::exec::warp::{Group, Warp};
use crate::isa::op::{AddressSpace, Geometry, Reg, TextureAct, TextureOp};
use crate::num::texture::{ONE, Tap, between, face, integer, nearest, real};
use crate::observe::{AccessKind, MemoryOrder, Observer, Scope};
use crate::texture::{AddressMode, Sampling, Texture, TextureKind};

/// Most texels that one result is made of.
const MOST_TAPS: usize = 8;

/// What a warp reads or writes of texels, by register.
struct Moved {
    values: [[u64; 32]; 4],
    doubts: Fragments,
}

/// Texels of a warp: of each tap the lanes, addresses and weights.
struct Taps {
    lanes: [u32; MOST_TAPS],
    addresses: [[u64; 32]; MOST_TAPS],
    weights: [[f64; 32]; MOST_TAPS],
}

impl<O: Observer> Worker<'_, O> {
    /// Executes one of them.
    pub fn texture(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, mask: u32, op: &TextureOp) -> Flow {
        let group = Group { mask, ..warp.groups[at] };
        let objects = warp.read(group.frame, op.object);
        let words = op.regs.iter().map(|reg| words(*reg)).sum();
        let mut moved = Moved { values: [[0; 32]; 4], doubts: Fragments::defined(words) };
        let mut left = mask;
        while left != 0 {
            let object = objects[left.trailing_zeros() as usize];
            let lanes = (0..32).filter(|lane| left >> lane & 1 != 0 && objects[*lane as usize] == object);
            let lanes = lanes.fold(0, |all, lane| all | 1 << lane);
            left &= !lanes;
            let part = Group { mask: lanes, ..group };
            let found = usize::try_from(object.wrapping_sub(1)).ok().and_then(|at| self.context.textures.get(at));
            let wrong = found.map_or_else(|| Some(nothing(op, object)), |texture| misfit(texture, op));
            let done = match (found, wrong) {
                (None, why) | (_, why @ Some(_)) => Err(self.misused(shared, warp, &part, why.unwrap_or_default())),
                (Some(texture), None) if matches!(op.act, TextureAct::Load(_) | TextureAct::Store(_)) => {
                    self.surface(shared, warp, &part, op, texture, &mut moved)
                }
                (Some(texture), None) => self.sample(shared, warp, &part, op, texture, &mut moved),
            };
            if let Err(stop) = done {
                return stop;
            }
        }
        if !matches!(op.act, TextureAct::Store(_)) {
            for (reg, values) in op.regs.iter().zip(&moved.values) {
                warp.write(group.frame, *reg, mask, values);
            }
            warp.write(group.frame, op.resident, mask, &[1; 32]);
            if moved.doubts.origin.is_some() || !warp.shadow.is_empty() {
                moved.doubts.mark(warp, &group, &op.regs);
            }
        }
        warp.groups[at].pc += 1;
        Flow::Continue
    }

    fn misused(&mut self, shared: &Shared, warp: &Warp, part: &Group, explanation: String) -> Flow {
        self.fault(shared, warp, part.pc, part.mask, FindingKind::BadTexture { explanation })
    }

    /// `tex`, `tld4`
    fn sample(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        part: &Group,
        op: &TextureOp,
        texture: &Texture,
        moved: &mut Moved,
    ) -> Result<(), Flow> {
        let Some(sampling) = texture.sampling else { return Ok(()) };
        let coordinates: Vec<[u64; 32]> = op.coordinates.iter().map(|reg| warp.read(part.frame, *reg)).collect();
        let taps = Taps::of(part.mask, op, texture, &sampling, &coordinates);
        let (size, channels) = (texture.channel.size(), texture.channels as usize);
        let mut sums = [[0.0; 32]; 4];
        for (tap, &lanes) in taps.lanes.iter().enumerate().filter(|(_, lanes)| **lanes != 0) {
            let addresses = &taps.addresses[tap];
            let by = Accessing { pc: part.pc, lanes, kind: AccessKind::Load };
            // Which channel becomes which register.
            let gathered = if let TextureAct::Gather(channel) = op.act { Some(channel as usize) } else { None };
            let pairs: Vec<(usize, usize)> = match gathered {
                Some(channel) if channel < channels => vec![(channel, tap)],
                Some(_) => Vec::new(),
                None => (0..channels).map(|channel| (channel, channel)).collect(),
            };
            for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                for &(channel, to) in &pairs {
                    let place = LaneBytes::new(
                        AddressSpace::Global,
                        addresses[lane].wrapping_add(channel as u64 * u64::from(size)),
                        size,
                    );
                    let bits = match self.load_lane(shared, warp, lane, place) {
                        Ok(bits) => bits as u32,
                        Err(bad) => return Err(self.bad_access(shared, warp, by.lane(lane), place, bad)),
                    };
                    if !op.float {
                        moved.values[to][lane] = integer(bits, texture.channel).into();
                    } else if sampling.linear && gathered.is_none() {
                        sums[to][lane] += taps.weights[tap][lane] * real(bits, texture.channel);
                        moved.values[to][lane] = (sums[to][lane] as f32).to_bits().into();
                    } else if texture.channel == crate::texture::Channel::F32 {
                        moved.values[to][lane] = bits.into();
                    } else {
                        moved.values[to][lane] = (real(bits, texture.channel) as f32).to_bits().into();
                    }
                }
            }
            if O::ACTIVE {
                let order = (MemoryOrder::Weak, Scope::Gpu);
                let bytes = WarpBytes::new(AddressSpace::Global, addresses, texture.texel());
                let unwritten = self.observe(shared, warp, by, bytes, order);
                let to = Reached { pc: part.pc, space: AddressSpace::Global, mask: lanes, addresses, unwritten };
                if self.doubts(&to) {
                    for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                        for &(channel, into) in &pairs {
                            let at = (channel as u32 * size, size);
                            let bits = self.fragment_read(shared, warp, &to, lane, at, &mut moved.doubts);
                            let whole = if bits == 0 { 0 } else { u32::MAX };
                            if let Some(words) = moved.doubts.words.get_mut(into) {
                                words[lane] |= whole;
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// `suld`, `sust`
    fn surface(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        part: &Group,
        op: &TextureOp,
        texture: &Texture,
        moved: &mut Moved,
    ) -> Result<(), Flow> {
        use crate::isa::op::Outside;
        let (TextureAct::Load(outside) | TextureAct::Store(outside)) = op.act else { return Ok(()) };
        let stores = matches!(op.act, TextureAct::Store(_));
        let coordinates: Vec<[u64; 32]> = op.coordinates.iter().map(|reg| warp.read(part.frame, *reg)).collect();
        let whole = op.size * op.regs.len() as u32;
        let [width, height, depth] = texture.extent.map(i64::from);
        let row = width * i64::from(texture.texel());
        let last = [row - i64::from(whole), height - 1, depth - 1];
        let mut addresses = [0; 32];
        let mut lanes = 0;
        for lane in (0..32).filter(|lane| part.mask >> lane & 1 != 0) {
            let mut place = placed(op.geometry, |at| i64::from(coordinates[at][lane] as i32));
            let inside = (0..3).all(|axis| (0..=last[axis]).contains(&place[axis]));
            if !inside && outside == Outside::Trap || last[0] < 0 || place[0] % i64::from(whole) != 0 {
                let why = beyond(op, texture, place, whole);
                return Err(self.misused(shared, warp, &Group { mask: 1 << lane, ..*part }, why));
            }
            if !inside && outside == Outside::Zero {
                continue;
            }
            (0..3).for_each(|axis| place[axis] = place[axis].clamp(0, last[axis]));
            addresses[lane] = texture.at([0, place[1] as u32, place[2] as u32]) + place[0] as u64;
            lanes |= 1u32 << lane;
        }
        if lanes == 0 {
            return Ok(());
        }
        let kind = if stores { AccessKind::Store } else { AccessKind::Load };
        let by = Accessing { pc: part.pc, lanes, kind };
        let stored = if stores { Fragments::of(warp, part.frame, &op.regs) } else { None };
        if stores {
            self.protect(shared, warp, by, &addresses, whole);
            for (values, reg) in moved.values.iter_mut().zip(&op.regs) {
                *values = warp.read(part.frame, *reg);
            }
        }
        for lane in in_order(lanes, stores && self.last_stores_first()) {
            for (element, values) in moved.values.iter_mut().enumerate().take(op.regs.len()) {
                let address = addresses[lane].wrapping_add(element as u64 * u64::from(op.size));
                let bytes = LaneBytes::new(AddressSpace::Global, address, op.size);
                let done = if stores {
                    self.store_lane(shared, warp, lane, bytes, values[lane])
                } else {
                    self.load_lane(shared, warp, lane, bytes).map(|value| values[lane] = value)
                };
                if let Err(bad) = done {
                    return Err(self.bad_access(shared, warp, by.lane(lane), bytes, bad));
                }
            }
        }
        if O::ACTIVE {
            let order = (MemoryOrder::Weak, Scope::Gpu);
            let bytes = WarpBytes::new(AddressSpace::Global, &addresses, whole);
            let unwritten = self.observe(shared, warp, by, bytes, order);
            let to =
                Reached { pc: part.pc, space: AddressSpace::Global, mask: lanes, addresses: &addresses, unwritten };
            if self.doubts(&to) || stored.is_some() {
                self.surface_doubts(shared, warp, &to, op, stored.as_ref(), &mut moved.doubts);
            }
        }
        Ok(())
    }

    /// Undefined bits of what a surface instruction has moved.
    fn surface_doubts(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        to: &Reached<'_>,
        op: &TextureOp,
        stored: Option<&Fragments>,
        doubts: &mut Fragments,
    ) {
        for lane in (0..32).filter(|lane| to.mask >> lane & 1 != 0) {
            let mut word = 0;
            for (element, reg) in op.regs.iter().enumerate() {
                let at = (element as u32 * op.size, op.size);
                let wide = words(*reg) == 2;
                if matches!(op.act, TextureAct::Store(_)) {
                    let bits = stored.map_or((0, None), |doubts| {
                        let high = if wide { doubts.words[word + 1][lane] } else { 0 };
                        let bits = u64::from(doubts.words[word][lane]) | u64::from(high) << 32;
                        (bits & u64::MAX >> (64 - 8 * op.size), doubts.origin)
                    });
                    self.fragment_written(shared, warp, to, lane, at, bits);
                } else {
                    let bits = self.fragment_read(shared, warp, to, lane, at, doubts);
                    doubts.words[word][lane] |= bits as u32;
                    if wide {
                        doubts.words[word + 1][lane] |= (bits >> 32) as u32;
                    }
                }
                word += words(*reg);
            }
        }
    }
}

impl Taps {
    /// The texels that lanes read.
    fn of(mask: u32, op: &TextureOp, texture: &Texture, sampling: &Sampling, coordinates: &[[u64; 32]]) -> Self {
        let mut taps = Self { lanes: [0; MOST_TAPS], addresses: [[0; 32]; MOST_TAPS], weights: [[0.0; 32]; MOST_TAPS] };
        for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
            let word = |at: usize| coordinates[at][lane] as u32;
            if let TextureAct::Sample { fetch: true } = op.act {
                // Linear memory has zeros around it.
                if word(0) < texture.extent[0] {
                    taps.add(0, lane, texture.at([word(0), 0, 0]), 1.0);
                }
                continue;
            }
            let [x, y, z] = axes(op.geometry, texture, sampling, word, matches!(op.act, TextureAct::Gather(_)));
            if let TextureAct::Gather(_) = op.act {
                // From the lower left corner, where y is larger, round to the upper left.
                for (tap, (i, j)) in [(0, 1), (1, 1), (1, 0), (0, 0)].into_iter().enumerate() {
                    if let (Some(x), Some(y)) = (x[i].0, y[j].0) {
                        taps.add(tap, lane, texture.at([x, y, 0]), 1.0);
                    }
                }
                continue;
            }
            for corner in 0..MOST_TAPS {
                let (x, y, z) = (x[corner & 1], y[corner >> 1 & 1], z[corner >> 2]);
                let weight = [x, y, z].iter().fold(1.0, |all, tap| all * f64::from(tap.1) / f64::from(ONE));
                if let (Some(x), Some(y), Some(z)) = (x.0, y.0, z.0)
                    && weight != 0.0
                {
                    taps.add(corner, lane, texture.at([x, y, z]), weight);
                }
            }
        }
        taps
    }

    fn add(&mut self, tap: usize, lane: usize, address: u64, weight: f64) {
        self.lanes[tap] |= 1 << lane;
        self.addresses[tap][lane] = address;
        self.weights[tap][lane] = weight;
    }
}

/// The texels along each axis.
fn axes(
    geometry: Geometry,
    texture: &Texture,
    sampling: &Sampling,
    word: impl Fn(usize) -> u32,
    gathers: bool,
) -> [[Tap; 2]; 3] {
    let real = |at: usize| f32::from_bits(word(at));
    let first = usize::from(geometry.layered);
    let only = |index: u32| [(Some(index), ONE), (None, 0)];
    let along = |axis: usize, x: f32, normalized: bool, mode: AddressMode| {
        let size = texture.extent[axis];
        // Coordinates in texels do not repeat.
        let repeats = matches!(mode, AddressMode::Wrap | AddressMode::Mirror);
        let mode = if repeats && !normalized { AddressMode::Clamp } else { mode };
        if sampling.linear || gathers {
            between(x, size, mode, normalized)
        } else {
            [(nearest(x, size, mode, normalized), ONE), (None, 0)]
        }
    };
    // A layer's number has no sign: -1 is beyond the last one, on an H200 too.
    let layer = |layers: u32| if geometry.layered { word(0).min(layers.saturating_sub(1)) } else { 0 };
    if geometry.cube {
        let (face, s, t) = face([real(first), real(first + 1), real(first + 2)]);
        // Faces end at their edges.
        let on = |axis, x| along(axis, x, true, AddressMode::Clamp);
        return [on(0, s), on(1, t), only(face + 6 * layer(texture.extent[2] / 6))];
    }
    let axis = |axis: usize| {
        let there = axis < usize::from(geometry.axes);
        if there { along(axis, real(first + axis), sampling.normalized, sampling.address[axis]) } else { only(0) }
    };
    let last = if geometry.layered { only(layer(texture.extent[2])) } else { axis(2) };
    [axis(0), axis(1), last]
}

/// A surface's coordinates along width (in bytes), height and depth or layer.
fn placed(geometry: Geometry, coordinate: impl Fn(usize) -> i64) -> [i64; 3] {
    let first = usize::from(geometry.layered);
    let axis = |axis: usize| if axis < usize::from(geometry.axes) { coordinate(first + axis) } else { 0 };
    [axis(0), axis(1), if geometry.layered { coordinate(0) } else { axis(2) }]
}

fn words(reg: Reg) -> usize {
    if matches!(reg, Reg::R64(_)) { 2 } else { 1 }
}

/// The function as CUDA calls it.
fn function(op: &TextureOp) -> String {
    let Geometry { axes, layered, cube } = op.geometry;
    let shape = if cube { "Cubemap".to_owned() } else { format!("{axes}D") };
    let layered = if layered { "Layered" } else { "" };
    match op.act {
        TextureAct::Sample { fetch: true } => "tex1Dfetch".to_owned(),
        TextureAct::Sample { .. } => format!("tex{shape}{layered}"),
        TextureAct::Gather(_) => format!("tex{shape}gather"),
        TextureAct::Load(_) => format!("surf{shape}{layered}read"),
        TextureAct::Store(_) => format!("surf{shape}{layered}write"),
    }
}

fn nothing(op: &TextureOp, object: u64) -> String {
    format!("{} is given {object:#x}, which is no texture or surface object of this launch", function(op))
}

/// What a texture is, in words.
fn words_of(texture: &Texture) -> String {
    let axes = |count: u8| if count == 1 { "one dimension".to_owned() } else { format!("{count} dimensions") };
    let what = if texture.sampling.is_some() { "texture" } else { "surface" };
    match texture.kind {
        TextureKind::Linear => format!("a {what} in linear memory"),
        TextureKind::Array(count) => format!("a {what} of {}", axes(count)),
        TextureKind::Layered(count) => format!("a layered {what} of {}", axes(count)),
        TextureKind::Cubemap { layered: false } => format!("a cubemap {what}"),
        TextureKind::Cubemap { layered: true } => format!("a layered cubemap {what}"),
    }
}

/// Why the object is none for the instruction.
fn misfit(texture: &Texture, op: &TextureOp) -> Option<String> {
    let Geometry { axes, layered, cube } = op.geometry;
    let fits = match (texture.kind, op.act) {
        (TextureKind::Linear, act) => act == TextureAct::Sample { fetch: true },
        (_, TextureAct::Sample { fetch: true }) => false,
        (TextureKind::Array(count), _) => !layered && !cube && count == axes,
        (TextureKind::Layered(count), _) => layered && !cube && count == axes,
        // A surface's faces are layers.
        (TextureKind::Cubemap { .. }, TextureAct::Load(_) | TextureAct::Store(_)) => layered && axes == 2,
        (TextureKind::Cubemap { layered: layers }, _) => cube && layers == layered,
    };
    let surface = matches!(op.act, TextureAct::Load(_) | TextureAct::Store(_));
    if !fits || surface != texture.sampling.is_none() {
        return Some(format!("{} is given `{}`, {}", function(op), texture.name, words_of(texture)));
    }
    let sampling = texture.sampling?;
    let floats = texture.channel.is_float() || sampling.fractions;
    (floats != op.float).then(|| {
        let (asked, given) = if op.float { ("floats", "integers") } else { ("integers", "floats") };
        format!("{} asks `{}` for {asked}, and it gives {given}", function(op), texture.name)
    })
}

/// Why a place of a surface is none.
fn beyond(op: &TextureOp, texture: &Texture, [x, y, z]: [i64; 3], whole: u32) -> String {
    let [width, height, depth] = texture.extent;
    let mut place = format!("x = {x} (bytes)");
    let mut size = format!("rows of {width} texels of {} bytes", texture.texel());
    let deep = op.geometry.layered || op.geometry.axes == 3;
    if op.geometry.axes > 1 {
        place += &format!(", y = {y}");
        size += &format!(", {height} rows");
    }
    if deep {
        let what = if op.geometry.layered { "layer" } else { "z" };
        place += &format!(", {what} = {z}");
        size += &format!(", {depth} {}", if op.geometry.layered { "layers" } else { "slices" });
    }
    let (function, name) = (function(op), &texture.name);
    if x % i64::from(whole) != 0 {
        return format!(
            "{function} at {place} of `{name}`: x counts bytes, and {whole} of them begin at a multiple of {whole}"
        );
    }
    format!("{function} at {place} of `{name}`, which has {size}; x counts bytes")
}
