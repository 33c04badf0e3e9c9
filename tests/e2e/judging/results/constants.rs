//! Inputs in constant memory, where a line puts them before the launches.

use super::{fails, passes};
use crate::support::Workbook;

/// ex73's coefficients: what fits is copied, also to a `__device__` variable and at the size that is simulated by blocks; what is left out
/// there is found; what cannot be copied, or was forgotten, is said.
#[test]
#[ignore = "long"]
fn an_input_may_lie_in_constant_memory() {
    let book = Workbook::copy_of_parts(&["exercises/ex73", "solutions/ex73", "kernels/few-long"]);
    let right = book.read("solutions/ex73/styles/constant.cu");
    let judge = |from: &str, to: &str| {
        let text = right.replace(from, to);
        assert!(from.is_empty() || text != right, "{from}");
        book.write("exercises/ex73/kernel.cu", text);
        book.run(["ex73", "--backend", "sim", "--seed", "5"])
    };
    passes("in constant memory", &judge("", ""));
    passes("in device memory", &judge("__constant__", "__device__"));
    fails("a far point", &judge("sum[j] = 0.0f", "sum[j] = i > 50000 ? coef[5] : 0.0f"), &["WRONG RESULT"]);
    fails("a coefficient less", &judge("int k = 47", "int k = 46"), &["WRONG RESULT"]);
    let forgotten = ["WRONG RESULT", "nothing fills `coef`, so it is all zeros", "`//@ constant NAME = INPUT`"];
    fails("filled by nothing", &judge("//@ constant coef = c\n", ""), &forgotten);
    fails(
        "too small",
        &judge("coef[48]", "coef[47]"),
        &["BAD LAUNCH", "`c` has 192 bytes, `coef` has 188", "^ this line"],
    );
    let large = ["BAD LAUNCH", "`x` has 160012 bytes here; a variable can get an input of 65536 at most"];
    fails("too large", &judge("coef = c", "coef = x"), &large);
    fails("an output", &judge("coef = c", "coef = y"), &["BAD LAUNCH", "`y` is no input"]);
}
