//! Constant memory that nothing fills: as nothing can write there, it is all zeros.

use super::build::Built;
use problem::statement::StatementKind;

/// Linked names of the `__constant__` variables in the machine code that have no value of their own and that no line fills.
pub fn unfilled(built: &Built) -> Vec<&str> {
    let filled: Vec<String> = built
        .file
        .statements_flat()
        .into_iter()
        .filter_map(|statement| match &statement.kind {
            StatementKind::Constant(variable, _) => Some(format!("&{}", variable.name)),
            _ => None,
        })
        .collect();
    let filled: Vec<&str> =
        filled.iter().map(|name| built.compiled.names.get(name).map_or(&name[1..], String::as_str)).collect();
    empty(&built.compiled.ptx).filter(|name| !filled.contains(name)).collect()
}

/// Names that PTX declares in constant memory without a value.
fn empty(ptx: &str) -> impl Iterator<Item = &str> {
    let declared = |line: &'_ str| line.split_whitespace().take(2).any(|word| word == ".const");
    ptx.lines().filter(move |line| declared(line)).filter_map(|line| {
        let declarator = line.trim_end().strip_suffix(';')?.rsplit_once([' ', '\t'])?.1;
        (!line.contains('=')).then(|| declarator.split('[').next().unwrap_or(declarator))
    })
}

#[cfg(test)]
mod tests {
    use super::empty;

    #[test]
    fn constants_without_a_value_are_found() {
        let ptx = "\t.file 1 \"a.cu\"\n.const .align 4 .b8 coef[192];\n.visible .const .align 4 .u32 one = 1;\n.const .align 4 .f32 half;\n\
                   .const .align 4 .b8 table[8] = {1, 2};\n.global .align 4 .b8 other[4];\n\tld.const.f32 %f1, [coef];\n";
        assert_eq!(empty(ptx).collect::<Vec<_>>(), ["coef", "half"]);
    }
}
