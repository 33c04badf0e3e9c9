//! Structure-aware mutation of PTX: pieces of lines, operands, types, labels, numbers and declarations change places or
//! are replaced by nasty ones. Deterministic: the same input and seed give the same text.

use simulator::opcodes;

/// splitmix64 (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// One below `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.next() % bound as u64) as usize }
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "8",
    "16",
    "31",
    "32",
    "33",
    "63",
    "64",
    "127",
    "128",
    "255",
    "256",
    "1000",
    "1023",
    "1024",
    "4095",
    "32767",
    "32768",
    "65535",
    "65536",
    "1048576",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "1099511627776",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "0x7fffffffffffffff",
    "0xFFFFFFFF",
    "0f7FC00000",
    "0f00000001",
    "0dFFF0000000000000",
    "0b101",
    "017",
    "1e999",
    "1.5",
    "0U",
    "-0",
    "340282366920938463463374607431768211456",
];

const TYPES: &[&str] = &[
    ".b8", ".b16", ".b32", ".b64", ".b128", ".u8", ".u16", ".u32", ".u64", ".s8", ".s16", ".s32", ".s64", ".f16",
    ".f16x2", ".bf16", ".bf16x2", ".tf32", ".f32", ".f64", ".pred", ".f32x2", ".e4m3", ".u16x2", ".v2", ".v4", ".v8",
];

const MODIFIERS: &[&str] = &[
    ".global",
    ".shared",
    ".local",
    ".param",
    ".const",
    ".shared::cluster",
    ".volatile",
    ".relaxed",
    ".acquire",
    ".release",
    ".acq_rel",
    ".cta",
    ".gpu",
    ".sys",
    ".cluster",
    ".rn",
    ".rz",
    ".rm",
    ".rp",
    ".rni",
    ".ftz",
    ".sat",
    ".approx",
    ".full",
    ".lo",
    ".hi",
    ".wide",
    ".cc",
    ".sync",
    ".aligned",
    ".x",
    ".x2",
    ".x4",
    ".trans",
    ".row",
    ".col",
    ".m16n8k16",
    ".m8n8k4",
    ".m16n16k16",
    ".eq",
    ".ne",
    ".lt",
    ".ge",
    ".equ",
    ".nan",
    ".num",
    ".and",
    ".or",
    ".xor",
    ".add",
    ".min",
    ".max",
    ".inc",
    ".cas",
    ".exch",
    ".up",
    ".down",
    ".bfly",
    ".idx",
    ".any",
    ".all",
    ".uni",
    ".ballot",
    ".popc",
    ".arrive",
    ".red",
    ".l",
    ".r",
    ".clamp",
    ".wrap",
    ".b4e",
    ".f4e",
    ".rc8",
    ".to",
    ".noreturn",
    ".shiftamt",
    ".bulk",
    ".tensor",
    ".ca",
    ".cg",
    ".nc",
];

const OPCODES: &[&str] = &[
    "ld.global.u32",
    "st.shared.v4.f32",
    "atom.shared.cas.b64",
    "red.global.add.f32",
    "cvta.to.shared.u64",
    "cp.async.ca.shared.global",
    "bar.sync",
    "bar.red.popc.u32",
    "barrier.sync",
    "bar.warp.sync",
    "shfl.sync.bfly.b32",
    "vote.sync.ballot.b32",
    "match.all.sync.b32",
    "redux.sync.add.s32",
    "activemask.b32",
    "mbarrier.init.shared.b64",
    "mbarrier.try_wait.shared.b64",
    "mbarrier.arrive.shared.b64",
    "bra",
    "bra.uni",
    "brx.idx",
    "call",
    "call.uni",
    "ret",
    "exit",
    "trap",
    "brkpt",
    "mov.b128",
    "mov.b64",
    "prmt.b32.rc16",
    "bfe.s64",
    "bfi.b64",
    "bfind.shiftamt.u64",
    "shf.l.clamp.b32",
    "lop3.b32",
    "fns.b32",
    "szext.wrap.s32",
    "dp4a.u32.s32",
    "dp2a.lo.s32.u32",
    "vadd4.u32.u32.u32.sat",
    "vset2.u32.s32.eq",
    "mad.hi.cc.u32",
    "addc.cc.u32",
    "subc.u64",
    "div.full.f32",
    "div.rn.f64",
    "rem.s64",
    "sqrt.rp.f32",
    "ex2.approx.ftz.f16x2",
    "tanh.approx.bf16",
    "fma.rn.sat.f16",
    "cvt.rna.tf32.f32",
    "cvt.rn.satfinite.e4m3x2.f32",
    "cvt.rni.s64.f64",
    "set.ltu.f32.f16",
    "setp.gt.and.u16",
    "selp.b64",
    "slct.f32.s32",
    "testp.notanumber.f64",
    "copysign.f64",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
    "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16",
    "wmma.store.d.sync.aligned.col.m16n16k16.global.f32",
    "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
    "movmatrix.sync.aligned.m8n8.trans.b16",
    "nanosleep.u32",
    "membar.sys",
    "fence.acq_rel.gpu",
    "isspacep.shared",
    "prefetch.global.L2",
    "griddepcontrol.wait",
    "elect.sync",
    "wgmma.mma_async.sync",
    "tex.2d.v4.f32.s32",
    "alloca.u64",
    "stackrestore.u64",
    "discard.global.L2",
    "ld.volatile.global.u8",
    "ld.param.b128",
];

const LINES: &[&str] = &[
    ".reg .b32 %r<4294967295>;",
    ".reg .b64 %rd<70000>;",
    ".reg .pred %p<0>;",
    ".reg .v4 .b32 %v<9>;",
    ".reg .v2 .b64 w;",
    ".reg .b128 %q<5>;",
    ".shared .align 8 .b8 huge[4294967296];",
    ".local .align 16 .b8 depot[1073741824];",
    ".local .b8 small[4096];",
    ".shared .b8 s[100000];",
    ".param .b8 p[2147483648];",
    ".global .b8 g[18446744073709551615];",
    ".shared .align 2147483648 .b8 a[4];",
    ".const .u32 c[-5] = {1, 2};",
    ".extern .shared .b8 dynamic[];",
    "{",
    "}",
    "{ { { {",
    "bar.sync 0;",
    "bar.sync 15, 33;",
    "bar.warp.sync 0;",
    "bar.arrive 1, 64;",
    "LOOP: bra LOOP;",
    "bra nowhere;",
    "brx.idx %r1, table;",
    "table: .branchtargets a, b, nowhere;",
    "call recurse, ();",
    "call %rd1, (), proto;",
    "proto: .callprototype _ ();",
    "call (%r1), missing, (%r2, %r3);",
    "ret;",
    "exit;",
    "trap;",
    "st.global.u32 [0], 1;",
    "st.local.u32 [%r1], %r2;",
    "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r1+2147483647];",
    "ld.global.u64 %rd1, [%rd1+-9];",
    "st.param.b32 [func_retval0+64], %r1;",
    "ld.param.b64 %rd1, [k_param_0+4096];",
    "nanosleep.u32 4294967295;",
    "atom.global.add.u32 %r1, [%rd1], 1;",
    "shfl.sync.idx.b32 %r1|%p1, %r2, 99, -1, 0;",
    "@%p1 bra.uni LOOP;",
    "@!%p9 exit;",
    "mov.u32 %r1, a.x.x.x.x;",
    "mov.b64 {%r1, %r2}, {%r3, %r4};",
    "mov.u64 %rd1, recurse;",
    ".loc 4294967295 4294967295 0",
    ".loc 1 1 1, function_name f, inlined_at 1 1 1",
    ".file 1 \"x\"",
    ".pragma \"nounroll\";",
    ".section .debug_info { .b8 1 }",
    "call (retval0), vprintf, (param0, param1);",
    "call __assertfail, (param0, param1, param2, param3, param4);",
];

const MODULE_LINES: &[&str] = &[
    ".func recurse() { call recurse; ret; }",
    ".func (.reg .b32 r) f(.reg .b64 x) { mov.b32 r, 1; ret; }",
    ".func (.param .b8 out[64]) big(.param .align 16 .b8 in[4000000000]) { ret; }",
    ".entry e(.param .b8 p[4096]) { ret; }",
    ".entry e(.param .align 65536 .u64 p) .maxntid 1, 1, 1 { exit; }",
    ".entry e() .reqntid 4294967295, 4294967295 { exit; }",
    ".global .align 8 .u64 table[3] = {recurse, generic(table)+8, 0xFF(table)};",
    ".const .f64 c[2][2] = {{1.0, 2.0}, {3.0}};",
    ".extern .shared .align 16 .b8 dynamic[];",
    ".shared .b8 block[232449];",
    ".shared .b8 many[4294967295], more[4294967295];",
    ".global .b8 huge[1099511627776];",
    ".global .b8 huge2[1099511627776];",
    ".weak .func w;",
    ".alias a, b;",
    ".address_size 32",
    ".version 99.9",
    ".target sm_999, debug",
];

fn words(line: &str) -> Vec<(usize, usize)> {
    let is = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'%' | b'$' | b'.' | b':');
    let bytes = line.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && is(bytes[at]) {
            at += 1;
        }
        if at > start {
            found.push((start, at));
        } else {
            at += 1;
        }
    }
    found
}

fn replace(line: &str, (start, end): (usize, usize), with: &str) -> String {
    format!("{}{with}{}", &line[..start], &line[end..])
}

fn cut(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// A text like `text`, with up to four things changed; pieces may come from `other`. At most `longest` bytes.
pub fn mutate(text: &str, other: &str, seed: u64, longest: usize) -> String {
    let mut random = Random(seed);
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let others: Vec<&str> = other.lines().collect();
    for _ in 0..1 + random.below(4) {
        step(&mut lines, &others, &mut random);
    }
    let mut out = lines.join("\n");
    if random.below(24) == 0 {
        out.truncate(cut(&out, random.below(out.len() + 1)));
    }
    if random.below(24) == 0 {
        let at = cut(&out, random.below(out.len() + 1));
        out.insert_str(
            at,
            random.of(&["\0", "\u{80}", "/*", "\"", "//", "\r", "é", "`", "\\", "@", "!", "|", "<", ">", "=", "::"]),
        );
    }
    out.truncate(cut(&out, longest));
    out
}

/// A statement: one of ours, or an instruction's example.
fn line(random: &mut Random) -> &'static str {
    let at = random.below(LINES.len() + opcodes::all().count());
    LINES.get(at).copied().or_else(|| Some(opcodes::all().nth(at - LINES.len())?.example)).unwrap_or_default()
}

/// An opcode: one of ours, or an instruction's example up to its operands.
fn opcode(random: &mut Random) -> &'static str {
    let at = random.below(OPCODES.len() + opcodes::all().count());
    let example = || opcodes::all().nth(at - OPCODES.len())?.example.split([' ', ';']).next();
    OPCODES.get(at).copied().or_else(example).unwrap_or_default()
}

#[expect(clippy::too_many_lines, reason = "a table: a way to change a line a row")]
fn step(lines: &mut Vec<String>, others: &[&str], random: &mut Random) {
    if lines.is_empty() {
        lines.push(".version 8.0".into());
    }
    let at = random.below(lines.len());
    let found = words(&lines[at]);
    match random.below(22) {
        // Lines.
        0 => drop(lines.remove(at)),
        1 => {
            let line = lines[at].clone();
            lines.insert(random.below(lines.len()), line);
        }
        2 => {
            let to = random.below(lines.len());
            lines.swap(at, to);
        }
        3 if !others.is_empty() => {
            let from = random.below(others.len());
            let count = 1 + random.below(8);
            for (step, line) in others.iter().skip(from).take(count).enumerate() {
                lines.insert((at + step).min(lines.len()), (*line).to_string());
            }
        }
        4 | 5 => lines.insert(at, line(random).to_owned()),
        6 => {
            let module: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].starts_with('}')).collect();
            let at = module.get(random.below(module.len())).map_or(lines.len(), |&at| at + 1);
            lines.insert(at, random.of(MODULE_LINES).to_string());
        }
        7 => {
            let count = [3, 70, 2000][random.below(3)];
            let piece =
                random.of(&["{", "}", "a:", "x,", "ret;", "-", "(", "[", "a.x.", "!", "%p|", "+1"]).repeat(count);
            let from = cut(&lines[at], random.below(lines[at].len() + 1));
            lines[at].insert_str(from, &piece);
        }
        8 => {
            let line = std::mem::take(&mut lines[at]);
            lines[at] =
                if line.contains(';') { line.replacen(';', random.of(&["", ",", ";;", " }"]), 1) } else { line };
        }
        // Words of a line.
        _ if found.is_empty() => {}
        9 | 10 if found.len() > 1 => {
            let (a, b) = (found[random.below(found.len())], found[random.below(found.len())]);
            let (a, b) = (a.min(b), a.max(b));
            if a.1 <= b.0 {
                let (first, second) = (lines[at][a.0..a.1].to_string(), lines[at][b.0..b.1].to_string());
                let line = replace(&lines[at], b, &first);
                lines[at] = replace(&line, a, &second);
            }
        }
        11..=13 => {
            let numbers: Vec<(usize, usize)> =
                found.iter().copied().filter(|&(start, _)| lines[at].as_bytes()[start].is_ascii_digit()).collect();
            let word = if numbers.is_empty() {
                found[random.below(found.len())]
            } else {
                numbers[random.below(numbers.len())]
            };
            lines[at] = replace(&lines[at], word, random.of(NUMBERS));
        }
        14 | 15 => {
            let word = found[random.below(found.len())];
            let text = &lines[at][word.0..word.1];
            let dots: Vec<usize> = text.match_indices('.').map(|(at, _)| at).collect();
            if let Some(&dot) = dots.get(random.below(dots.len())) {
                let end = text[dot + 1..].find('.').map_or(text.len(), |next| dot + 1 + next);
                let part = (word.0 + dot, word.0 + end);
                let with = match random.below(4) {
                    0 => "",
                    1 => random.of(MODIFIERS),
                    _ => random.of(TYPES),
                };
                lines[at] = replace(&lines[at], part, with);
            }
        }
        16 => {
            let word = found[random.below(found.len())];
            lines[at].insert_str(word.1, if random.below(2) == 0 { random.of(MODIFIERS) } else { random.of(TYPES) });
        }
        17 => {
            let word = found.iter().find(|&&(start, _)| lines[at].as_bytes()[start].is_ascii_lowercase()).copied();
            lines[at] = replace(&lines[at], word.unwrap_or(found[0]), opcode(random));
        }
        18 if !others.is_empty() => {
            let donor = others[random.below(others.len())];
            let given = words(donor);
            if let Some(&(start, end)) = given.get(random.below(given.len())) {
                lines[at] = replace(&lines[at], found[random.below(found.len())], &donor[start..end]);
            }
        }
        19 => {
            // Another line's register, label or name.
            let from = random.below(lines.len());
            let given = words(&lines[from]);
            if let Some(&(start, end)) = given.get(random.below(given.len())) {
                let name = lines[from][start..end].to_string();
                lines[at] = replace(&lines[at], found[random.below(found.len())], &name);
            }
        }
        20 => {
            let word = found[random.below(found.len())];
            lines[at] = replace(&lines[at], word, "");
        }
        _ => {
            // Digits inside a name: another register, another label.
            let word = found[random.below(found.len())];
            let digits = lines[at][word.0..word.1].find(|c: char| c.is_ascii_digit());
            if let Some(digit) = digits {
                let from = word.0 + digit;
                let number = random.below(12).to_string();
                lines[at] = replace(&lines[at], (from, word.1), &number);
            }
        }
    }
}
