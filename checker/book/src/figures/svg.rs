//! Line charts as inline SVG. Colours come from the page's style sheet, so that one figure serves light and dark.

pub use report::escape;
use std::fmt::Write as _;

/// One line of a chart: a name and a y value for every x (NaN where there is none).
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Shown at the line's end.
    pub name: String,
    /// As many as the chart has x values.
    pub values: Vec<f64>,
    /// Grey, without a name: a background for the others.
    pub quiet: bool,
}

/// A place on the x axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// From 0, the left end, to 1.
    pub at: f64,
    /// Below it; may be empty.
    pub label: String,
}

/// Ticks at equal distances.
pub fn evenly(labels: impl IntoIterator<Item = String>) -> Vec<Tick> {
    let labels: Vec<String> = labels.into_iter().collect();
    let steps = labels.len().saturating_sub(1).max(1) as f64;
    labels.into_iter().enumerate().map(|(index, label)| Tick { at: index as f64 / steps, label }).collect()
}

/// A chart of lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// For readers who cannot see it.
    pub title: String,
    /// Below the x axis.
    pub x_label: String,
    /// Above the y axis.
    pub y_label: String,
    /// Where the lines have their values.
    pub x: Vec<Tick>,
    /// The lines.
    pub series: Vec<Series>,
    /// A horizontal line with its name (a roof), if there is one.
    pub reference: Option<(String, f64)>,
    /// Powers of ten at equal distances, instead of a scale from 0.
    pub log: bool,
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 58.0;
/// Beside the lines' ends when their names are short.
const RIGHT: f64 = 84.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 52.0;
/// Lines closer than this (in pixels) at their right end have their names moved apart.
const LABEL_GAP: f64 = 19.0;
/// At most the width of a bold letter, as a phone has it (`book/theme/warpbook.css`): estimated, there is no font here.
const LETTER: f64 = 9.4;

impl Chart {
    /// The chart as an `<svg>` element, without blank lines so that Markdown keeps it whole.
    pub fn svg(&self) -> String {
        let scaled = Scaled::new(self);
        let mut out = String::new();
        let _ = writeln!(
            out,
            r#"<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{}">"#,
            escape(&self.title)
        );
        scaled.axes(&mut out);
        if let Some((name, value)) = &self.reference {
            scaled.roof(&mut out, name, *value);
        }
        for series in self.series.iter().filter(|series| series.quiet) {
            let _ = writeln!(out, r#"<polyline class="quiet" points="{}"/>"#, scaled.points(series).join(" "));
        }
        let loud: Vec<&Series> = self.series.iter().filter(|series| !series.quiet).collect();
        let labels = label_heights(&loud, &|value| scaled.y(value));
        for (number, series) in loud.iter().enumerate() {
            scaled.line(&mut out, series, number, labels[number]);
        }
        out.push_str("</svg>\n");
        out
    }
}

/// A chart and the scale of its y axis.
struct Scaled<'a> {
    chart: &'a Chart,
    /// Values on the y axis.
    ticks: Vec<f64>,
    /// The lowest of them on the axis' own scale, and the highest.
    ends: (f64, f64),
    /// Where the lines end: the longest name has room behind it.
    right: f64,
}

impl<'a> Scaled<'a> {
    fn new(chart: &'a Chart) -> Self {
        let values: Vec<f64> = chart
            .series
            .iter()
            .flat_map(|series| series.values.iter().copied())
            .chain(chart.reference.iter().map(|(_, value)| *value))
            .filter(|value| value.is_finite())
            .collect();
        let largest = values.iter().copied().fold(0.0, f64::max);
        let ticks = if chart.log { decades(&values) } else { nice_ticks(largest) };
        let names = chart.series.iter().filter(|series| !series.quiet);
        let longest = names.map(|series| series.name.chars().count()).max().unwrap_or(0);
        let right = WIDTH - RIGHT.max(14.0 + LETTER * longest as f64).min(WIDTH / 2.0);
        let mut scaled = Self { chart, ticks, ends: (0.0, 1.0), right };
        if let (Some(&first), Some(&last)) = (scaled.ticks.first(), scaled.ticks.last())
            && last > first
        {
            scaled.ends = (scaled.place(first), scaled.place(last));
        }
        scaled
    }

    /// A value on the y axis' own scale.
    fn place(&self, value: f64) -> f64 {
        if self.chart.log { value.max(f64::MIN_POSITIVE).log10() } else { value }
    }

    fn x(&self, index: usize) -> f64 {
        LEFT + (self.right - LEFT) * self.chart.x[index].at
    }

    fn y(&self, value: f64) -> f64 {
        let (bottom, top) = self.ends;
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (self.place(value) - bottom) / (top - bottom)
    }

    /// Both axes with their ticks and names, and the grid.
    fn axes(&self, out: &mut String) {
        for tick in &self.ticks {
            let at = self.y(*tick);
            let _ = writeln!(
                out,
                r#"<line class="grid" x1="{LEFT}" y1="{at:.1}" x2="{:.1}" y2="{at:.1}"/><text class="tick" x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
                self.right,
                LEFT - 8.0,
                at + 4.0,
                short(*tick)
            );
        }
        for (index, tick) in self.chart.x.iter().enumerate().filter(|(_, tick)| !tick.label.is_empty()) {
            let _ = writeln!(
                out,
                r#"<text class="tick" x="{:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
                // A long label begins at the picture's edge.
                self.x(index).max(LETTER / 2.0 * tick.label.chars().count() as f64),
                HEIGHT - BOTTOM + 18.0,
                escape(&tick.label)
            );
        }
        let _ = writeln!(
            out,
            r#"<text class="axis" x="{:.1}" y="{:.1}" text-anchor="middle">{}</text><text class="axis" x="{LEFT}" y="{:.1}">{}</text>"#,
            (LEFT + self.right) / 2.0,
            HEIGHT - 8.0,
            escape(&self.chart.x_label),
            TOP - 16.0,
            escape(&self.chart.y_label)
        );
    }

    /// A horizontal line with its name.
    fn roof(&self, out: &mut String, name: &str, value: f64) {
        let at = self.y(value);
        let _ = writeln!(
            out,
            r#"<line class="roof" x1="{LEFT}" y1="{at:.1}" x2="{:.1}" y2="{at:.1}"/><text class="tick" x="{:.1}" y="{:.1}">{}</text>"#,
            self.right,
            LEFT + 6.0,
            at - 5.0,
            escape(name)
        );
    }

    /// Where a series has values.
    fn points(&self, series: &Series) -> Vec<String> {
        let finite = series.values.iter().enumerate().filter(|(_, value)| value.is_finite());
        finite.map(|(index, value)| format!("{:.1},{:.1}", self.x(index), self.y(*value))).collect()
    }

    /// A line with its points, and its name at the height `label`.
    fn line(&self, out: &mut String, series: &Series, number: usize, label: f64) {
        let points = self.points(series);
        let class = number % 8;
        let dashed = if number % 16 >= 8 { " dashed" } else { "" };
        let _ = writeln!(out, r#"<polyline class="s{class}{dashed}" points="{}"/>"#, points.join(" "));
        for point in &points {
            if let Some((cx, cy)) = point.split_once(',') {
                let _ = write!(out, r#"<circle class="s{class}" cx="{cx}" cy="{cy}" r="3.2"/>"#);
            }
        }
        let _ = writeln!(
            out,
            r#"<text class="name s{class}" x="{:.1}" y="{:.1}">{}</text>"#,
            self.right + 10.0,
            label + 4.0,
            escape(&series.name)
        );
    }
}

/// Heights of the names at the right end: each near its line, none on top of another or below the axis.
fn label_heights(series: &[&Series], y: &impl Fn(f64) -> f64) -> Vec<f64> {
    let last = |series: &&Series| series.values.iter().rev().find(|value| value.is_finite()).copied().unwrap_or(0.0);
    let mut order: Vec<(usize, f64)> = series.iter().map(last).map(y).enumerate().collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut heights = vec![0.0; order.len()];
    let mut last = f64::NEG_INFINITY;
    for (number, wanted) in &order {
        last = wanted.max(last + LABEL_GAP);
        heights[*number] = last;
    }
    // From below again: the lowest stands on the axis, and pushes the others up.
    let mut lowest = HEIGHT - BOTTOM;
    for (number, _) in order.iter().rev() {
        heights[*number] = lowest.min(heights[*number]);
        lowest = heights[*number] - LABEL_GAP;
    }
    heights
}

/// Four to eight round numbers from 0 to at least `largest`.
pub(crate) fn nice_ticks(largest: f64) -> Vec<f64> {
    if !(largest.is_finite() && largest > 0.0) {
        return vec![0.0, 1.0];
    }
    let magnitude = 10f64.powf((largest / 4.0).log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * magnitude)
        .find(|step| largest / step <= 6.0)
        .unwrap_or(10.0 * magnitude);
    let count = (largest / step).ceil() as usize;
    (0..=count).map(|index| index as f64 * step).collect()
}

/// Powers of ten from below the smallest positive value to above the largest.
fn decades(values: &[f64]) -> Vec<f64> {
    let positive = || values.iter().copied().filter(|value| *value > 0.0);
    let (low, high) = (positive().fold(f64::INFINITY, f64::min), positive().fold(0.0, f64::max));
    if !low.is_finite() || high <= 0.0 {
        return vec![1.0, 10.0];
    }
    let first = low.log10().floor() as i32;
    let last = (high.log10().ceil() as i32).max(first + 1);
    (first..=last).map(|power| 10f64.powi(power)).collect()
}

/// A tick without needless digits; six of them have no room beside the axis.
pub(crate) fn short(value: f64) -> String {
    if value >= 1e5 {
        return format!("{}k", value / 1e3);
    }
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_cover_the_data_with_round_steps() {
        for largest in [0.3, 1.0, 7.0, 42.0, 494.0, 4351.0, 65000.0] {
            let ticks = nice_ticks(largest);
            assert!(ticks.last().is_some_and(|last| *last >= largest), "{largest}: {ticks:?}");
            assert!((4..=8).contains(&ticks.len()), "{largest}: {ticks:?}");
        }
    }

    /// Every number that follows `before` in the picture.
    fn numbers(svg: &str, before: &str) -> Vec<f64> {
        svg.split(before).skip(1).filter_map(|rest| rest.split('"').next()?.parse().ok()).collect()
    }

    #[test]
    fn the_longest_name_has_room_and_so_has_a_long_first_label() {
        let chart = |name: &str, label: &str| Chart {
            title: "t".into(),
            x_label: "x".into(),
            y_label: "y".into(),
            x: evenly([label.to_owned(), "b".into()]),
            series: vec![Series { name: name.into(), values: vec![1.0, 2.0], quiet: false }],
            reference: None,
            log: false,
        };
        let (name, label) = ("a name of thirty letters, or so", "a first label that is long");
        let svg = chart(name, label).svg();
        let begins = numbers(&svg, r#"<text class="name s0" x=""#)[0];
        assert!(begins + 8.0 * name.len() as f64 <= WIDTH, "{begins}");
        // Its middle, behind the ticks of the y axis.
        let ticks = numbers(&svg, r#"<text class="tick" x=""#);
        let middle = ticks[ticks.len() - 2];
        assert!(middle - 3.5 * label.len() as f64 >= 0.0, "{middle}");
        let short = numbers(&chart("a", "b").svg(), r#"<text class="name s0" x=""#)[0];
        assert!(short > begins, "short names leave the lines more room: {short}");
    }

    #[test]
    fn names_of_close_lines_do_not_overlap() {
        let series = |name: &str, last: f64| Series { name: name.into(), values: vec![1.0, last], quiet: false };
        let chart = Chart {
            title: "t".into(),
            x_label: "x".into(),
            y_label: "y".into(),
            x: evenly(["1".into(), "2".into()]),
            series: vec![series("a", 10.0), series("b", 10.0), series("c", 9.9)],
            reference: None,
            log: false,
        };
        let heights = label_heights(&chart.series.iter().collect::<Vec<_>>(), &|value| 300.0 - value);
        for (i, a) in heights.iter().enumerate() {
            for b in &heights[i + 1..] {
                assert!((a - b).abs() >= LABEL_GAP - 1e-9, "{heights:?}");
            }
        }
        assert!(!chart.svg().contains("\n\n"));
        // Lines that end at the axis: no name stands below it.
        let heights = label_heights(&chart.series.iter().collect::<Vec<_>>(), &|_| HEIGHT - BOTTOM);
        let lowest = heights.iter().copied().fold(0.0, f64::max);
        assert!((lowest - (HEIGHT - BOTTOM)).abs() < 1e-9, "{heights:?}");
        assert!((heights[0] - heights[1]).abs() >= LABEL_GAP - 1e-9, "{heights:?}");
    }

    #[test]
    fn a_logarithmic_scale_covers_the_data_and_gives_each_decade_the_same_height() {
        assert_eq!(decades(&[0.5, 42.0, 4351.0]), [0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0]);
        assert_eq!(decades(&[]), [1.0, 10.0]);
        let series = vec![Series { name: "a".into(), values: vec![1.0, 10.0, 100.0], quiet: false }];
        let x = evenly(["1".into(), "2".into(), "3".into()]);
        let (title, label) = ("t".to_owned(), "l".to_owned());
        let chart = Chart { title, x_label: label.clone(), y_label: label, x, series, reference: None, log: true };
        let svg = chart.svg();
        let line = svg.split("points=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let heights: Vec<f64> =
            line.split(' ').map(|point| point.split_once(',').unwrap().1.parse().unwrap()).collect();
        assert!((heights[0] - heights[1] - (heights[1] - heights[2])).abs() < 0.2, "{heights:?}");
    }

    #[test]
    fn a_quiet_line_lies_below_the_others_and_has_no_name() {
        let series = |name: &str, quiet| Series { name: name.into(), values: vec![1.0, 2.0], quiet };
        let chart = Chart {
            title: "t".into(),
            x_label: "x".into(),
            y_label: "y".into(),
            x: vec![Tick { at: 0.0, label: "8".into() }, Tick { at: 0.25, label: String::new() }],
            series: vec![series("loud", false), series("silent", true)],
            reference: None,
            log: false,
        };
        let svg = chart.svg();
        assert!(!svg.contains("silent") && svg.contains(">loud<"), "{svg}");
        assert!(svg.find("class=\"quiet\"").unwrap() < svg.find("class=\"s0\"").unwrap(), "{svg}");
        // A quarter of the way from the left end, and without a label.
        let end = format!("{:.1},", LEFT + (WIDTH - LEFT - RIGHT) / 4.0);
        assert!(svg.contains(&end) && svg.matches("text-anchor=\"middle\"").count() == 2, "{svg}");
    }
}
