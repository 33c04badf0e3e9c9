//! Sizes that the checker chose because a version does something there that it does at no case: they are run, with one large extent if two
//! are too many, unwatched if watching takes too much.

use super::{fails, passes};
use crate::support::{Ran, Workbook, rows_in_turn};

/// A part of the workbook, its answer with texts replaced.
fn answered(book: &Workbook, exercise: &str, replaced: &[(&str, &str)]) -> Ran {
    let mut text = book.read(&format!("solutions/{exercise}/solution.cu"));
    for (old, new) in replaced {
        assert!(text.contains(old), "{exercise}: no {old}");
        text = text.replacen(old, new, 1);
    }
    book.write(&format!("exercises/{exercise}/kernel.cu"), text);
    book.run([exercise, "--backend", "sim", "--seed", "5"])
}

#[test]
#[ignore = "long"]
fn one_large_extent_beside_a_small_one_is_enough() {
    let book = Workbook::copy_of_parts(&["exercises/ex78", "solutions/ex78", "kernels/atomics"]);
    let (store, usual) = ("y[(long long)r * width + c] = (above + here + below)", "above + here + below");
    let switched = |condition: &str, large: &str| {
        let new = format!("y[(long long)r * width + c] = ({condition} ? {large} : {usual})");
        answered(&book, "ex78", &[(store, &new)])
    };
    for condition in rows_in_turn(["width > 8000", "height > 9000"]) {
        passes(condition, &switched(condition, "above + (here + below)"));
    }
    // What it takes both extents for has no size that can be run.
    let both = switched("width > 8000 && height > 9000", "above + (here + below)");
    fails("both", &both, &["NOT VERIFIED", "wherever it was verified"]);

    // Two conditions, of which one size has one and another one the other: both sizes are run, if the block of the only element that is wrong
    // was not solved for before.
    let apart = |wide: &str, tall: &str| {
        let new =
            format!("y[(long long)r * width + c] = ({usual} + float((r == 77) & (c == 101) & ({wide} | {tall})))");
        let launch = [
            ("//@ launch", "//@ let wide = min(1, width / 4000)\n//@ let tall = min(1, height / 3500)\n//@ launch"),
            ("(x, y, width, height)", "(x, y, width, height, wide, tall)"),
            ("float* y, int width, int height)", "float* y, int width, int height, int wide, int tall)"),
        ];
        answered(&book, "ex78", &[&launch[..], &[(store, &new)]].concat())
    };
    let told = Some(&["WRONG RESULT", "1 of the"]);
    for (which, wide, tall, told) in rows_in_turn([
        ("neither", "(wide & 2)", "(tall & 2)", None),
        ("wide", "wide", "(tall & 2)", told),
        ("tall", "(wide & 2)", "tall", told),
    ]) {
        let ran = apart(wide, tall);
        match told {
            None => passes(which, &ran),
            Some(told) => fails(which, &ran, told),
        }
    }
}

/// Lanes that take neighbours by themselves: what is noted of such accesses needs more memory than a run gets. It is right, and more than
/// the goal has room for.
#[test]
#[ignore = "long"]
fn what_cannot_be_watched_is_run_unwatched() {
    let book = Workbook::copy_of_parts(&["exercises/ex61", "solutions/ex61", "kernels/atomics"]);
    let index = "first + 32 * k + lane;";
    let large = "n > 18000000 ? first + 8 * lane + k : first + 32 * k + lane;";
    let missed = large.replace("8 * lane", "8 * (warp == 4321 && lane == 7 ? 6 : lane)");
    for (new, told) in rows_in_turn([
        (large, &["NOT YET", "ok results  ok findings", "global load sectors"][..]),
        (&missed, &["WRONG RESULT"]),
    ]) {
        fails(new, &answered(&book, "ex61", &[(index, new)]), told);
    }
}
