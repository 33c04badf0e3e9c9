//! Where the assembler's complaints about generated PTX come from: the line of the source that the PTX line belongs to.

/// Lines that the assembler is given are marked like this for [`super::diagnostics`].
pub const SOURCE_LINE: &str = "source line ";

/// The log with every message of the assembler that names a line of `ptx`, or a function that is not there, marked with
/// the source line it belongs to. `name` is what the source is called in the PTX.
pub fn locate(log: &str, ptx: &str, name: &str) -> String {
    let lines: Vec<&str> = ptx.lines().collect();
    let located = |line: &str| -> Option<String> {
        let rest = line.strip_prefix("ptxas")?;
        let at = match rest.split_once(" line ").and_then(|(_, rest)| rest.split_once(';')) {
            Some((number, _)) => number.trim().parse::<usize>().ok()?,
            None => {
                let name = rest.split_once("extern function '")?.1.split('\'').next()?;
                // Its declaration comes first, so the last place that names it is a call.
                1 + lines.iter().rposition(|line| line.contains(name))?
            }
        };
        let source = source_line(&lines, at, name)?;
        Some(format!("ptxas {SOURCE_LINE}{source}{rest}"))
    };
    let lines: Vec<String> = log.lines().map(|line| located(line).unwrap_or_else(|| line.to_owned())).collect();
    lines.join("\n")
}

/// The last `.loc` before the PTX line, if it is in the file of that name.
fn source_line(lines: &[&str], at: usize, name: &str) -> Option<u32> {
    let loc = lines.get(..at)?.iter().rev().find_map(|line| line.trim_start().strip_prefix(".loc"))?;
    let mut words = loc.split_whitespace();
    let (file, line) = (words.next()?, words.next()?.parse().ok()?);
    let named = |line: &&&str| line.split_whitespace().take(2).eq([".file", file]);
    let path = lines.iter().find(named)?.split('"').nth(1)?;
    (path.rsplit('/').next() == Some(name)).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::locate;

    const PTX: &str = ".version 9.0\n.extern .func (.param .b32 r) _Z5otherf\n{\n\t.loc\t1 3 17\n\tfrobnicate;\n\t.loc\t1 9 2\n\
                       \tcall.uni (retval0), \n\t_Z5otherf, \n\t(param0);\n}\n\t.file\t1 \"/a/k.cu\"\n";

    #[test]
    fn a_line_of_ptx_belongs_to_the_last_place_before_it() {
        let log = "ptxas application ptx input, line 5; fatal   : Parsing error";
        assert_eq!(
            locate(log, PTX, "k.cu"),
            "ptxas source line 3 application ptx input, line 5; fatal   : Parsing error"
        );
        assert_eq!(locate(log, PTX, "other.cu"), log);
        assert_eq!(locate(log, "", "k.cu"), log);
    }

    #[test]
    fn a_function_that_is_missing_is_where_it_is_called() {
        let log = "ptxas fatal   : Unresolved extern function '_Z5otherf'";
        assert!(locate(log, PTX, "k.cu").starts_with("ptxas source line 9 "));
    }
}
