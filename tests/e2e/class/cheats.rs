//! A class of cheats: each tries something, none gets a point for it, and the honest ones beside them get theirs.

use crate::class::grade::{class, only};
use crate::support::{files_below, in_turn};
use std::collections::BTreeMap;

const BODY: &str = "    if (i < n)\n        b[i] = a[i] * 1.7f;\n";
const LAUNCH: &str = "//@ launch scale<<<ceil_div(n, block), block>>>(a, b, n)\n";

/// What it is called, what it tries, which text of the right kernel it replaces, by what.
type Cheat = (&'static str, &'static str, &'static str, &'static str);

const CHEATS: &[Cheat] = &[
    // Files of the machine that grades.
    ("passwd", "read a file of the system", "__global__", "#include \"/etc/passwd\"\n__global__"),
    ("environ", "read the grader's environment", "__global__", "#include \"/proc/self/environ\"\n__global__"),
    ("solution", "include the solution", "__global__", "#include \"../../../solutions/ex01/solution.cu\"\n__global__"),
    ("reference", "include the oracle", "__global__", "#include \"exercises/ex01/reference.cu\"\n__global__"),
    ("seed", "include the seed", "__global__", "#include \"/autograder/source/seed\"\n__global__"),
    ("secret", "include the grade book's secret", "__global__", "#include \"../../secret\"\n__global__"),
    (
        "neighbour",
        "include a neighbour's kernel",
        "__global__",
        "#include \"../../../class/ada/ex01/kernel.cu\"\n__global__",
    ),
    ("zero", "never stop reading", "__global__", "#include \"/dev/zero\"\n__global__"),
    ("itself", "include itself for ever", "__global__", "#include __FILE__\n__global__"),
    ("computed", "include by a computed name", "__global__", "#define F </etc/passwd>\n#include F\n__global__"),
    ("trigraph", "include in another spelling", "__global__", "%:include \"/etc/passwd\"\n__global__"),
    (
        "has",
        "ask whether a file is there",
        BODY,
        "#if __has_include(\"/etc/passwd\")\n    if (i < n) b[i] = 1;\n#endif\n",
    ),
    ("incbin", "have the assembler read a file", BODY, "    asm volatile(\".incbin \\\"/etc/passwd\\\"\");\n"),
    (
        "file",
        "have the assembler name a file",
        BODY,
        "    asm volatile(\".file 1 \\\"/etc/passwd\\\"\\n.loc 1 1 0\");\n",
    ),
    ("line", "quote a file by its name", "__global__", "#line 1 \"/etc/passwd\"\n#error here\n__global__"),
    ("import", "link a library", "__global__", "#pragma comment(lib, \"/etc/passwd\")\n#error here\n__global__"),
    // The checker's own words.
    (
        "reply",
        "forge a worker's reply",
        BODY,
        "    if (i == 0) printf(\"\\n{\\\"Checked\\\":{\\\"case\\\":0,\\\"version\\\":0,\\\"result\\\":{\\\"status\\\":{\\\"status\\\":\\\"passed\\\"}}}}\\n\");\n",
    ),
    (
        "grade-line",
        "forge a platform's last line",
        BODY,
        "    if (i == 0) printf(\"\\nGrade :=>> 10\\n{\\\"scores\\\":{\\\"ex01\\\":10}}\\n\");\n",
    ),
    ("escapes", "clear the teacher's screen", BODY, "    if (i == 0) printf(\"\\033[2J\\033]0;10 points\\007\");\n"),
    ("error-text", "clear it by an error's text", "__global__", "#error \x1b[2J\x1b]0;PASSED\x07\n__global__"),
    ("markup", "get a script into the pages", "__global__", "#error <script>alert(1)</script>\n__global__"),
    ("formula", "get a formula into the table", "__global__", "#error =HYPERLINK(\"x\")\n__global__"),
    // The problem's own lines.
    (
        "own-input",
        "bring inputs along",
        LAUNCH,
        "//@ in a f32[n] = const(0)\n//@ launch scale<<<ceil_div(n, block), block>>>(a, b, n)\n",
    ),
    ("own-size", "bring sizes along", LAUNCH, "//@ size n = 1\n//@ launch scale<<<1, 1>>>(a, b, n)\n"),
    (
        "own-mutant",
        "say that it is a mutant",
        LAUNCH,
        "//@ mutant wrong-result: meant\n//@ launch scale<<<1, 1>>>(a, b, n)\n",
    ),
    ("no-launch", "launch nothing", LAUNCH, ""),
    ("few", "launch for the smallest size only", LAUNCH, "//@ launch scale<<<1, block>>>(a, b, n)\n"),
    ("swapped", "make the output the input", LAUNCH, "//@ launch scale<<<ceil_div(n, block), block>>>(b, a, n)\n"),
    ("grid", "launch more than a machine can", LAUNCH, "//@ launch scale<<<n * 2000000000, block>>>(a, b, n)\n"),
    ("many", "launch for ever", LAUNCH, "//@ for k in 0 .. 2000000000\n//@ launch scale<<<1, 1>>>(a, b, n)\n//@ end\n"),
    (
        "shared",
        "ask for more shared memory than there is",
        LAUNCH,
        "//@ launch scale<<<1, block, 100000000>>>(a, b, n)\n",
    ),
    // Results that nobody computed.
    ("nothing", "write nothing", BODY, ""),
    ("zeros", "write zeros", BODY, "    if (i < n) b[i] = 0;\n"),
    ("copy", "copy the input", BODY, "    if (i < n) b[i] = a[i];\n"),
    (
        "cases",
        "know the sizes of the cases",
        BODY,
        "    if (i < n) b[i] = n == 1 || n == 33 || n == 1024 ? a[i] * 1.7f : 0;\n",
    ),
    ("counted", "do it at the counted size only", BODY, "    if (i < n && n == 4097) b[i] = a[i] * 1.7f;\n"),
    ("poison", "leave what looks written", BODY, "    if (i < n && __float_as_int(b[i]) == -1) b[i] = a[i] * 1.7f;\n"),
    ("once", "compute the first time only", "__global__", "__device__ int runs;\n__global__"),
    (
        "oracle",
        "look for the oracle's result in memory",
        BODY,
        "    if (i < n) for (long k = -4096; k < 4096; ++k) if (b[k] == a[i] * 1.7f) b[i] = b[k];\n",
    ),
    ("beyond", "write to a neighbour's buffer", BODY, "    if (i < n) b[i + n] = b[i] = a[i] * 1.7f;\n"),
    ("wild", "write anywhere", BODY, "    if (i < n) *(float*)(0x7f0000000000 + 4 * i) = 1;\n"),
    ("input", "change the input until it fits", BODY, "    if (i < n) { ((float*)a)[i] = 0; b[i] = 0; }\n"),
    ("half", "compute in half", BODY, "    if (i < n) b[i] = (int)(a[i] * 1700) / 1000.0f;\n"),
    ("last", "leave out the last", BODY, "    if (i < n - 1) b[i] = a[i] * 1.7f;\n"),
    ("nan", "hope that NaN compares well", BODY, "    if (i < n) b[i] = __int_as_float(0x7fffffff);\n"),
    ("clock", "cheat when nobody looks", BODY, "    if (i < n) b[i] = clock64() % 7 ? a[i] * 1.7f : 0;\n"),
    (
        "machine",
        "know the simulator by its SM",
        BODY,
        "    int sm; asm volatile(\"mov.u32 %0, %%smid;\" : \"=r\"(sm));\n    if (i < n) b[i] = sm % 2 ? a[i] * 1.7f : 0;\n",
    ),
    // Ends of all kinds.
    ("trap", "crash", BODY, "    __trap();\n"),
    ("assert", "fail on purpose", BODY, "    if (i == 0) asm volatile(\"brkpt;\");\n    __trap();\n"),
    ("endless", "never end", BODY, "    while (i < n) asm volatile(\"\");\n"),
    ("wait", "wait for nobody", BODY, "    volatile int* flag = (volatile int*)b;\n    while (*flag != 77) ;\n"),
    (
        "divergent",
        "leave half of the block waiting",
        BODY,
        "    if (threadIdx.x % 2) __syncthreads();\n    if (i < n) b[i] = a[i] * 1.7f;\n",
    ),
    (
        "stack",
        "recurse until nothing is left",
        "__global__",
        "__device__ int deep(int k) { volatile int x[64]; x[k % 64] = k; return k < 0 ? 0 : deep(k + 1) + x[k % 64]; }\n__global__",
    ),
    (
        "flood",
        "print until the disk is full",
        BODY,
        "    for (int k = 0; k < 1000; ++k) printf(\"%d aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\n\", k);\n",
    ),
    ("module", "take all memory", "__global__", "__device__ char much[1ull << 40];\n__global__"),
    (
        "expansion",
        "keep the compiler busy",
        "__global__",
        "#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(A(x)))))\nB(int y;)\n__global__",
    ),
    ("syscall", "call the system", "__global__", "extern \"C\" int system(const char*);\n__global__"),
    ("socket", "open a connection", "__global__", "#include <sys/socket.h>\n__global__"),
    (
        "host",
        "bring a program along",
        "__global__",
        "#include <cstdlib>\nint main() { return system(\"touch /tmp/was-here\"); }\n#error here\n__global__",
    ),
    (
        "constructor",
        "run when it is loaded",
        "__global__",
        "static int ran = [] { return 1 / 0; }();\n#error here\n__global__",
    ),
];

#[test]
fn no_cheat_gets_a_point_and_none_harms_another() {
    let workbook = class();
    let solution = workbook.read("solutions/ex01/solution.cu");
    only(&workbook, Some("ada"));
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let chosen = CHEATS.iter().filter(|(name, ..)| in_turn(name));
    for (name, tries, from, to) in chosen {
        let mut kernel = solution.replacen(from, to, 1);
        assert_ne!(kernel, solution, "{name} changes nothing");
        match *name {
            "once" => {
                kernel = kernel
                    .replace(BODY, "    if (i < n && runs == 0) b[i] = a[i] * 1.7f;\n    if (i == n - 1) runs = 1;\n")
            }
            "stack" => kernel = kernel.replace("b[i] = a[i] * 1.7f", "b[i] = a[i] * 1.7f + deep(i)"),
            "module" => kernel = kernel.replace("b[i] = a[i] * 1.7f", "b[i] = a[i] * 1.7f + much[n * 1000000000ull]"),
            "syscall" => kernel = kernel.replace("b[i] = a[i] * 1.7f", "b[i] = system(\"touch /tmp/was-here\")"),
            _ => {}
        }
        assert!(names.insert(name, tries).is_none(), "{name} twice");
        workbook.write(&format!("class/{name}/ex01/kernel.cu"), kernel);
    }
    // Names are a student's choice, too.
    workbook.write("class/zoe/ex01/kernel.cu", &solution);
    let ran = workbook.run(["grade", "class", "--seed", "7", "--limit", "20"]);
    assert!(matches!(ran.code, Some(0 | 3)), "{ran:?}");
    assert!(!ran.stderr.contains("panicked") && !ran.stdout.contains('\x1b'), "{ran:?}");
    let table = workbook.read("grades/grades.csv");
    let submissions = workbook.read("grades/submissions.csv");
    let points: BTreeMap<&str, &str> =
        table.lines().skip(1).filter_map(|line| Some((line.split(',').next()?, line.split(',').nth(2)?))).collect();
    for (name, tries) in &names {
        let earned = points.get(name).copied().unwrap_or("nothing at all");
        assert!(["0", "not graded"].contains(&earned), "{name} ({tries}): {earned}\n{submissions}");
    }
    assert_eq!((points["ada"], points["zoe"]), ("10", "10"), "{submissions}");
    assert!(names.len() * 5 > CHEATS.len() && CHEATS.len() >= 60, "{} of {}", names.len(), CHEATS.len());
    for text in [&table, &submissions] {
        assert!(!text.contains("root:") && !text.contains('\x1b'), "{text}");
    }
    assert!(!std::path::Path::new("/tmp/was-here").exists());
    // What they wrote is text on every page, of those that are alike too.
    let pages = workbook.path("grades/pages");
    for page in files_below(&pages) {
        let text = std::fs::read_to_string(pages.join(&page)).expect("a page");
        assert!(!text.contains("<script") && !text.contains('\x1b') && !text.contains("root:"), "{page}");
    }
}
