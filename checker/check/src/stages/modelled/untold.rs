//! What no code tells the time of: a pause as long as a register says, and calls of what the driver brings.

use simulator::Covered;

/// Functions of the driver that a kernel may call, as PTX and as CUDA has them: they take from one heap, or append to one buffer, and all
/// threads share it.
const OF_THE_DRIVER: [(&str, &str); 3] = [("malloc", "malloc"), ("free", "free"), ("vprintf", "printf")];

/// Lines that a statement may have.
const STATEMENT: usize = 12;

/// Why nobody knows how long that takes of which `coverage` ran, in words; `ptx` is what it is of.
pub fn why(ptx: &str, coverage: &[Covered]) -> Option<String> {
    let asks = |covered: &&Covered| ["nanosleep", "call"].iter().any(|begin| covered.opcode.starts_with(begin));
    let ran: Vec<&Covered> = coverage.iter().filter(asks).filter(|covered| covered.warps > 0).collect();
    if ran.is_empty() {
        return None;
    }
    let lines: Vec<&str> = ptx.lines().collect();
    ran.into_iter().find_map(|covered| {
        let from = (covered.ptx_line as usize).saturating_sub(1);
        let statement = lines.iter().skip(from).take(STATEMENT).copied().collect::<Vec<_>>().join(" ");
        let statement = statement.split(';').next().unwrap_or_default();
        let words = || statement.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '%' | '$')));
        if covered.opcode.starts_with("nanosleep") {
            let register = words().any(|word| word.starts_with('%') && !word.starts_with("%p"));
            return register.then(|| "it sleeps for as long as a register says".to_owned());
        }
        let (_, name) = OF_THE_DRIVER.iter().find(|(name, _)| words().any(|word| word == *name))?;
        Some(format!("it calls {name}, which takes as long as the driver likes"))
    })
}
