//! Variables that are declared without a value: those that are read before they have one are told by their names, and the others are
//! let alone, whatever way they get it.

use crate::support::checker;
use rayon::prelude::*;
use serde_json::Value;

const HEAD: &str = "//@ in a: f32[256] = uniform(0, 1)\n//@ in b: i32[32] = integers(0, 9)\n//@ out o: f32[32]\n//@ launch k<<<1, 32>>>(a, b, o, 8)\n";
const FUNCTION: &str = "__global__ void k(const float *a, const int *b, float *o, int n)";

/// What stands before the kernel, its body, and the variable; `t` is the thread.
const WRONG: &[(&str, &str, &str)] = &[
    ("", "float acc;\nfor (int i = 0; i < 8; i++) acc += a[8 * t + i];\no[t] = acc;", "acc"),
    ("", "int x;\nif (b[t] > 4) x = 3;\no[t] = x;", "x"),
    ("", "int x;\nswitch (b[t] % 4) { case 0: x = 1; break; case 1: x = 2; break; }\no[t] = x;", "x"),
    (
        "",
        "float best;\nfor (int i = 0; i < 8; i++) if (a[8 * t + i] > best) best = a[8 * t + i];\no[t] = best;",
        "best",
    ),
    (
        "struct S { float sum; int n; };",
        "S s;\ns.n = 0;\nfor (int i = 0; i < 8; i++) { s.sum += a[8 * t + i]; s.n++; }\no[t] = s.sum / s.n;",
        "s",
    ),
    (
        "",
        "float v[2][2];\nv[0][0] = v[0][1] = v[1][0] = 0;\n#pragma unroll\nfor (int i = 0; i < 4; i++) v[i / 2][i & 1] += a[8 * t + i];\no[t] = v[0][0] + v[1][1];",
        "v",
    ),
    (
        "__device__ void find(const float *a, float x, int &at) { for (int i = 0; i < 8; i++) if (a[i] > x) { at = i; return; } }",
        "int at;\nfind(a + 8 * t, 2.0f, at);\no[t] = a[at & 7];",
        "at",
    ),
    ("", "unsigned mask;\nfor (int i = 0; i < 4; i++) mask |= (b[t] >> i & 1) << i;\no[t] = mask;", "mask"),
    (
        "",
        "bool found;\nfor (int i = 0; i < 8; i++) if (a[8 * t + i] > 0.9f) found = true;\no[t] = found ? 1.0f : 0.0f;",
        "found",
    ),
    (
        "",
        "unsigned sum;\n#pragma unroll\nfor (int i = 0; i < 4; i++) asm(\"add.u32 %0, %1, %2;\" : \"=r\"(sum) : \"r\"(b[t]), \"r\"(sum));\no[t] = sum;",
        "sum",
    ),
    // Nothing is ever assigned to these.
    ("", "int m;\nfloat s = 0;\nfor (int i = 0; i < m; i++) s += a[i & 255];\no[t] = s;", "m"),
    ("", "int step;\nfloat s = 0;\nfor (int i = 0; i < n; i += step) s += a[i];\no[t] = s;", "step"),
    ("", "float low;\nwhile (low < a[t]) low += a[t] * 0.001f;\no[t] = low;", "low"),
    ("", "unsigned at;\no[t] = a[at % 256];", "at"),
    ("", "float x;\no[t] = a[t] + x;", "x"),
    ("", "const float *from;\no[t] = from[t];", "from"),
    ("", "int q;\no[t] = __dp4a(b[t], b[t], q);", "q"),
];

/// Suspects by their text, which have a value on every way that is taken.
const RIGHT: &[(&str, &str)] = &[
    ("", "float x;\nif (t < 16) x = a[t];\nfloat y = 0;\nif (t < 16) y = x;\no[t] = y;"),
    ("", "int at;\nfor (int i = 0; i < n; i++) at = b[i];\no[t] = at;"),
    (
        "",
        "float next;\nif (n > 0) next = a[t];\nfloat sum = 0;\nfor (int i = 0; i < n; i++) { sum += next; if (i + 1 < n) next = a[t + i + 1]; }\no[t] = sum;",
    ),
    (
        "__device__ void get(const float *a, float &x, int n) { if (n > 0) x = a[n]; }",
        "float x;\nget(a, x, n);\no[t] = x;",
    ),
    (
        "",
        "float v[8];\nfor (int i = 0; i < 8; i++) if (i < n) v[i] = a[i];\nfloat sum = 0;\nfor (int i = 0; i < 8; i++) if (i < n) sum += v[i];\no[t] = sum;",
    ),
    (
        "struct P { char tag; double value; };",
        "P p, q;\nif (n > 0) { p.tag = 1; p.value = a[t]; }\nq = p;\no[t] = q.value;",
    ),
    ("", "float x;\nif (n > 100) x = 1;\nfloat y = x;\nif (n > 100) o[t] = y; else o[t] = 0;"),
    ("", "float x;\nif (t < 16) x = a[t];\nfloat other = __shfl_sync(0xffffffffu, x, t & 15);\no[t] = other;"),
    ("", "unsigned x;\nif (n > 0) asm(\"mov.u32 %0, %1;\" : \"=r\"(x) : \"r\"(b[t]));\no[t] = x;"),
    ("", "int x;\nx = x & 0;\no[t] = x;"),
];

fn told(before: &str, body: &str, schedule: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.cu");
    let text = format!("{HEAD}{before}\n{FUNCTION} {{\nint t = threadIdx.x;\n{body}\n}}\n");
    std::fs::write(&file, text).expect("the kernel");
    let args = ["--json", "--seed", "7", "--backend", "sim", "--schedule", schedule];
    let ran = checker().arg("run").arg(&file).args(args).output().expect("it starts");
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

#[test]
fn a_variable_that_is_read_before_it_has_a_value_is_named() {
    WRONG.par_iter().for_each(|(before, body, name)| {
        let report = told(before, body, "its");
        let reason = &report["reasons"][0];
        assert_eq!(report["verdict"], "uninitialised", "{body}: {report}");
        let text = reason["text"].as_str().unwrap_or_default();
        let (said, declared) = (format!("`{name}` is read before it has a value"), "declared without a value");
        assert!(text.contains(&said) && reason["excerpts"][0]["label"] == declared, "{body}: {reason}");
        let line = reason["excerpts"][0]["line"].as_u64().unwrap_or_default();
        let at = reason["excerpts"][0]["first"].as_u64().unwrap_or_default();
        let shown = reason["excerpts"][0]["lines"][(line - at) as usize].as_str().unwrap_or_default();
        assert!(shown.contains(name) && shown.ends_with(';'), "{body}: {shown}");
    });
}

#[test]
fn a_variable_that_gets_its_value_on_every_way_that_is_taken_is_let_alone() {
    RIGHT.par_iter().for_each(|(before, body)| {
        for schedule in ["its", "all"] {
            let report = told(before, body, schedule);
            assert_eq!(
                (&report["verdict"], &report["findings"]),
                (&"finished".into(), &Value::Array(Vec::new())),
                "{body}: {report}"
            );
        }
    });
}
