//! One mutation.

use super::Random;
use super::words::{LINES, MODIFIERS, MODULE_LINES, NUMBERS, OPCODES, TYPES};
use simulator::opcodes;

fn words(line: &str) -> Vec<(usize, usize)> {
    let is = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'%' | b'$' | b'.' | b':');
    let bytes = line.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && is(bytes[at]) {
            at += 1;
        }
        if at > start {
            found.push((start, at));
        } else {
            at += 1;
        }
    }
    found
}

fn replace(line: &str, (start, end): (usize, usize), with: &str) -> String {
    format!("{}{with}{}", &line[..start], &line[end..])
}

pub(super) fn cut(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// A statement: one of ours, or an instruction's example.
fn line(random: &mut Random) -> &'static str {
    let at = random.below(LINES.len() + opcodes::all().count());
    LINES.get(at).copied().or_else(|| Some(opcodes::all().nth(at - LINES.len())?.example)).unwrap_or_default()
}

/// An opcode: one of ours, or an instruction's example up to its operands.
fn opcode(random: &mut Random) -> &'static str {
    let at = random.below(OPCODES.len() + opcodes::all().count());
    let example = || opcodes::all().nth(at - OPCODES.len())?.example.split([' ', ';']).next();
    OPCODES.get(at).copied().or_else(example).unwrap_or_default()
}

#[expect(clippy::too_many_lines, reason = "a table: a way to change a line a row")]
pub(super) fn step(lines: &mut Vec<String>, others: &[&str], random: &mut Random) {
    if lines.is_empty() {
        lines.push(".version 8.0".into());
    }
    let at = random.below(lines.len());
    let found = words(&lines[at]);
    match random.below(22) {
        // Lines.
        0 => drop(lines.remove(at)),
        1 => {
            let line = lines[at].clone();
            lines.insert(random.below(lines.len()), line);
        }
        2 => {
            let to = random.below(lines.len());
            lines.swap(at, to);
        }
        3 if !others.is_empty() => {
            let from = random.below(others.len());
            let count = 1 + random.below(8);
            for (step, line) in others.iter().skip(from).take(count).enumerate() {
                lines.insert((at + step).min(lines.len()), (*line).to_string());
            }
        }
        4 | 5 => lines.insert(at, line(random).to_owned()),
        6 => {
            let module: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].starts_with('}')).collect();
            let at = module.get(random.below(module.len())).map_or(lines.len(), |&at| at + 1);
            lines.insert(at, random.of(MODULE_LINES).to_string());
        }
        7 => {
            let count = [3, 70, 2000][random.below(3)];
            let piece =
                random.of(&["{", "}", "a:", "x,", "ret;", "-", "(", "[", "a.x.", "!", "%p|", "+1"]).repeat(count);
            let from = cut(&lines[at], random.below(lines[at].len() + 1));
            lines[at].insert_str(from, &piece);
        }
        8 => {
            let line = std::mem::take(&mut lines[at]);
            lines[at] =
                if line.contains(';') { line.replacen(';', random.of(&["", ",", ";;", " }"]), 1) } else { line };
        }
        // Words of a line.
        _ if found.is_empty() => {}
        9 | 10 if found.len() > 1 => {
            let (a, b) = (found[random.below(found.len())], found[random.below(found.len())]);
            let (a, b) = (a.min(b), a.max(b));
            if a.1 <= b.0 {
                let (first, second) = (lines[at][a.0..a.1].to_string(), lines[at][b.0..b.1].to_string());
                let line = replace(&lines[at], b, &first);
                lines[at] = replace(&line, a, &second);
            }
        }
        11..=13 => {
            let numbers: Vec<(usize, usize)> =
                found.iter().copied().filter(|&(start, _)| lines[at].as_bytes()[start].is_ascii_digit()).collect();
            let word = if numbers.is_empty() {
                found[random.below(found.len())]
            } else {
                numbers[random.below(numbers.len())]
            };
            lines[at] = replace(&lines[at], word, random.of(NUMBERS));
        }
        14 | 15 => {
            let word = found[random.below(found.len())];
            let text = &lines[at][word.0..word.1];
            let dots: Vec<usize> = text.match_indices('.').map(|(at, _)| at).collect();
            if let Some(&dot) = dots.get(random.below(dots.len())) {
                let end = text[dot + 1..].find('.').map_or(text.len(), |next| dot + 1 + next);
                let part = (word.0 + dot, word.0 + end);
                let with = match random.below(4) {
                    0 => "",
                    1 => random.of(MODIFIERS),
                    _ => random.of(TYPES),
                };
                lines[at] = replace(&lines[at], part, with);
            }
        }
        16 => {
            let word = found[random.below(found.len())];
            lines[at].insert_str(word.1, if random.below(2) == 0 { random.of(MODIFIERS) } else { random.of(TYPES) });
        }
        17 => {
            let word = found.iter().find(|&&(start, _)| lines[at].as_bytes()[start].is_ascii_lowercase()).copied();
            lines[at] = replace(&lines[at], word.unwrap_or(found[0]), opcode(random));
        }
        18 if !others.is_empty() => {
            let donor = others[random.below(others.len())];
            let given = words(donor);
            if let Some(&(start, end)) = given.get(random.below(given.len())) {
                lines[at] = replace(&lines[at], found[random.below(found.len())], &donor[start..end]);
            }
        }
        19 => {
            // Another line's register, label or name.
            let from = random.below(lines.len());
            let given = words(&lines[from]);
            if let Some(&(start, end)) = given.get(random.below(given.len())) {
                let name = lines[from][start..end].to_string();
                lines[at] = replace(&lines[at], found[random.below(found.len())], &name);
            }
        }
        20 => {
            let word = found[random.below(found.len())];
            lines[at] = replace(&lines[at], word, "");
        }
        _ => {
            // Digits inside a name: another register, another label.
            let word = found[random.below(found.len())];
            let digits = lines[at][word.0..word.1].find(|c: char| c.is_ascii_digit());
            if let Some(digit) = digits {
                let from = word.0 + digit;
                let number = random.below(12).to_string();
                lines[at] = replace(&lines[at], (from, word.1), &number);
            }
        }
    }
}
