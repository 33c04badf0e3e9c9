//! How far an H200's approximate instructions are from the simulator's: `differential/approximate.txt`, which
//! `differential/approximate.cu` writes on a GPU, as the table `differential/approximate.md` of the documentation.

use std::fmt::Write;

/// The table of the measurements.
pub fn table(data: &str) -> Option<String> {
    let mut lines = data.lines();
    let device = lines.next()?.strip_prefix("# ")?;
    let mut out = format!(
        "Measured on {device}, over every input (quotients: over 2^32 random pairs with |b| up to 2^126): the share of\n\
         results with the same bits, the share at most one unit in the last place away, the most units, and the largest\n\
         absolute difference. Near a zero of the function units say little.\n\n\
         | instruction | inputs | same | within 1 | most | absolute |\n|---|---|---|---|---|---|\n"
    );
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, inputs, special, absolute, most, _, bins @ ..] = &words[..] else { return None };
        let (inputs, special): (u64, u64) = (inputs.parse().ok()?, special.parse().ok()?);
        let bins = bins.iter().map(|bin| bin.parse::<u64>().ok()).collect::<Option<Vec<u64>>>()?;
        if special != 0 || bins.iter().sum::<u64>() != inputs {
            return None;
        }
        // Rounded down: never better than it is.
        let share = |count: u64| format!("{}.{:02} %", count * 100 / inputs, count * 10000 / inputs % 100);
        let (same, near) = (share(bins[0]), share(bins[0] + bins.get(1).unwrap_or(&0)));
        let (name, condition) = name.split_once(',').unwrap_or((name, ""));
        let condition = condition.replace('|', "\\|");
        let _ = writeln!(out, "| `{name}` {condition} | {inputs} | {same} | {near} | {most} | {absolute} |");
    }
    Some(out)
}
