//! Horizontal bars as inline SVG: a name a row, one bar or two beside each other.

use crate::svg::{escape, nice_ticks, short};
use std::fmt::Write as _;

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// At its left.
    pub name: String,
    /// A value for each of the chart's series; None where there is none.
    pub values: Vec<Option<f64>>,
}

/// A chart of bars from 0 on.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// For readers who cannot see it.
    pub title: String,
    /// Below the axis.
    pub label: String,
    /// Names of the series, one or two; a legend is drawn for two.
    pub series: Vec<String>,
    /// From top to bottom.
    pub rows: Vec<Bar>,
    /// Behind each value.
    pub unit: &'static str,
    /// A vertical line with its name.
    pub reference: Option<(String, f64)>,
}

const WIDTH: f64 = 560.0;
const LEFT: f64 = 118.0;
const RIGHT: f64 = 64.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;
const BAR: f64 = 16.0;
const GAP: f64 = 8.0;
/// About the width of a letter.
const LETTER: f64 = 7.0;

impl Bars {
    /// The chart as an `<svg>` element, without blank lines so that Markdown keeps it whole.
    pub fn svg(&self) -> String {
        let all = self.rows.iter().flat_map(|row| row.values.iter().flatten().copied());
        let all = all.chain(self.reference.iter().map(|(_, value)| *value)).filter(|value| value.is_finite());
        let ticks = nice_ticks(all.fold(0.0, f64::max));
        let most = ticks.last().copied().unwrap_or(1.0);
        let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * value / most;
        let row_height = BAR * self.series.len().max(1) as f64 + GAP;
        let bottom = TOP + row_height * self.rows.len() as f64;
        let height = bottom + BOTTOM;
        let mut out = String::new();
        let title = escape(&self.title);
        let _ =
            writeln!(out, r#"<svg class="chart" viewBox="0 0 {WIDTH} {height:.0}" role="img" aria-label="{title}">"#);
        for tick in &ticks {
            let _ = writeln!(
                out,
                r#"<line class="grid" x1="{0:.1}" y1="{TOP}" x2="{0:.1}" y2="{bottom:.1}"/><text class="tick" x="{0:.1}" y="{1:.1}" text-anchor="middle">{2}</text>"#,
                x(*tick),
                bottom + 16.0,
                short(*tick)
            );
        }
        let _ = writeln!(
            out,
            r#"<text class="axis" x="{:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
            (LEFT + WIDTH - RIGHT) / 2.0,
            height - 8.0,
            escape(&self.label)
        );
        if let Some((name, value)) = &self.reference {
            // Over the line, or as near to that as the picture is wide.
            let end = (x(*value) + LETTER / 2.0 * name.chars().count() as f64).min(WIDTH - 4.0);
            let _ = writeln!(
                out,
                r#"<line class="roof" x1="{0:.1}" y1="{TOP}" x2="{0:.1}" y2="{bottom:.1}"/><text class="tick" x="{end:.1}" y="{1:.1}" text-anchor="end">{2}</text>"#,
                x(*value),
                TOP - 8.0,
                escape(name)
            );
        }
        for (index, row) in self.rows.iter().enumerate() {
            let top = TOP + GAP / 2.0 + row_height * index as f64;
            let middle = top + (row_height - GAP) / 2.0 + 4.0;
            let name = escape(&row.name);
            let _ = writeln!(out, r#"<text x="{:.1}" y="{middle:.1}" text-anchor="end">{name}</text>"#, LEFT - 8.0);
            for (series, value) in row.values.iter().enumerate() {
                let Some(value) = value.filter(|value| value.is_finite()) else { continue };
                let y = top + BAR * series as f64;
                let _ = writeln!(
                    out,
                    r#"<rect class="s{}" x="{LEFT}" y="{:.1}" width="{:.1}" height="{:.1}"/><text class="tick" x="{:.1}" y="{:.1}">{}{}</text>"#,
                    series % 8,
                    y + 1.0,
                    (x(value) - LEFT).max(1.0),
                    BAR - 2.0,
                    x(value) + 5.0,
                    y + BAR - 3.0,
                    figure(value),
                    self.unit
                );
            }
        }
        if self.series.len() > 1 {
            for (index, name) in self.series.iter().enumerate() {
                let left = LEFT + 170.0 * index as f64;
                let _ = writeln!(
                    out,
                    r#"<rect class="s{index}" x="{left:.1}" y="8" width="12" height="12"/><text class="tick" x="{:.1}" y="18">{}</text>"#,
                    left + 18.0,
                    escape(name)
                );
            }
        }
        out.push_str("</svg>\n");
        out
    }
}

/// Three significant digits.
fn figure(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.2}"),
        ..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(values: &[Option<f64>]) -> Bars {
        Bars {
            title: "t".into(),
            label: "GB/s".into(),
            series: vec!["a".into()],
            rows: values.iter().map(|value| Bar { name: "<x>".into(), values: vec![*value] }).collect(),
            unit: "",
            reference: Some(("roof".into(), 100.0)),
        }
    }

    /// Widths of the bars of the rows that have one.
    fn widths(svg: &str) -> Vec<f64> {
        let rects = svg.split("<rect ").skip(1);
        rects.map(|rect| rect.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn bars_are_as_long_as_their_values_and_missing_ones_are_left_out() {
        let svg = bars(&[Some(20.0), None, Some(80.0)]).svg();
        let widths = widths(&svg);
        assert_eq!(widths.len(), 2);
        assert!((widths[1] / widths[0] - 4.0).abs() < 0.01, "{widths:?}");
        assert!(svg.contains("&lt;x&gt;") && !svg.contains("\n\n"));
    }

    #[test]
    fn the_name_of_a_line_at_the_edge_stays_in_the_picture() {
        let end = |name: &str| -> f64 {
            let svg = Bars { reference: Some((name.into(), 100.0)), ..bars(&[Some(20.0)]) }.svg();
            let text = svg.split("class=\"roof\"").nth(1).unwrap().split("<text ").nth(1).unwrap();
            text.split("x=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        assert!(end("a name that is longer than the room beside the line") < WIDTH);
        assert!(end("roof") < end("a longer name"), "in the middle over its line where there is room");
    }
}
