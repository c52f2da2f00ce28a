//! Sentences about the importance of parameters in an experiment. They claim no more than the intervals show.

use super::{Block, unit, with_interval};
use crate::number::{compact, count, grouped};
use tiletune_tuning::results::experiment::ExperimentResults;
use tiletune_tuning::results::sensitivity::{ParameterMove, Sensitivity};

/// An introduction, and an item for each parameter, the most important first. Nothing if no parameter is moved.
pub(super) fn blocks(results: &ExperimentResults) -> Vec<Block> {
    let Some(first) = results.sensitivity.first() else {
        return Vec::new();
    };
    let (_, decimals) = unit(results);
    let parameters = results.sensitivity.iter();
    let sentences = parameters.map(|one| sentence(one, results.observed(), decimals));
    let introduction = format!(
        "Parameters by the largest loss if one is moved and the others are kept as in `{}`. Nothing is \
         tuned again after a move.",
        first.baseline
    );
    vec![Block::Text(introduction), Block::List(sentences.collect())]
}

/// Which parameter matters most; `None` if no parameter is moved.
pub(super) fn answer(results: &ExperimentResults) -> Option<String> {
    let (_, decimals) = unit(results);
    let first = results.sensitivity.first()?;
    let worst = measured(first.worst()?, decimals);
    if !first.matters {
        return Some(format!(
            "No parameter is shown to matter; the worst change is that of `{}`: {worst}.",
            first.parameter
        ));
    }
    let others = results.sensitivity.iter().filter(|one| !one.matters);
    let others: Vec<String> = others.map(|one| format!("`{}`", one.parameter)).collect();
    let others = match others.len() {
        0 => String::new(),
        _ => format!(" Not shown to matter: {}.", others.join(", ")),
    };
    Some(format!(
        "`{}` matters most: {worst}.{others}",
        first.parameter
    ))
}

/// The sentence about the moves of one parameter.
fn sentence(parameter: &Sensitivity, observed: &str, decimals: usize) -> String {
    let mut text = format!("`{}` = {}", parameter.parameter, compact(parameter.value));
    let Some((worst, best)) = parameter.worst().zip(parameter.best()) else {
        return text;
    };
    let [low, high] = parameter.not_shown_to_matter;
    let range = if low < high {
        format!("between {} and {}", compact(low), compact(high))
    } else {
        String::new()
    };
    if parameter.matters {
        text += &format!(" matters: {}.", measured(worst, decimals));
        if !range.is_empty() {
            text += &format!(" No loss is shown {range}.");
        }
    } else {
        let games = count(worst.difference.observations);
        text += &format!(" is not shown to matter {range} by {games} {observed}");
        let lows = parameter.moves.iter().map(|moved| moved.difference.low);
        text += &match lows.collect::<Option<Vec<f64>>>() {
            Some(lows) => {
                let most = lows.into_iter().map(|low| -low).fold(0.0, f64::max);
                format!("; a loss above {} is excluded.", grouped(most, decimals))
            }
            None => format!("; too few {observed} differ for a limit of the loss."),
        };
    }
    if parameter.improves {
        text += &format!(
            " It is better elsewhere: {}. So these weights are not at an optimum.",
            measured(best, decimals)
        );
    }
    text
}

/// The text of a move, for example `−3,100 (−4,200 to −2,000) at 135 (× 0.5)`.
fn measured(moved: &ParameterMove, decimals: usize) -> String {
    let factor = moved
        .factor
        .map(|factor| format!(" (× {})", compact(factor)));
    format!(
        "{} at {}{}",
        with_interval(&moved.difference, decimals),
        compact(moved.value),
        factor.unwrap_or_default()
    )
}
