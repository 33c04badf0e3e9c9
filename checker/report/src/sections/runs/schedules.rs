//! Schedules by name, for somebody who did not ask for one: what runs, and in half a sentence in what order.

/// A kind of schedule: how its names begin, and what a newcomer has to know.
struct Kind {
    prefix: &'static str,
    gloss: &'static str,
}

/// All kinds, in the order in which they are told.
const KINDS: &[Kind] = &[
    Kind { prefix: "its", gloss: "usual order" },
    Kind { prefix: "pre-volta", gloss: "warps in lockstep" },
    Kind { prefix: "adversarial", gloss: "rare, allowed" },
    Kind { prefix: "in-turn", gloss: "all compete" },
    Kind { prefix: "pct", gloss: "random priorities" },
    Kind { prefix: "patient", gloss: "long waits" },
    Kind { prefix: "replay", gloss: "as written there" },
];

/// "schedules its (usual order), 5 adversarial (rare, allowed)".
pub fn told(names: &[String]) -> String {
    let mut parts = Vec::new();
    for kind in KINDS {
        let own: Vec<&str> = names.iter().map(String::as_str).filter(|name| name.starts_with(kind.prefix)).collect();
        let text = match own.as_slice() {
            [] => continue,
            [_] | [_, _] => own.join(", "),
            many => format!("{} {}", many.len(), kind.prefix),
        };
        parts.push(format!("{text} ({})", kind.gloss));
    }
    format!("{} {}", if names.len() == 1 { "schedule" } else { "schedules" }, parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn every_kind_is_told_once_and_explained() {
        let names = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(told(&names(&["its"])), "schedule its (usual order)");
        let competing = names(&["its", "adversarial:1", "in-turn", "patient:4"]);
        assert_eq!(
            told(&competing),
            "schedules its (usual order), adversarial:1 (rare, allowed), in-turn (all compete), patient:4 (long waits)"
        );
        let many = names(&["its", "adversarial:0", "pct:4", "adversarial:2", "adversarial:9", "pre-volta", "pct:4:2"]);
        assert_eq!(
            told(&many),
            "schedules its (usual order), pre-volta (warps in lockstep), 3 adversarial (rare, allowed), pct:4, pct:4:2 \
             (random priorities)"
        );
    }
}
