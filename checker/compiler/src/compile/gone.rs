//! Names of old that CUDA does not have any more, and what stands in their place.

/// Exchanges of a warp without a mask.
const WITHOUT_MASK: [&str; 8] =
    ["__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot", "__match_any"];

/// What a message about an unknown name should add.
pub fn note(message: &str) -> Option<String> {
    if let Some(function) = of_cub(message) {
        return Some(function);
    }
    let name = message.strip_prefix("identifier \"")?.strip_suffix("\" is undefined")?;
    if WITHOUT_MASK.contains(&name) {
        return Some(format!(
            "since Volta the lanes that take part are named: `{name}_sync(mask, ...)`, 0xffffffff for a whole warp"
        ));
    }
    if name.starts_with("curand") || name.starts_with("CURAND") {
        return Some(format!(
            "`{name}` is cuRAND's, whose headers are no part of the compiler: a whole CUDA toolkit has them (--toolchain DIR), or copy its \
             curand*.h beside the file, or let the kernel take its numbers from a buffer (`//@ in r: f32[n] = uniform(0, 1)`)"
        ));
    }
    (name == "texture").then(|| "texture references are gone since CUDA 12: pass a pointer".to_owned())
}

/// Functions of CUB's that libcu++'s took the place of.
fn of_cub(message: &str) -> Option<String> {
    const FUNCTIONS: [(&str, &str); 7] = [
        ("Sum", "plus"),
        ("Max", "maximum"),
        ("Min", "minimum"),
        ("Difference", "minus"),
        ("Division", "divides"),
        ("Equality", "equal_to"),
        ("Inequality", "not_equal_to"),
    ];
    let named = ["namespace \"cub\" has no member \"", "qualified name \"cub::"];
    let name = named.iter().find_map(|start| message.strip_prefix(start)?.split('"').next())?;
    let (_, instead) = FUNCTIONS.iter().find(|(gone, _)| *gone == name)?;
    let header = if instead.ends_with("imum") { "cuda/functional" } else { "cuda/std/functional" };
    let scope = if instead.ends_with("imum") { "cuda" } else { "cuda::std" };
    Some(format!(
        "CUB 3 has no `cub::{name}` any more: `{scope}::{instead}<>{{}}` (`#include <{header}>`) is what stands in its place"
    ))
}

#[cfg(test)]
mod tests {
    #[test]
    fn cubs_functions_of_old_have_others_in_their_place() {
        let note = |name: &str| super::note(&format!("namespace \"cub\" has no member \"{name}\""));
        assert!(note("Sum").is_some_and(|note| note.contains("`cuda::std::plus<>{}`")));
        assert!(note("Max").is_some_and(|note| note.contains("`cuda::maximum<>{}`")));
        assert_eq!(note("BlockReduce"), None);
    }

    #[test]
    fn names_of_old_are_told_from_others() {
        let note = |name: &str| super::note(&format!("identifier \"{name}\" is undefined"));
        assert!(note("__shfl_down").is_some_and(|note| note.contains("`__shfl_down_sync(mask, ...)`")));
        assert!(note("texture").is_some());
        assert!(note("curand_init").is_some_and(|note| note.contains("curand*.h beside the file")));
        assert_eq!(note("__shfl_down_sync"), None);
        assert_eq!(super::note("expected a \";\""), None);
    }
}
