//! Names of old that CUDA does not have any more, and what stands in their place.

/// Exchanges of a warp without a mask.
const WITHOUT_MASK: [&str; 8] =
    ["__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot", "__match_any"];

/// What a message about an unknown name should add.
pub fn note(message: &str) -> Option<String> {
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

#[cfg(test)]
mod tests {
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
