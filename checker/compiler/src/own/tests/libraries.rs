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

/// Thrust in kernels is one sentence about the file's own `#include`, however many lines of Thrust's the compiler refuses.
#[test]
fn thrust_is_refused_in_one_sentence() {
    let text = "#include <vector>\n#include <thrust/sort.h>\n__global__ void k(int *a) { thrust::sort(thrust::seq, a, a + 9); }\n";
    let own = |include: Include| {
        let mut skipped = Vec::new();
        let mut what = |name: &str| if name.contains("thrust") { include.clone() } else { Include::Absent };
        let part = Part::new("", text, &Macros::default(), &mut what, &mut skipped);
        OwnCode { parts: vec![part], every_kernel: false, skipped }
    };
    let said = |file: &str, line, text: Option<&str>| Diagnostic {
        severity: Severity::Error,
        file: file.to_owned(),
        line: Some(line),
        column: None,
        message: "refused".to_owned(),
        notes: Vec::new(),
        text: text.map(str::to_owned),
    };
    let thrusts = || vec![said("thrust/sort.h", 119, None), said("thrust/sort.h", 319, None), said("a.cu", 3, None)];
    let found = own(Include::Cuda).explained(thrusts(), Path::new("a.cu"));
    assert_eq!(found.len(), 2, "{found:#?}");
    assert_eq!((found[0].file.as_str(), found[0].line, found[0].column), ("a.cu", Some(2), Some(10)));
    assert_eq!(found[0].text.as_deref(), Some("#include <thrust/sort.h>"));
    assert!(found[0].message.contains("thrust::seq"), "{found:#?}");
    assert_eq!(found[1].line, Some(3));
    // The header went without it: what uses it is why it is missed.
    let mut own = own(Include::Cuda);
    own.skipped.extend(own.parts[0].refuse_header("thrust/sort.h"));
    let line = text.lines().nth(2);
    let unknown = || Diagnostic {
        message: "name followed by \"::\" must be a class or namespace name".to_owned(),
        ..said("a.cu", 3, line)
    };
    let found = own.explained(vec![unknown(), said("a.cu", 3, line), said("a.cu", 4, line)], Path::new("a.cu"));
    assert_eq!(found.iter().map(|said| said.line).collect::<Vec<_>>(), [Some(2), Some(4)], "{found:#?}");
    // Headers of Thrust's that the compiler takes stay.
    let text = "#include <thrust/tuple.h>\n#include <thrust/sort.h>\nint main() { }\n";
    let mut include = |_: &str| Include::Cuda;
    let mut part = Part::new("", text, &Macros::default(), &mut include, &mut Vec::new());
    let mut refused = || part.refuse_header("thrust/detail/x.h").map(|skipped| skipped.name);
    assert_eq!([refused(), refused()], [Some("<thrust/sort.h>".to_owned()), None]);
}
