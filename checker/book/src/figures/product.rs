//! `{{sweep NAME figure=product}}`: a sweep's cells over row times column, for a quantity that depends on the product alone
//! (blocks on an SM times loads per thread): then all lines lie on one curve.

use crate::svg::{Chart, Series, Tick};
use execution::measure::record::RecordedSweep;

/// The chart: a line per column, over a logarithmic axis.
pub fn chart(title: String, sweep: &RecordedSweep) -> Chart {
    let (rows, columns) = (&sweep.rows.1, &sweep.columns.1);
    let mut products: Vec<i64> = rows.iter().flat_map(|row| columns.iter().map(move |column| row * column)).collect();
    products.sort_unstable();
    products.dedup();
    let place = |product: i64| (product.max(1) as f64).log2();
    let first = products.first().copied().map_or(0.0, place);
    let width = (products.last().copied().map_or(1.0, place) - first).max(1.0);
    let tick = |product: &i64| Tick {
        at: (place(*product) - first) / width,
        // Others stand too close to each other.
        label: if product.count_ones() == 1 { product.to_string() } else { String::new() },
    };
    let line = |(index, column): (usize, &i64)| {
        let value = |product: &i64| {
            let row = rows.iter().position(|row| row * column == *product);
            row.and_then(|row| sweep.cells.get(row)?.get(index).copied().flatten()).unwrap_or(f64::NAN)
        };
        let name = format!("{} {column}", sweep.columns.0);
        Series { name, values: products.iter().map(value).collect(), quiet: false }
    };
    Chart {
        title,
        x_label: format!("{} × {}", sweep.rows.0, sweep.columns.0),
        y_label: sweep.quantity.clone(),
        x: products.iter().map(tick).collect(),
        series: columns.iter().enumerate().map(line).collect(),
        reference: None,
        log: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_one_product_stand_above_each_other() {
        let sweep = RecordedSweep {
            rows: ("resident".into(), vec![1, 2, 4]),
            columns: ("loads".into(), vec![1, 3]),
            quantity: "GB/s".into(),
            cells: vec![vec![Some(10.0), Some(30.0)], vec![Some(20.0), None], vec![Some(40.0), Some(120.0)]],
        };
        let chart = chart("t".into(), &sweep);
        let labels: Vec<&str> = chart.x.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["1", "2", "", "4", "", ""]);
        let at = |product: f64| product.log2() / 12f64.log2();
        for (tick, product) in chart.x.iter().zip([1.0, 2.0, 3.0, 4.0, 6.0, 12.0]) {
            assert!((tick.at - at(product)).abs() < 1e-12, "{tick:?}");
        }
        let known = |values: &[f64]| values.iter().map(|v| if v.is_nan() { -1.0 } else { *v }).collect::<Vec<_>>();
        assert_eq!(known(&chart.series[0].values), [10.0, 20.0, -1.0, 40.0, -1.0, -1.0]);
        assert_eq!(known(&chart.series[1].values), [-1.0, -1.0, 30.0, -1.0, -1.0, 120.0]);
        assert_eq!(chart.x_label, "resident × loads");
    }
}
