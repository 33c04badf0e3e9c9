//! Thread instructions a second: `cargo bench -p simulator`, or `cargo bench -p simulator -- NAME` for the kernels whose
//! name contains NAME. One host thread and all of them, checks off and on, and two watched launches on devices of their own. Each figure is the best of as many launches as fit
//! into a second; of two devices, all that they ran in a second. A launch alone is timed: what it only reads is an input, and what it
//! only writes was filled by the host, as in a check.

use simulator::{Arg, Checks, Config, Device, Launch, LaunchStatus, Module};
use std::sync::Arc;
use std::time::{Duration, Instant};

const HEAD: &str = ".version 8.0\n.target sm_75\n.address_size 64\n";

/// Name, kernel, blocks, threads a block, shared bytes.
const KERNELS: &[(&str, &str, u32, u32, u32)] = &[
    (
        "vector add",
        "shl.b32 %r3, %r10, 2; cvt.u64.u32 %rd5, %r3; add.s64 %rd6, %rd1, %rd5; add.s64 %rd7, %rd2, %rd5; ld.global.f32 \
         %f1, [%rd6]; ld.global.f32 %f2, [%rd6+4194304]; add.f32 %f3, %f1, %f2; st.global.f32 [%rd7], %f3; ret;",
        4096,
        256,
        0,
    ),
    (
        "block reduction",
        "shl.b32 %r3, %r10, 2; cvt.u64.u32 %rd5, %r3; add.s64 %rd6, %rd1, %rd5; ld.global.f32 %f1, [%rd6]; shl.b32 %r4, \
         %r1, 2; st.shared.f32 [%r4], %f1; bar.sync 0; mov.u32 %r5, 128; L: setp.ge.u32 %p1, %r1, %r5; @%p1 bra S; shl.b32 \
         %r6, %r5, 2; add.s32 %r7, %r4, %r6; ld.shared.f32 %f2, [%r7]; ld.shared.f32 %f3, [%r4]; add.f32 %f4, %f3, %f2; \
         st.shared.f32 [%r4], %f4; S: bar.sync 0; shr.u32 %r5, %r5, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra L; setp.ne.u32 \
         %p3, %r1, 0; @%p3 bra E; ld.shared.f32 %f5, [%r4]; red.global.add.f32 [%rd3], %f5; E: ret;",
        4096,
        256,
        1024,
    ),
    (
        "FMA loop",
        "mov.u32 %r5, 4096; cvt.rn.f32.u32 %f1, %r10; mov.f32 %f2, 0f3F7FF000; mov.f32 %f3, 0f3F800000; mov.f32 %f4, %f1; \
         mov.f32 %f5, %f1; mov.f32 %f6, %f1; L: fma.rn.f32 %f1, %f1, %f2, %f3; fma.rn.f32 %f4, %f4, %f2, %f3; fma.rn.f32 \
         %f5, %f5, %f2, %f3; fma.rn.f32 %f6, %f6, %f2, %f3; fma.rn.f32 %f1, %f1, %f2, %f3; fma.rn.f32 %f4, %f4, %f2, %f3; \
         fma.rn.f32 %f5, %f5, %f2, %f3; fma.rn.f32 %f6, %f6, %f2, %f3; add.s32 %r5, %r5, -1; setp.ne.s32 %p1, %r5, 0; @%p1 \
         bra L; add.f32 %f1, %f1, %f4; add.f32 %f5, %f5, %f6; add.f32 %f1, %f1, %f5; shl.b32 %r3, %r10, 2; cvt.u64.u32 %rd5, \
         %r3; add.s64 %rd6, %rd2, %rd5; st.global.f32 [%rd6], %f1; ret;",
        64,
        256,
        0,
    ),
    (
        "tiled product",
        "and.b32 %r3, %r1, 15; shr.u32 %r4, %r1, 4; shl.b32 %r5, %r1, 2; shl.b32 %r6, %r4, 6; shl.b32 %r7, %r3, 2; \
         mul.wide.u32 %rd5, %r10, 4; add.s64 %rd6, %rd1, %rd5; mov.u32 %r8, 16; mov.f32 %f1, 0f00000000; L: ld.global.f32 \
         %f2, [%rd6]; st.shared.f32 [%r5], %f2; st.shared.f32 [%r5+1024], %f2; bar.sync 0; mov.u32 %r11, 0; K: shl.b32 %r12, \
         %r11, 2; add.s32 %r13, %r6, %r12; ld.shared.f32 %f3, [%r13]; shl.b32 %r14, %r11, 6; add.s32 %r15, %r7, %r14; \
         ld.shared.f32 %f4, [%r15+1024]; fma.rn.f32 %f1, %f3, %f4, %f1; add.s32 %r11, %r11, 1; setp.ne.s32 %p1, %r11, 16; \
         @%p1 bra K; bar.sync 0; add.s32 %r8, %r8, -1; setp.ne.s32 %p2, %r8, 0; @%p2 bra L; add.s64 %rd7, %rd2, %rd5; st.global.f32 \
         [%rd7], %f1; ret;",
        64,
        256,
        2048,
    ),
    (
        "divergent loop",
        "and.b32 %r3, %r1, 31; add.s32 %r3, %r3, 1; mov.u32 %r4, 0; L: mad.lo.s32 %r4, %r4, 5, %r3; and.b32 %r5, %r4, 1; \
         setp.eq.s32 %p1, %r5, 0; @%p1 bra A; add.s32 %r4, %r4, 7; bra.uni B; A: xor.b32 %r4, %r4, 3; B: add.s32 %r3, %r3, \
         -1; setp.ne.s32 %p2, %r3, 0; @%p2 bra L; mul.wide.u32 %rd5, %r10, 4; add.s64 %rd6, %rd2, %rd5; st.global.u32 [%rd6], \
         %r4; ret;",
        512,
        256,
        0,
    ),
    (
        "atomic histogram",
        "mul.lo.s32 %r3, %r10, 747796405; mov.u32 %r4, 32; L: mad.lo.s32 %r3, %r3, 1664525, 1013904223; shr.u32 %r5, %r3, 24; \
         mul.wide.u32 %rd5, %r5, 4; add.s64 %rd6, %rd3, %rd5; red.global.add.u32 [%rd6], 1; add.s32 %r4, %r4, -1; \
         setp.ne.s32 %p1, %r4, 0; @%p1 bra L; ret;",
        256,
        256,
        0,
    ),
    (
        "atomic exchange",
        "mul.lo.s32 %r3, %r10, 747796405; mov.u32 %r4, 32; L: mad.lo.s32 %r3, %r3, 1664525, 1013904223; shr.u32 %r5, %r3, 20; \
         mul.wide.u32 %rd5, %r5, 4; add.s64 %rd6, %rd3, %rd5; atom.global.exch.b32 %r6, [%rd6], %r3; add.s32 %r4, %r4, -1; \
         setp.ne.s32 %p1, %r4, 0; @%p1 bra L; ret;",
        256,
        256,
        0,
    ),
];

/// What the machine calls itself, where that can be read.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")).and_then(|rest| rest.split(": ").nth(1));
    format!("{} on {}", model.unwrap_or(std::env::consts::ARCH), std::env::consts::OS)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{}, vectors of {} bits", machine(), simulator::vector_bits());
    println!(
        "G thread instructions a second      1 thread   {all:>2} threads   all checks: 1 thread   {all:>2} threads   2 devices"
    );
    for &(name, body, grid, block, shared) in KERNELS {
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        // An instruction a line, as compilers write them: what becomes of an atomic's result is known by lines.
        let body = body.replace("; ", ";\n");
        let text = format!(
            "{HEAD}.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)\n{{ .reg .pred %p<9>; .reg .b32 %r<20>; .reg .f32 %f<9>; .reg \
             .b64 %rd<9>; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 \
             %r9, %ntid.x; mad.lo.s32 %r10, %r2, %r9, %r1;\n{body}\n}}"
        );
        let module = Arc::new(Module::parse(&text).expect("the benchmark's PTX parses"));
        let bench = Bench { name, module, grid, block, shared };
        let (one, many) = (bench.best(1, Checks::NONE), bench.best(all, Checks::NONE));
        let (checked, shared) = (bench.best(1, Checks::ALL), bench.best(all, Checks::ALL));
        let two = bench.side_by_side(2);
        println!("{name:<34} {one:>9.3} {many:>12.3} {checked:>22.3} {shared:>12.3} {two:>11.3}");
    }
}

/// A kernel to be launched again and again.
struct Bench {
    name: &'static str,
    module: Arc<Module>,
    grid: u32,
    block: u32,
    shared: u32,
}

/// Bytes that all blocks have to do with.
const COMMON: u64 = 4 << 12;

/// How long a figure is measured.
const LONG: Duration = Duration::from_secs(1);

impl Bench {
    /// Thread instructions of each launch on a new device, with the time that it took.
    fn launches(&self, threads: usize, checks: Checks) -> Vec<(u64, Duration)> {
        let mut device =
            Device::new(Arc::clone(&self.module), Config { threads, shares: threads, checks, ..Config::default() });
        // Two words a thread to read, one to write, and some in which all that is there counts.
        let bytes = u64::from(self.grid) * u64::from(self.block) * 4;
        let sizes = [2 * bytes, bytes, COMMON];
        let buffers = [0, 1, 2].map(|at| device.alloc(["a", "b", "c"][at], sizes[at]).expect("fits"));
        let [input, output, common] = buffers;
        device.write(input, &vec![0; 2 * bytes as usize]).expect("inside");
        device.write(common, &vec![0; COMMON as usize]).expect("inside");
        device.protect(input).expect("there");
        let launch = Launch {
            kernel: "k".into(),
            grid: [self.grid, 1, 1],
            block: [self.block, 1, 1],
            shared: self.shared,
            args: buffers.map(Arg::Pointer).to_vec(),
            cooperative: false,
        };
        let begin = Instant::now();
        let mut all = Vec::new();
        while all.len() < 3 || begin.elapsed() < LONG {
            device.poison(output, bytes, &[0x7b]).expect("inside");
            let start = Instant::now();
            let report = device.launch(&launch).expect("starts");
            assert_eq!(report.status, LaunchStatus::Finished, "{}: {:?}", self.name, report.findings);
            all.push((report.counters.thread_instructions, start.elapsed()));
        }
        all
    }

    /// The best launch, in G thread instructions a second.
    fn best(&self, threads: usize, checks: Checks) -> f64 {
        let rate = |(instructions, took): (u64, Duration)| instructions as f64 / took.as_secs_f64() / 1e9;
        self.launches(threads, checks).into_iter().map(rate).fold(0.0, f64::max)
    }

    /// Watched launches on so many devices at the same time, all together.
    fn side_by_side(&self, devices: usize) -> f64 {
        let rate = |all: Vec<(u64, Duration)>| {
            let instructions: u64 = all.iter().map(|(instructions, _)| instructions).sum();
            instructions as f64 / all.iter().map(|(_, took)| took.as_secs_f64()).sum::<f64>() / 1e9
        };
        std::thread::scope(|scope| {
            let each: Vec<_> = (0..devices).map(|_| scope.spawn(|| rate(self.launches(1, Checks::ALL)))).collect();
            each.into_iter().map(|one| one.join().expect("launches")).sum()
        })
    }
}
