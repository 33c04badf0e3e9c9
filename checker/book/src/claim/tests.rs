use super::eval::{Evaluation, Facts, Value, shown};
use super::expr::{Fact, parse};
use super::sentence;

/// `n(3)` is 3, `name(race)` is a word, `list()` is 1, 2, 4.
struct Toy;

impl Facts for Toy {
    fn value(&self, fact: &Fact) -> anyhow::Result<Value> {
        let number = |text: &String| text.parse::<f64>().map(Value::Number);
        Ok(match fact.name.as_str() {
            "n" => number(&fact.words[0])?,
            "name" => Value::Word(fact.words[0].clone()),
            "list" => Value::List([1.0, 2.0, 4.0].map(Value::Number).to_vec()),
            other => anyhow::bail!("no {other}"),
        })
    }
}

fn truth(text: &str) -> Result<bool, String> {
    let expr = parse(text)?;
    Evaluation::new(&Toy).truth(&expr).map_err(|error| format!("{error:#}"))
}

#[test]
fn conditions_hold_or_not() {
    for (text, holds) in [
        ("n(3) == 3", true),
        ("1 + 2 * 3 == 7 and (1 + 2) * 3 == 9 and 7 - 2 - 1 == 4 and 8 / 4 / 2 == 1", true),
        ("2 * 3 ^ 2 == 18 and (1 / 2) ^ n(3) == 0.125 and 1 - 2 ^ 2 == -3", true),
        ("2 ^ 3 == 6", false),
        ("1 < n(2) <= 2 < 3", true),
        ("1 < n(2) < 2", false),
        ("-n(2) < 0 and abs(-2) == 2 and round(2.6) == 3", true),
        ("name(race) == \"race\"", true),
        ("name(race) != \"race\"", false),
        ("every x in list(): n($x) < 5", true),
        ("every x in list(): n($x) < 4", false),
        ("some x in list(): $x > 3", true),
        ("some x in list(): $x > 4", false),
        ("(count x in list(): $x >= 2) == 2", true),
        ("(most x in list(): 2 * $x) == 8 and (least x in [3, 2]: $x) == 2", true),
        ("every x in [1, 2]: some y in [2, 3]: n($x) + $y == 4", true),
        ("n(1) == 1 and n(2) == 3", false),
    ] {
        assert_eq!(truth(text), Ok(holds), "{text}");
    }
}

#[test]
fn what_is_malformed_is_said() {
    for (text, want) in [
        ("", "it ends where"),
        ("n(3", "`n(` is not closed"),
        ("n(3) = 3", "expected the end or an operator at `= 3`"),
        ("n(3) <", "it ends where"),
        ("every x of list(): 1", "expected `in`"),
        ("nothing(3) == 1", "nothing(3): no nothing"),
        ("n(3)", "`3` is no condition"),
        ("count x in list(): $x >= 2", "`2` is no condition"),
        ("n(3) == \"three\"", "cannot be compared"),
        ("name(a) < \"b\"", "have no order"),
        ("every x in 3: $x > 1", "goes through a list"),
        ("\"a", "closing"),
        (&"(".repeat(100), "too deeply nested"),
    ] {
        let error = truth(text).unwrap_err();
        assert!(error.contains(want), "{text}: {error}");
    }
}

#[test]
fn a_failed_condition_shows_what_it_looked_at() {
    let expr = parse("n(1) == 1 and every x in list(): n($x) < n(4)").unwrap();
    let mut evaluation = Evaluation::new(&Toy);
    assert_eq!(evaluation.truth(&expr).ok(), Some(false));
    assert_eq!(evaluation.found, ["n(4) = 4", "n(4) = 4"]);
}

#[test]
fn values_have_the_form_that_a_sentence_asks_for() {
    for (number, format, want) in [
        (1.4714, "x", "1.47x"),
        (0.9687, "%", "97\u{a0}%"),
        (0.9687, "%1", "96.9\u{a0}%"),
        (2.0, ".1", "2.0"),
        (4.0, "word", "four"),
        (40.0, "word", "40"),
        (65536.0, "", "65,536"),
        (0.12345, "", "0.123"),
        (12.345, "", "12.3"),
        (1846.2, "", "1,846"),
    ] {
        assert_eq!(shown(&Value::Number(number), format).unwrap(), want);
    }
    assert!(shown(&Value::Number(1.0), "y").is_err() && shown(&Value::Number(1.0), "%x").is_err());
}

#[test]
fn the_sentence_before_a_claim_is_found() {
    assert_eq!(sentence("One. Two\nthree."), "Two three.");
    assert_eq!(sentence("One.\n\nTwo three: four"), "Two three: four");
    assert_eq!(sentence("One (two.) Three is so.\n"), "Three is so.");
    assert_eq!(sentence(""), "");
}
