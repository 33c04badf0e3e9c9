//! What graders read is what they take: each format against its schema, each template through its own entry point.

mod carried;
mod platforms;
mod schema;
mod templates;

use crate::class::grade::{class, grade};
use crate::support::repository;
use platforms::for_platform;
use schema::fits;
use serde_json::Value;

/// The grade book's own files are what the documentation says.
#[test]
fn grades_fit_the_documented_schema() {
    let workbook = class();
    workbook.write("class/none/ex01/a.cu", "");
    workbook.write("class/none/ex01/b.cu", "");
    let late = "[late]\ndeadline = \"2020-01-01T00:00:00Z\"\nper_day = 0.1\n";
    workbook.write("rubric.toml", late);
    assert_eq!(grade(&workbook, &["--file-times", "--rubric", "rubric.toml"]).code, Some(0));
    let path = repository().join("docs/grade.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("a schema")).expect("JSON");
    let mut states = std::collections::BTreeSet::new();
    for folder in ["ex01", "ex02"] {
        for file in std::fs::read_dir(workbook.path(&format!("grades/grades/{folder}"))).expect("grades").flatten() {
            let text = std::fs::read_to_string(file.path()).expect("a grade");
            let grade: Value = serde_json::from_str(&text).expect("JSON");
            fits(&schema, &schema, &grade, "grade").unwrap_or_else(|why| panic!("{why}"));
            states.insert(grade["state"]["is"].to_string());
        }
    }
    assert_eq!(states.len(), 2, "with a kernel and without: {states:?}");
}

/// What a student is told before grades are released names nothing that was drawn; afterwards all of it.
#[test]
#[ignore = "long"]
fn before_the_release_nothing_drawn_is_told() {
    let workbook = class();
    let manifest = workbook.read("exercises/ex01/problem.toml");
    workbook.write(
        "exercises/ex01/problem.toml",
        manifest.replace("count = ", "drawn = [{ n = [20000, 30000] }]\ncount = "),
    );
    // Wrong at drawn sizes only.
    let solution = workbook.read("solutions/ex01/solution.cu");
    workbook
        .write("class/bob/ex01/kernel.cu", solution.replace("if (i < n)", "if (i < n && (n < 5000 || i != n - 7))"));
    assert_eq!(grade(&workbook, &[]).code, Some(0));
    let page = |who: &str| {
        let pages = std::fs::read_dir(workbook.path("grades/pages")).expect("pages").flatten();
        let page = pages
            .map(|page| page.path())
            .find(|page| page.file_name().is_some_and(|name| name.to_string_lossy().starts_with(who)));
        std::fs::read_to_string(page.expect("a page")).expect("its text")
    };
    let ran = for_platform(&workbook, "bob", "gradescope");
    let explained = workbook.run(["grade", "explain", "bob", "ex01"]).stdout;
    let seed = explained.split("seed ").nth(1).and_then(|rest| rest.split(',').next()).expect("a seed").to_owned();
    let report: Value =
        serde_json::from_str(&workbook.run(["grade", "explain", "bob", "ex01", "--json"]).stdout).expect("JSON");
    let size = report[0]["report"]["cases"].as_array().and_then(|cases| cases.last()).expect("a case")["sizes"]["n"]
        .to_string();
    assert!(size.len() == 5 && explained.contains("WRONG RESULT"), "{size}: {explained}");
    for (what, told) in [("page", page("bob")), ("gradescope", ran.stdout)] {
        assert!(told.contains("WRONG RESULT") && !told.contains(&size) && !told.contains(&seed), "{what}: {told}");
    }
    assert_eq!(workbook.run(["grade", "release"]).code, Some(0));
    assert_eq!(workbook.run(["grade", "pages"]).code, Some(0));
    assert!(page("bob").contains(&size), "{}", page("bob"));
}

#[test]
#[ignore = "long"]
fn pages_show_what_students_wrote_as_text() {
    let workbook = class();
    let long: String =
        (0..40).map(|k| format!("    if (i == {k} * n)\n        b[i] = a[i] * {k}.5f + a[n - 1 - {k}];\n")).collect();
    let kernel =
        workbook.read("solutions/ex01/solution.cu").replace("    if (i < n)", &format!("{long}    if (i < n)"));
    workbook.write("class/<script>alert(1)</script>/ex01/kernel.cu", format!("// <img src=x>\n{kernel}"));
    workbook
        .write("class/hal/ex01/kernel.cu", kernel.replace(" i ", " j ").replace("(i ", "(j ").replace("[i]", "[j]"));
    let ran = grade(&workbook, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let pages = |folder: &str| {
        let inside = std::fs::read_dir(workbook.path(folder)).expect("pages").flatten();
        let files = inside.map(|page| page.path()).filter(|page| page.is_file());
        files.map(|page| (page.clone(), std::fs::read_to_string(page).expect("a page"))).collect::<Vec<_>>()
    };
    let pairs = pages("grades/pages/pairs");
    let text: String = pages("grades/pages").iter().chain(&pairs).map(|(_, text)| text.as_str()).collect();
    assert!(!text.contains("<script>") && !text.contains("<img"), "{text}");
    assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    // The renamed copy is found, and nobody else.
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    // Their page is nobody's, whatever a student is called: no other page shows a kernel of somebody else.
    let called = pairs[0].0.file_stem().expect("a name").to_string_lossy().into_owned();
    let (imitated, _) = called.rsplit_once('-').expect("a mark");
    for name in [imitated.to_owned(), format!("alike-{imitated}"), format!("pairs-{imitated}")] {
        workbook.write(&format!("class/{name}/ex01/kernel.cu"), kernel.replace("[i]", "[ i ]"));
    }
    assert_eq!(grade(&workbook, &[]).code, Some(0));
    let [one, other] = ["// &lt;img src=x&gt;", "a[j]"];
    assert!(pages("grades/pages/pairs").iter().any(|(_, text)| text.contains(one) && text.contains(other)));
    let others = pages("grades/pages").into_iter().filter(|(page, _)| page.to_string_lossy().contains(imitated));
    let others: Vec<String> = others.map(|(_, text)| text).collect();
    assert!(others.len() == 3 && others.iter().all(|text| !text.contains(one) && !text.contains(other)), "{others:?}");
    let index = workbook.read("grades/pages/index.html");
    assert!(index.contains("Look alike") && index.contains("RACE") && index.contains("DOES NOT COMPILE"), "{index}");
}
