//! Chart: the objective against the number of terms that are left.

use super::axis::Axis;
use super::figure::{Color, Figure, Mark, Panel, Section};
use super::table::table;
use super::{Chart, caption};
use tiletune_tuning::results::pruning::Pruned;

/// The charts of `tune --prune`.
pub const PRUNING_CHARTS: &[Chart<Pruned>] = &[Chart {
    name: "pruning",
    title: "Score against the number of terms",
    about: "The objective of the weights that are left after each step, tuned again, in fresh games, with 95 % intervals; \
            beside it the weights with all terms in the same games.",
    place: Section::Results,
    draw,
}];

const HEIGHT: f64 = 360.0;
/// Distance of the two dots of a step, in terms.
const BESIDE: f64 = 0.12;

fn draw(pruned: &Pruned) -> Option<Figure> {
    let steps = &pruned.steps;
    steps.first()?;
    let values = steps.iter().flat_map(|step| {
        let [low, high] = step.interval.unwrap_or([step.value; 2]);
        [low, high, step.value, step.full]
    });
    let y = Axis::linear(pruned.objective.as_str(), values, 6);
    let names: Vec<String> = steps.iter().map(|step| format!("{}", step.terms)).collect();
    let x = Axis::named("terms that are left", names);
    let mut marks = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        let at = place as f64;
        if let Some(ends) = step.interval {
            marks.push(Mark::upright(Color::Ink, at, ends).named("95 % interval"));
        }
        let (color, name) = if step.is_loss() {
            (Color::Start, "worse than with all terms")
        } else {
            (Color::Tuned, "no loss is shown")
        };
        marks.push(Mark::dot(color, at, step.value).named(name));
        marks.push(Mark::dot(Color::Grey, at - BESIDE, step.full).named("with all terms"));
    }
    let table = table!(steps, |step| {
        "terms": step.terms,
        "dropped": step.dropped,
        "value": step.value,
        "low": step.interval.map(|[low, _]| low),
        "high": step.interval.map(|[_, high]| high),
        "full": step.full,
        "difference": step.difference.mean,
        "difference_low": step.difference.low,
        "difference_high": step.difference.high,
        "verdict": step.difference.verdict.name(),
    });
    let panel = Panel::new(HEIGHT, x, y, marks);
    Some(panel.figure(caption::of_pruning(pruned), table))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::render;
    use tiletune_tuning::results::example;

    #[test]
    fn each_step_has_a_dot_and_a_row() {
        let pruned = example::pruned();
        let drawn = render(PRUNING_CHARTS, &pruned).unwrap();
        let lines: Vec<&str> = drawn[0].csv.lines().collect();
        assert_eq!(lines.len(), 1 + pruned.steps.len());
        assert!(lines[1].starts_with("5,smoothness,1000,"), "{}", lines[1]);
        assert!(drawn[0].svg.contains("worse than with all terms"));
        let nothing = Pruned {
            steps: Vec::new(),
            ..pruned
        };
        assert!(render(PRUNING_CHARTS, &nothing).unwrap().is_empty());
    }
}
