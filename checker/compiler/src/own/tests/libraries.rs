//! What is said of libraries that kernels cannot use as they are.

use super::super::part::{Include, Part};
use super::super::{Diagnostic, OwnCode, Severity, macros::Macros, standard};
use std::path::Path;

#[test]
fn complex_numbers_of_thrust_have_their_like() {
    let note = |header: &str| {
        let text = format!("#include <thrust/{header}>\n__global__ void k(int *a) {{ }}\n");
        let part = Part::new("", &text, &Macros::default(), &mut |_| Include::Cuda, &mut Vec::new());
        let own = OwnCode { parts: vec![part], every_kernel: false, skipped: Vec::new() };
        let said = Diagnostic {
            severity: Severity::Error,
            line: Some(119),
            ..Diagnostic::about_file(Path::new(&format!("thrust/{header}")), "refused")
        };
        own.explained(vec![said], Path::new("a.cu"))[0].notes.join("; ")
    };
    assert!(note("complex.h").contains("cuda::std::complex"));
    assert!(note("sort.h").contains("write the loop"));
}

#[test]
fn what_orders_is_brought() {
    let said = "no valid std::strong_ordering type found (<compare> must be included)";
    assert_eq!(standard(said), Some("compare"));
    assert_eq!(standard("namespace \"std\" has no member \"pair\""), Some("utility"));
}
