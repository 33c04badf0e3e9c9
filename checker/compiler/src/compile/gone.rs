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
    (name == "texture").then(|| "texture references are gone since CUDA 12: pass a pointer".to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_of_old_are_told_from_others() {
        let note = |name: &str| super::note(&format!("identifier \"{name}\" is undefined"));
        assert!(note("__shfl_down").is_some_and(|note| note.contains("`__shfl_down_sync(mask, ...)`")));
        assert!(note("texture").is_some());
        assert_eq!(note("__shfl_down_sync"), None);
        assert_eq!(super::note("expected a \";\""), None);
    }
}
