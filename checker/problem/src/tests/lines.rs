//! Kernel files and plans, well formed and malformed.

use crate::*;
use plan::{Arg, Buffer, Fill, Plan, Role};
use std::path::Path;

fn io() -> Vec<Buffer> {
    let buffer =
        |name: &str, role, fill| Buffer { name: name.into(), dtype: plan::dtype::DType::F32, len: 1000, role, fill };
    vec![buffer("a", Role::In, Some(Fill::Iota)), buffer("sum", Role::Out, None)]
}

fn sizes(n: i64) -> Sizes {
    Sizes::from([("n".to_string(), n)])
}

/// Six resident blocks of anything; the calls are checked by their arguments.
fn six(kernel: &str, block: i64, shared: i64) -> Result<i64, String> {
    if kernel == "block_sum" && block == 256 && shared == 1024 {
        Ok(6)
    } else {
        Err(format!("asked about {kernel}, {block}, {shared}"))
    }
}

fn plan_at(text: &str, n: i64) -> Result<Plan, LineError> {
    let file = KernelFile::parse(Path::new("kernel.cu"), text)?;
    file.plan(&PlanContext { sizes: sizes(n), device: DeviceShape::H200, active_blocks: &six }, &io())
}

const KERNELS: &str = "extern \"C\" __global__ void block_sum(const float *x, float *y, int n) {}\n\
                       template <int B> __global__ void __launch_bounds__(B) tree(const float *x, float *y, int n) {}\n";

fn plan(lines: &str) -> Result<Plan, LineError> {
    plan_at(&format!("{KERNELS}{lines}\n"), 1000)
}

#[test]
fn words_before_the_kernel_are_words_or_its_name() {
    let kernels = "extern \"C\" __global__ void block_sum(const float *x, float *y, int n) {}\n\
                   extern \"C\" __global__ void cluster(const float *x, float *y, int n) {}\n";
    let launch = |line: &str| {
        let plan = plan_at(&format!("{kernels}//@ let two = 2\n//@ launch {line}(a, sum, n)\n"), 1000).unwrap();
        let launch = &plan.launches[0];
        (launch.kernel.clone(), launch.cooperative, launch.cluster)
    };
    assert_eq!(launch("cluster(2 * two) block_sum<<<8, 256>>>"), ("block_sum".into(), false, Some([4, 1, 1])));
    assert_eq!(
        launch("cooperative cluster(2, two) block_sum<<<(2, 2), 256, 1024>>>"),
        ("block_sum".into(), true, Some([2, 2, 1]))
    );
    assert_eq!(launch("cluster<<<8, 256>>>"), ("cluster".into(), false, None));
    assert_eq!(launch("cluster(two) cluster<<<8, 256>>>"), ("cluster".into(), false, Some([2, 1, 1])));
}

#[test]
fn the_example_of_the_design_becomes_two_launches() {
    let plan = plan(
        "//@ let     block = 256\n\
         //@ let     grid  = min(ceil_div(n, block), sms * active_blocks(block_sum, block, 4 * block))\n\
         //@ scratch partial: f32[grid]\n\
         //@ launch  block_sum<<<grid, block, 4 * block>>>(a, partial, n)\n\
         //@ launch  block_sum<<<1, block, 4 * block>>>(partial, sum, grid)",
    )
    .unwrap();
    assert_eq!(
        plan.buffers.iter().map(|b| (b.name.as_str(), b.len, b.role)).collect::<Vec<_>>(),
        [("a", 1000, Role::In), ("sum", 1000, Role::Out), ("partial", 4, Role::Scratch)]
    );
    let launches: Vec<_> =
        plan.launches.iter().map(|l| (l.kernel.as_str(), l.grid, l.block, l.shared, l.line)).collect();
    assert_eq!(
        launches,
        [("block_sum", [4, 1, 1], [256, 1, 1], 1024, 6), ("block_sum", [1, 1, 1], [256, 1, 1], 1024, 7)]
    );
    assert_eq!(plan.launches[0].args, [Arg::Buffer(0), Arg::Buffer(2), Arg::Int(1000)]);
    assert_eq!(plan.launches[1].args, [Arg::Buffer(2), Arg::Buffer(1), Arg::Int(4)]);
}

/// Value of an expression as an integer argument.
fn value(expr: &str) -> Result<i64, LineError> {
    let plan = plan(&format!("//@ let v = {expr}\n//@ launch block_sum<<<1, 1>>>(v)"))?;
    match plan.launches[0].args[0] {
        Arg::Int(value) => Ok(value),
        other => panic!("{other:?}"),
    }
}

#[test]
fn expressions_have_the_values_of_c() {
    let cases = [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 3 - 2", 5),
        ("100 / 7 * 7", 98),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("1 << 4 + 1", 32),
        ("n >> 3 << 1", 250),
        ("0xFF", 255),
        ("1'000'000", 1_000_000),
        ("- -3", 3),
        ("ceil_div(n, 256)", 4),
        ("ceil_div(-7, 2)", -3),
        ("ceil_div(7, -2)", -3),
        ("ceil_div(-7, -2)", 4),
        ("ceil_div(0, 5)", 0),
        ("min(3, 1, 2)", 1),
        ("max(3, 1, 2)", 3),
        ("std::max(3, 1, 2)", 3),
        ("log2(1)", 0),
        ("log2(n)", 9),
        ("log2(1024)", 10),
        ("sms * warp + max_threads_per_sm + shared_per_sm", 132 * 32 + 2048 + 233_472),
        ("9223372036854775807", i64::MAX),
        ("2 // a comment", 2),
        ("(int)n / 3", 333),
        ("(unsigned long long)(n + 1) * 2", 2002),
        ("-(std::size_t)2 + int(n - 1)", 997),
        ("static_cast<unsigned int>(n) % 7", 6),
    ];
    for (expr, want) in cases {
        assert_eq!(value(expr).unwrap(), want, "{expr}");
    }
}

#[test]
fn template_arguments_take_values_and_shifts_stay_shifts() {
    let plan = plan(
        "//@ let block = 128\n\
         //@ launch tree<block><<<(n >> 2, 2, 3), (block, 4)>>>(a, sum, -0.5, 1e-3f)\n\
         //@ launch tree<(block > 64 ? 1 << 8 : ns::block)><<<1, 1>>>()",
    )
    .unwrap();
    assert_eq!(plan.launches[0].kernel, "tree<128>");
    assert_eq!((plan.launches[0].grid, plan.launches[0].block), ([250, 2, 3], [128, 4, 1]));
    assert_eq!(plan.launches[0].args[2..], [Arg::Real(-0.5), Arg::Real(1e-3)]);
    assert_eq!(plan.launches[1].kernel, "tree<(128 > 64 ? 1 << 8 : ns::block)>");
}

#[test]
fn extents_are_written_as_a_host_has_them_too() {
    let plan = plan(
        "//@ launch tree<1><<<dim3(ceil_div(n, 256)), dim3(32, 8)>>>()\n\
         //@ launch tree<1><<<dim3(2, 3, 4), dim3((1 + 3) * 8)>>>()",
    )
    .unwrap();
    let extents = plan.launches.iter().map(|launch| (launch.grid, launch.block)).collect::<Vec<_>>();
    assert_eq!(extents, [([4, 1, 1], [32, 8, 1]), ([2, 3, 4], [32, 1, 1])]);
}

#[test]
fn a_loop_launches_once_a_turn_with_its_own_lets() {
    let lines = "//@ for (s = n; s > 1; s = ceil_div(s, 2))\n\
                 //@   let half = ceil_div(s, 2)\n\
                 //@   launch block_sum<<<ceil_div(half, 256), 256>>>(a, s, half)\n\
                 //@ end";
    let launches = plan(lines).unwrap().launches;
    let args: Vec<_> = launches.iter().map(|l| (l.args[1], l.args[2])).collect();
    let turns = [(1000, 500), (500, 250), (250, 125), (125, 63), (63, 32), (32, 16), (16, 8), (8, 4), (4, 2), (2, 1)];
    assert_eq!(args, turns.map(|(s, half)| (Arg::Int(s), Arg::Int(half))));
    assert!(plan_at(&format!("{KERNELS}{lines}\n"), 1).unwrap().launches.is_empty());
    let nested = plan(
        "//@ for (k = 2; k <= 8; k = 2 * k)\n//@ for (j = k / 2; j > 0; j = j / 2)\n\
         //@ launch block_sum<<<1, 32>>>(j, k)\n//@ end\n//@ end",
    );
    assert_eq!(nested.unwrap().launches.len(), 1 + 2 + 3);
}

#[test]
fn name_expressions_need_no_compiled_kernel() {
    let text = format!(
        "{KERNELS}//@ let block = 256\n\
         //@ let grid = sms * active_blocks(tree<2 * 64>, block, 0)\n\
         //@ scratch partial: f32[grid]\n\
         //@ for (i = 0; i < 3; i = i + 1)\n\
         //@ launch tree<block><<<grid, block>>>(a, partial, n)\n\
         //@ launch tree<i><<<grid, block>>>(a, partial, n)\n\
         //@ end\n\
         //@ for (i = grid; i > 1; i = i / 2)\n\
         //@ launch block_sum<<<i, block>>>(a, partial, n)\n\
         //@ end\n"
    );
    let file = KernelFile::parse(Path::new("kernel.cu"), &text).unwrap();
    let names = file.name_expressions(&sizes(1000), &DeviceShape::H200).unwrap();
    assert_eq!(names, ["tree<2 * 64>", "tree<256>", "tree<0>", "tree<1>", "tree<2>", "block_sum"]);
    let circular = format!("{KERNELS}//@ let b = active_blocks(block_sum, 256, 0)\n//@ launch tree<b><<<1, 1>>>(a)\n");
    let file = KernelFile::parse(Path::new("kernel.cu"), &circular).unwrap();
    let error = file.name_expressions(&sizes(1000), &DeviceShape::H200).unwrap_err();
    assert!(error.message.contains("known only once the kernels are compiled"), "{error}");
}

#[test]
fn a_stand_alone_file_brings_its_own_buffers_and_sizes() {
    let text = "__global__ void add(const float *a, float *c, int n) {}\n\
                //@ size   n = 1 << 12\n\
                //@ size   m = n / 2\n\
                //@ in     a: f32[n] = uniform(-1, 1)\n\
                //@ inout  b: i64[m] = integers(-3, 3)\n\
                //@ in     d: bf16[3] = \"data/d.npy\"\n\
                //@ out    c: f32[n]\n\
                //@ launch add<<<ceil_div(n, 256), 256>>>(a, c, n)\n";
    let file = KernelFile::parse(Path::new("kernel.cu"), text).unwrap();
    let overrides = Sizes::from([("n".to_string(), 10)]);
    let sizes = file.sizes(&overrides).unwrap();
    assert_eq!(sizes, Sizes::from([("n".to_string(), 10), ("m".to_string(), 5)]));
    let plan = file.plan(&PlanContext { sizes, device: DeviceShape::H200, active_blocks: &six }, &[]).unwrap();
    let buffers: Vec<_> = plan.buffers.iter().map(|b| (b.name.as_str(), b.len, b.role, b.fill.clone())).collect();
    assert_eq!(
        buffers,
        [
            ("a", 10, Role::In, Some(Fill::Uniform { lo: -1.0, hi: 1.0 })),
            ("b", 5, Role::InOut, Some(Fill::Integers { lo: -3, hi: 3 })),
            ("d", 3, Role::In, Some(Fill::Npy("data/d.npy".into()))),
            ("c", 10, Role::Out, None)
        ]
    );
    let wrong = file.sizes(&Sizes::from([("k".to_string(), 1)])).unwrap_err();
    assert!(wrong.message.contains("no size `k`"), "{wrong}");
    assert!(file.require_problem_version().is_err());
}

#[test]
fn global_functions_are_found_through_attributes_and_comments() {
    let text = "// __global__ void commented();\n/* __global__ void out() */\n\
                const char *s = \"__global__ void text()\";\n\
                extern \"C\" __global__ void __launch_bounds__(256, 2) first(float *x);\n\
                template <class T> static __global__ __launch_bounds__((1 + 2) * 32)\nvoid second(T x) {}\n\
                __global__ void first(float *x) {}\n";
    let file = KernelFile::parse(Path::new("kernel.cu"), text).unwrap();
    assert_eq!(file.global_functions(), ["first", "second"]);
}

/// All messages for malformed lines, one snapshot: a message is part of the product.
#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn malformed_lines_have_clear_messages() {
    let launch = "//@ launch block_sum<<<1, 256>>>(a, sum, n)";
    let cases = [
        ("unknown statement", "//@ lanch block_sum<<<1, 256>>>(a, sum, n)".to_string()),
        ("no statement", "//@".to_string()),
        ("not at the line's start", "int x; //@ let y = 1".to_string()),
        ("bad name", format!("//@ let 2x = 1\n{launch}")),
        ("non-ASCII name", format!("//@ let größe = 1\n{launch}")),
        ("no equals sign", format!("//@ let x 1\n{launch}")),
        ("nothing after the equals sign", format!("//@ let x =\n{launch}")),
        ("duplicate let", format!("//@ let x = 1\n//@ let x = 2\n{launch}")),
        ("let named as a size", format!("//@ let n = 2\n{launch}")),
        ("let named as the device's figure", format!("//@ let sms = 2\n{launch}")),
        ("let named as a buffer", format!("//@ let sum = 2\n{launch}")),
        ("duplicate scratch", format!("//@ scratch p: f32[1]\n//@ scratch p: f32[2]\n{launch}")),
        ("unknown name", "//@ let block = 256\n//@ launch block_sum<<<1, blok>>>(a, sum, n)".to_string()),
        ("unknown function", "//@ launch block_sum<<<cieldiv(n, 2), 1>>>(a, sum, n)".to_string()),
        ("arguments of a function", "//@ launch block_sum<<<ceil_div(n), 1>>>(a, sum, n)".to_string()),
        ("real where an integer is needed", format!("//@ let x = 0.5\n{launch}")),
        ("cast to a real", "//@ launch block_sum<<<static_cast<float>(n), 1>>>(a, sum, n)".to_string()),
        ("cast to two types", "//@ launch block_sum<<<(int size_t)n, 1>>>(a, sum, n)".to_string()),
        ("cast of a buffer", "//@ launch block_sum<<<1, 1>>>((const float4*)a, sum, n)".to_string()),
        (
            "cast of a buffer in C++'s way",
            "//@ launch block_sum<<<1, 1>>>(reinterpret_cast<float4*>(a), sum, n)".to_string(),
        ),
        ("cast of nothing", "//@ launch block_sum<<<1, 1>>>(a, sum, (int))".to_string()),
        ("buffer in an expression", "//@ launch block_sum<<<1, 256>>>(4 + a, sum, n)".to_string()),
        ("unbalanced parentheses", format!("//@ let x = (1 + 2\n{launch}")),
        ("unbalanced call", "//@ launch block_sum<<<1, 256>>>(a, sum, n".to_string()),
        ("trailing text", format!("//@ let x = 1 2\n{launch}")),
        ("trailing text of a launch", format!("{launch} twice")),
        ("number too large", format!("//@ let x = 9223372036854775808\n{launch}")),
        ("overflow", format!("//@ let x = n * 9223372036854775807\n{launch}")),
        ("shift overflow", format!("//@ let x = n << 62\n{launch}")),
        ("shift amount", format!("//@ let x = 1 << 64\n{launch}")),
        ("negation overflow", format!("//@ let x = -(-9223372036854775807 - 1)\n{launch}")),
        ("division by zero", format!("//@ let x = n / (n - 1000)\n{launch}")),
        ("remainder by zero", format!("//@ let x = n % 0\n{launch}")),
        ("logarithm", format!("//@ let x = log2(0)\n{launch}")),
        ("deep nesting", format!("//@ let x = {}1\n{launch}", "(".repeat(100))),
        ("unknown type", format!("//@ scratch p: float[1]\n{launch}")),
        ("no length", format!("//@ scratch p: f32\n{launch}")),
        ("negative length", format!("//@ scratch p: f32[10 - n]\n{launch}")),
        ("huge length", format!("//@ scratch p: f32[1 << 62]\n{launch}")),
        ("scratch with a fill", format!("//@ scratch p: f32[1] = zeros\n{launch}")),
        ("no chevrons", "//@ launch block_sum(a, sum, n)".to_string()),
        ("no block", "//@ launch block_sum<<<1>>>(a, sum, n)".to_string()),
        ("stream", "//@ launch block_sum<<<1, 1, 0, 0>>>(a, sum, n)".to_string()),
        ("four dimensions", "//@ launch block_sum<<<(1, 1, 1, 1), 1>>>(a, sum, n)".to_string()),
        ("template never closed", "//@ launch tree<256<<<1, 1>>>(a, sum, n)".to_string()),
        ("missing kernel", "//@ launch blocksum<<<1, 1>>>(a, sum, n)".to_string()),
        ("missing kernel, none near", "//@ launch nothing<<<1, 1>>>(a, sum, n)".to_string()),
        ("grid of 0", "//@ launch block_sum<<<n / 1024, 256>>>(a, sum, n)".to_string()),
        ("negative grid", "//@ launch block_sum<<<0 - n, 256>>>(a, sum, n)".to_string()),
        ("grid too large", "//@ launch block_sum<<<1 << 31, 256>>>(a, sum, n)".to_string()),
        ("grid too large in y", "//@ launch block_sum<<<(1, 65536), 256>>>(a, sum, n)".to_string()),
        ("block of 0", "//@ launch block_sum<<<1, 0>>>(a, sum, n)".to_string()),
        ("block too large", "//@ launch block_sum<<<1, 1025>>>(a, sum, n)".to_string()),
        ("block too large in z", "//@ launch block_sum<<<1, (1, 1, 65)>>>(a, sum, n)".to_string()),
        ("block too large in all", "//@ launch block_sum<<<1, (32, 32, 2)>>>(a, sum, n)".to_string()),
        ("too much shared memory", "//@ launch block_sum<<<1, 1, 227 * 1024 + 4>>>(a, sum, n)".to_string()),
        ("negative shared memory", "//@ launch block_sum<<<1, 1, -4>>>(a, sum, n)".to_string()),
        ("active_blocks fails", "//@ launch block_sum<<<active_blocks(block_sum, 3, 0), 1>>>(a, sum, n)".to_string()),
        ("cooperative grid", "//@ launch cooperative block_sum<<<793, 256, 1024>>>(a, sum, n)".to_string()),
        ("cluster too large", "//@ launch cluster(9) block_sum<<<9, 256>>>(a, sum, n)".to_string()),
        ("cluster of 0", "//@ launch cluster(2, 0) block_sum<<<9, 256>>>(a, sum, n)".to_string()),
        ("no launch", "//@ let x = 1".to_string()),
        ("for without end", "//@ for (i = 0; i < 3; i = i + 1)".to_string()),
        ("end without for", format!("{launch}\n//@ end")),
        ("loop that never ends", format!("//@ for (i = 1; i < 3; i = i / 1)\n{launch}\n//@ end")),
        ("loop of too many launches", format!("//@ for (i = 0; i < 5000; i = i + 1)\n{launch}\n//@ end")),
        (
            "loop of too many turns",
            format!("//@ for (i = 0; i < 1 << 40; i = i + 1)\n//@ let x = i\n//@ end\n{launch}"),
        ),
        ("loop with another variable", format!("//@ for (i = 0; i < 3; j = j + 1)\n{launch}\n//@ end")),
        ("loop without a comparison", format!("//@ for (i = 0; i; i = i + 1)\n{launch}\n//@ end")),
        ("scratch in a loop", "//@ for (i = 0; i < 3; i = i + 1)\n//@ scratch p: f32[1]\n//@ end".to_string()),
        ("mutant's reason", format!("//@ mutant raec: no barrier\n{launch}")),
        ("mutant without a sentence", format!("//@ mutant race:\n{launch}")),
        ("in without a fill", format!("//@ in x: f32[n]\n{launch}")),
        ("unknown fill", format!("//@ in x: f32[n] = unifrom(0, 1)\n{launch}")),
        ("reversed fill", format!("//@ in x: f32[n] = uniform(1, 0)\n{launch}")),
        ("real bounds of integers", format!("//@ in x: f32[n] = integers(0.5, 1)\n{launch}")),
        ("open string", format!("//@ in x: f32[n] = \"x.npy\n{launch}")),
        ("many values", format!("//@ let x = {}1\n{launch}", "1+".repeat(300))),
        ("long line", format!("//@ let x = {}1\n{launch}", "1 + ".repeat(2000))),
    ];
    let mut all = String::new();
    for (what, lines) in cases {
        let error = plan(&lines).expect_err(what);
        all.push_str(&format!("## {what}\n{error}\n\n"));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn empty_and_huge_files_are_refused() {
    for (text, message) in [("", "the file is empty"), (" \n\t\n", "the file is empty")] {
        assert_eq!(&*KernelFile::parse(Path::new("k.cu"), text).unwrap_err().message, message);
    }
    let huge = " ".repeat((1 << 20) + 1);
    assert!(KernelFile::parse(Path::new("k.cu"), &huge).unwrap_err().message.contains("1048577 bytes"));
    let many = "//@ let x = 1\n".repeat(5000);
    assert!(KernelFile::parse(Path::new("k.cu"), &many).unwrap_err().message.contains("more than 4096"));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("k.cu");
    std::fs::write(&path, b"int x;\nint \xff;\n").unwrap();
    let ProblemError::Line(error) = KernelFile::read(&path).unwrap_err() else { panic!("no place") };
    assert_eq!((error.line, error.column), (2, 5));
    assert!(error.message.contains("byte 0xff is not UTF-8"), "{error}");
}

/// Text that is made to be slow ends at a limit, with a place; without the limits these take hours.
#[test]
fn no_file_keeps_the_checker_busy() {
    let longest = |head: &str, unit: &str| format!("{head}{}1", unit.repeat(255));
    let lets: String = (0..4000).map(|i| format!("//@ let x{i} = 1\n")).collect();
    let sums: String = (0..200).map(|i| format!("{}\n", longest(&format!("//@ let x{i} = "), "n+"))).collect();
    let launches: String = (0..2000).map(|_| "//@ launch tree<i + j><<<1, 1>>>(a, i)\n".to_string()).collect();
    let nested = |body: &str| {
        format!(
            "{KERNELS}//@ for (i = 0; i < 60000; i = i + 1)\n//@ for (j = 0; j < 60000; j = j + 1)\n{body}//@ end\n//@ end\n\
             //@ launch block_sum<<<1, 1>>>(a)\n"
        )
    };
    let padding = format!("// {}\n", "block_sum ".repeat(10_000));
    let cases = [
        (nested(""), "more than 16384 times"),
        (nested(&lets), "operations in all"),
        (nested(&sums), "operations in all"),
        (nested(&launches), "more than"),
        (format!("{padding}{}", nested("//@ launch block_sum<<<1, 1>>>(a, j)\n")), "more than 4096 launches"),
        (nested("//@ let y = active_blocks(tree<i * 60000 + j>, 256, 0)\n"), "asked about"),
    ];
    for (text, says) in cases {
        let error = plan_at(&text, 1000).expect_err(says);
        assert!(error.message.contains(says), "{error}");
        let file = KernelFile::parse(Path::new("kernel.cu"), &text).unwrap();
        // Names alone take no longer.
        let _ = file.name_expressions(&sizes(1000), &DeviceShape::H200);
    }
    // The longest chain of operators is evaluated; a longer one is refused, not a stack overflow.
    assert_eq!(
        plan(&format!("{}\n//@ launch block_sum<<<1, 1>>>(x)", longest("//@ let x = ", "1+"))).unwrap().launches.len(),
        1
    );
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_line() {
    let plan = plan_at(&format!("\u{feff}//@ let block = 64\n{KERNELS}//@ launch block_sum<<<1, block>>>(a)\n"), 1000);
    assert_eq!(plan.unwrap().launches[0].block, [64, 1, 1]);
}
