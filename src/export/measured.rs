//! At which search depths weights were measured, by the provenance of their file: lines of text.

use std::fmt::Write;

use serde::Deserialize;
use toml::Value;

use crate::config::provenance::Difference;
use crate::config::weights_file::WeightsFile;
use crate::number::{count, grouped, signed};

/// The part of `[provenance]` with mean scores or points. Provenance in another form has none.
#[derive(Deserialize)]
struct Provenance {
    player: Option<Search>,
    hold_out: Option<AgainstStart>,
    #[serde(default)]
    deeper: Vec<AtDepth>,
    #[serde(default)]
    compared: Vec<Compared>,
}

#[derive(Deserialize)]
struct Search {
    depth: Option<Value>,
    cutoff: Option<f64>,
}

/// Tuned weights against those that the campaign started from.
#[derive(Deserialize)]
struct AgainstStart {
    games: u64,
    mean: f64,
    start_mean: f64,
    #[serde(flatten)]
    difference: Difference,
}

/// The same at another depth than that of the campaign.
#[derive(Deserialize)]
struct AtDepth {
    depth: Value,
    #[serde(flatten)]
    against: AgainstStart,
}

/// A comparison after the campaign, with other weights.
#[derive(Deserialize)]
struct Compared {
    #[serde(flatten)]
    search: Search,
    with: String,
    games: u64,
    mean: f64,
    with_mean: f64,
    #[serde(flatten)]
    difference: Difference,
}

/// A line for each search depth: `depth 2: 89,464, start of the campaign 86,657, ..`.
pub(super) fn lines(file: &WeightsFile) -> Vec<String> {
    let provenance = file.provenance.clone().map(toml::Table::try_into);
    let Some(Ok(Provenance {
        player,
        hold_out,
        deeper,
        compared,
    })) = provenance
    else {
        return Vec::new();
    };
    let cutoff = player.as_ref().and_then(|player| player.cutoff);
    let own = player.zip(hold_out);
    let own = own.map(|(search, against)| against_start(&search, &against));
    let deeper = deeper.into_iter().map(|AtDepth { depth, against }| {
        let depth = Some(depth);
        against_start(&Search { depth, cutoff }, &against)
    });
    let compared = compared.iter().map(|one| {
        let means = [one.mean, one.with_mean];
        line(&one.search, means, &one.with, &one.difference, one.games)
    });
    own.into_iter().chain(deeper).chain(compared).collect()
}

fn against_start(search: &Search, against: &AgainstStart) -> String {
    let means = [against.mean, against.start_mean];
    let start = "start of the campaign";
    line(search, means, start, &against.difference, against.games)
}

fn line(
    search: &Search,
    means: [f64; 2],
    other: &str,
    difference: &Difference,
    games: u64,
) -> String {
    let [mean, other_mean] = means.map(|mean| grouped(mean, 0));
    let mut line = String::new();
    match &search.depth {
        Some(Value::String(depth)) => line += &format!("{depth} depth"),
        Some(depth) => line += &format!("depth {depth}"),
        None => line += "hold-out",
    }
    match search.cutoff {
        Some(cutoff) if cutoff > 0.0 => line += &format!(", cut-off {cutoff:e}"),
        _ => {}
    }
    let by = signed(difference.difference, 0);
    let _ = write!(line, ": {mean}, {other} {other_mean}, difference {by}");
    if let (Some(low), Some(high)) = (difference.difference_low, difference.difference_high) {
        let _ = write!(line, " ({} to {})", grouped(low, 0), grouped(high, 0));
    }
    let _ = write!(line, ", {} games", count(games));
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(provenance: &str) -> Vec<String> {
        lines(&WeightsFile {
            game: "2048".into(),
            player: "expectimax".into(),
            weights: Default::default(),
            heuristic: None,
            provenance: Some(toml::from_str(provenance).unwrap()),
        })
    }

    #[test]
    fn every_comparison_is_a_line() {
        let provenance = "
            campaign = 'x'
            player = { depth = 2, cutoff = 0.0, name = 'expectimax' }
            hold_out = { games = 2000, mean = 89464.4, start_mean = 86656.7, difference = 2807.7, difference_low = 312.6, difference_high = 5302.7 }
            deeper = [{ depth = 3, games = 20, mean = 2.0, start_mean = 1.0, difference = 1.0, verdict = 'undecided' }]
            compared = [
                { depth = 4, cutoff = 1e-4, with = 'published weights', games = 200, mean = 195306.0, with_mean = 206068.0, difference = -10762.0, difference_low = -29049.0, difference_high = 7524.0 },
                { depth = 'adaptive', with = 'others', games = 2, mean = 3.0, with_mean = 3.0, difference = 0.0 },
            ]";
        let expected = [
            "depth 2: 89,464, start of the campaign 86,657, difference +2,808 (313 to 5,303), 2,000 games",
            "depth 3: 2, start of the campaign 1, difference +1, 20 games",
            "depth 4, cut-off 1e-4: 195,306, published weights 206,068, difference −10,762 (−29,049 to 7,524), 200 games",
            "adaptive depth: 3, others 3, difference 0, 2 games",
        ];
        assert_eq!(lines_of(provenance), expected);
    }

    #[test]
    fn provenance_in_another_form_has_no_lines() {
        assert!(lines_of("hold_out = 'a book'").is_empty());
        assert!(lines_of("campaign = 'x'").is_empty());
    }
}
