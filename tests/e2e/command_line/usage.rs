//! Options, help, exit statuses.

use crate::support::run;

#[test]
fn help_and_version_succeed() {
    let help = run(["--help"]);
    assert_eq!(help.code, Some(0), "{help:?}");
    assert!(help.stdout.contains("Exit status: 0 all goals met"), "{}", help.stdout);
    let version = run(["--version"]);
    assert_eq!((version.code, version.stdout.starts_with("checker ")), (Some(0), true));
}

#[test]
fn an_unknown_option_is_bad_usage() {
    let ran = run(["--frobnicate"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("--frobnicate"), "{}", ran.stderr);
}

#[test]
fn json_and_plain_exclude_each_other() {
    assert_eq!(run(["--json", "--plain"]).code, Some(2));
}
