//! Chart: heat map of the correlations between the free parameters.

use crate::chart::figure::{Body, Figure};
use crate::chart::table::table;
use crate::chart::{Chart, Section, caption};
use tiletune_tuning::results::{Correlation, RunData};

pub(super) const CHART: Chart = Chart {
    name: "correlation",
    title: "Correlation of the parameters in the final search distribution",
    about: "Which parameters the search moves together (blue) or in opposite directions \
            (vermillion). Two correlated parameters can partly replace each other.",
    place: Section::Details,
    draw,
};

fn draw(data: &RunData) -> Option<Figure> {
    let Correlation { names, matrix } = data.correlation.as_ref()?;
    let pairs = (0..names.len()).flat_map(|row| (0..names.len()).map(move |column| (row, column)));
    let value = |row: usize, column: usize| matrix.get(row)?.get(column).copied();
    let table = table!(pairs, |(row, column)| {
        "row": names[row],
        "column": names[column],
        "correlation": value(row, column).unwrap_or(f64::NAN),
    });
    let body = Body::Heat {
        names: names.clone(),
        values: matrix.clone(),
    };
    // A single parameter has no correlation with another one.
    (names.len() > 1).then(|| Figure::of(body, caption::of_search(data), table))
}
