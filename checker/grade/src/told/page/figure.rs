//! Figures of the teacher's page: how many have which value, as bars. Drawn as SVG in the page, with its content in words.

use super::text;
use std::fmt::Write as _;

/// Bars at most.
const MOST: usize = 8;
/// Heights and widths in pixels.
const ROW: usize = 20;
const LABEL: usize = 130;
const BAR: usize = 160;
const WIDTH: usize = 340;

/// A value with whether it is a good one.
pub type Value = (f64, bool);

/// One bar.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    label: String,
    count: usize,
    /// All of it is good.
    good: bool,
}

/// How many have which value.
pub fn distribution(title: &str, values: &[Value]) -> String {
    let rows = rows(values);
    let most = rows.iter().map(|row| row.count).max().unwrap_or(1).max(1);
    let words: Vec<String> = rows.iter().map(|row| format!("{}: {}", row.label, row.count)).collect();
    let height = ROW * rows.len() + 4;
    let mut svg = format!(
        "<figure>\n<figcaption>{}</figcaption>\n<svg viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\n\
         <title>{0}</title>\n<desc>{}</desc>\n",
        text(title),
        text(&words.join(", "))
    );
    for (row, at) in rows.iter().zip(0..) {
        let (top, length) = (ROW * at + 2, (BAR * row.count).div_ceil(most));
        let class = if row.good { "met" } else { "missed" };
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><rect class=\"{class}\" x=\"{LABEL}\" y=\"{top}\" width=\"{length}\" \
             height=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text>",
            LABEL - 6,
            top + 14,
            text(&row.label),
            ROW - 4,
            LABEL + length + 6,
            top + 14,
            row.count
        );
    }
    svg + "</svg>\n</figure>\n"
}

/// A bar a value where they are few, else bars of equal width.
fn rows(values: &[Value]) -> Vec<Row> {
    let mut values: Vec<Value> = values.iter().copied().filter(|(value, _)| value.is_finite()).collect();
    values.sort_by(|(one, _), (two, _)| one.total_cmp(two));
    let mut each: Vec<(f64, Row)> = Vec::new();
    for (value, good) in &values {
        match each.last_mut() {
            Some((last, row)) if last == value => (row.count, row.good) = (row.count + 1, row.good && *good),
            _ => each.push((*value, Row { label: number(*value), count: 1, good: *good })),
        }
    }
    let (Some((low, _)), Some((high, _)), true) = (values.first(), values.last(), each.len() > MOST) else {
        return each.into_iter().map(|(_, row)| row).collect();
    };
    let width = (high - low) / MOST as f64;
    let bin = |value: f64| (((value - low) / width) as usize).min(MOST - 1);
    let bins = (0..MOST).map(|index| {
        let of_it = values.iter().filter(|(value, _)| bin(*value) == index);
        let (from, to) = (low + width * index as f64, low + width * (index + 1) as f64);
        let good = of_it.clone().all(|(_, good)| *good);
        Row { label: format!("{} to {}", number(from), number(to)), count: of_it.count(), good }
    });
    bins.filter(|row| row.count > 0).collect()
}

/// With four digits where it has more.
fn number(value: f64) -> String {
    let digits = if value == 0.0 { 0 } else { (3 - value.abs().log10().floor() as i32).clamp(0, 6) };
    let text = format!("{value:.*}", digits.unsigned_abs() as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(values: &[Value]) -> Vec<(String, usize, bool)> {
        rows(values).into_iter().map(|row| (row.label, row.count, row.good)).collect()
    }

    #[test]
    fn few_values_have_a_bar_each_and_many_share() {
        assert_eq!(
            shown(&[(12.0, true), (0.25, true), (12.0, false), (f64::NAN, true)]),
            [("0.25".into(), 1, true), ("12".into(), 2, false)]
        );
        let many: Vec<Value> = (0..100).map(|n| (f64::from(n), n < 13)).collect();
        let many = shown(&many);
        assert_eq!(many.len(), 8);
        assert_eq!(many[0], ("0 to 12.38".into(), 13, true));
        assert_eq!(many.iter().map(|(_, count, _)| count).sum::<usize>(), 100);
        assert!(shown(&[]).is_empty());
    }

    #[test]
    fn a_figure_says_in_words_what_it_shows() {
        let figure = distribution("loads <b>", &[(4.0, true), (12.0, false), (12.0, false)]);
        assert!(figure.contains("<desc>4: 1, 12: 2</desc>") && figure.contains("loads &lt;b&gt;"), "{figure}");
    }
}
