//! The weights that a campaign recommends, with all that is needed to replay the claim.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::hold_out_seed;
use crate::config::campaign::Campaign;
use crate::config::heuristic_file::HeuristicConfig;
use crate::config::provenance::{Claim, Commands, Figures, HoldOut};
use crate::config::weights_file::{self, BEST, WeightsFile};
use crate::run::{RunDirectory, StoreError};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_report::report::verdict_in_words;
use tiletune_tuning::Catalogue;
use tiletune_tuning::optimizer::Space;
use tiletune_tuning::results::{AtBound, CandidateRow, Selection, Validation, Verdict};

/// Summary of the hold-out games.
pub(crate) const VALIDATION: &str = "validation.json";

/// What a campaign recommends: the mean of the search distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// Values of the parameters.
    pub values: Vec<f64>,
    /// All weights, including those that were not searched.
    pub weights: Weights,
    /// The start weights of the search, with several start points those that it began with.
    pub start: Weights,
    /// Number of generations of the search.
    pub generations: u32,
    /// Number of training games of the search.
    pub games: u64,
    /// The best candidate seen. It is not recommended: part of its fitness is luck.
    pub best_seen: Option<BestSeen>,
    /// The objective at each stage; `None` if no generation was played.
    pub selection: Option<Selection>,
    /// The values that lie at a bound.
    pub at_bounds: Vec<AtBound>,
}

/// The candidate that seems best among those of all generations.
///
/// Generations play different numbers of games. Where few are played, the largest fitness is mostly luck.
/// So candidates are compared by their fitness shrunk towards the mean of their generation by the share of
/// the signal (James and Stein).
#[derive(Clone, Debug, PartialEq)]
pub struct BestSeen {
    /// The candidate with its fitness.
    pub candidate: CandidateRow,
    /// Its shrunk fitness.
    pub shrunk: f64,
}

/// The objective at each stage that the `best.toml` of a run contains.
pub(crate) fn recorded_selection(
    directory: &RunDirectory,
) -> Result<Option<Selection>, StoreError> {
    #[derive(Deserialize)]
    struct Best {
        provenance: Recorded,
    }
    #[derive(Deserialize)]
    struct Recorded {
        selection: Option<Selection>,
    }
    let path = directory.path(BEST);
    let text = directory.read_text(BEST)?;
    let best: Result<Best, _> = toml::from_str(&text);
    let best = best.map_err(|error| StoreError::damaged(&path, error))?;
    Ok(best.provenance.selection)
}

/// The weights of `best.toml`, which is written when the search has ended.
pub(super) fn tuned_weights(
    campaign: &Campaign,
    directory: &RunDirectory,
) -> Result<Option<Weights>, StoreError> {
    let path = directory.part(BEST);
    if !path.exists() {
        return Ok(None);
    }
    // Its own error names the file once.
    path.read()?;
    let weights = weights_file::read(&path, &campaign.player);
    let (_, weights) = weights.map_err(|error| StoreError::damaged(&path, error))?;
    Ok(Some(weights))
}

/// The values that lie within 1 % of the range of a parameter from one of its bounds, on its scale.
pub(crate) fn at_bounds(space: &Space, values: &[f64]) -> Vec<AtBound> {
    const NEAR: f64 = 0.01;
    let positions = space.unit(values);
    let parameters = space.parameters().iter().zip(values).zip(positions);
    let at_bound = parameters.filter_map(|((parameter, &value), position)| {
        let at = |bound, is_upper| Some(AtBound::new(&parameter.name, value, bound, is_upper));
        match position {
            low if low <= NEAR => at(parameter.min, false),
            high if high >= 1.0 - NEAR => at(parameter.max, true),
            _ => None,
        }
    });
    at_bound.collect()
}

#[derive(Serialize)]
struct Provenance {
    campaign: String,
    generations: u32,
    training_games: u64,
    program: String,
    #[serde(flatten)]
    claim: Claim,
    #[serde(skip_serializing_if = "Option::is_none")]
    best_seen: Option<BestSeenProvenance>,
    /// The hold-out games at other search depths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deeper: Vec<DeeperProvenance>,
}

#[derive(Serialize)]
struct DeeperProvenance {
    depth: u8,
    games: u32,
    /// About the objective.
    verdict: Verdict,
    #[serde(flatten)]
    figures: Figures,
}

#[derive(Serialize)]
struct BestSeenProvenance {
    generation: u32,
    candidate: u32,
    fitness: f64,
    shrunk_fitness: f64,
    values: BTreeMap<String, f64>,
}

impl Recommendation {
    /// Adds the result of the hold-out games to the stages of the objective, here and in the results.
    pub(crate) fn conclude(&mut self, validation: &mut Validation) {
        let value = validation.objective.tuned;
        self.selection = self
            .selection
            .map(|selection| selection.with_hold_out(value));
        validation.selection = self.selection;
    }

    /// Writes `best.toml`, and the results of the hold-out games if there are some.
    pub(super) fn write(
        &self,
        campaign: &Campaign,
        directory: &RunDirectory,
        validation: Option<&Validation>,
    ) -> Result<(), StoreError> {
        if let Some(validation) = validation {
            directory.write_json(VALIDATION, validation)?;
        }
        let title = format!(
            "recommended by the tiletune campaign `{}`",
            campaign.config.name
        );
        write_best(
            directory,
            &title,
            &self.file(campaign, validation),
            validation,
        )
    }

    /// The contents of `best.toml`.
    pub(crate) fn file(&self, campaign: &Campaign, validation: Option<&Validation>) -> WeightsFile {
        let config = &campaign.config;
        let provenance = Provenance {
            campaign: config.name.clone(),
            generations: self.generations,
            training_games: self.games,
            program: format!("tiletune {}", env!("CARGO_PKG_VERSION")),
            claim: Claim {
                seed: config.seed,
                objective: campaign.objective,
                player: campaign.player.full_config(),
                start: self.start.to_map(),
                verdict: validation.map(Validation::verdict),
                selection: self.selection,
                hold_out: validation.map(|validation| hold_out(campaign, validation)),
            },
            best_seen: self.best_seen.as_ref().map(|best| BestSeenProvenance {
                generation: best.candidate.generation,
                candidate: best.candidate.candidate,
                fitness: best.candidate.fitness,
                shrunk_fitness: best.shrunk,
                values: named(campaign, &best.candidate.values),
            }),
            deeper: validation.map_or_else(Vec::new, deeper),
        };
        WeightsFile {
            game: campaign.player.entry.game.name.into(),
            player: campaign.player.entry.name.into(),
            weights: self
                .weights
                .iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
            heuristic: HeuristicConfig::of(&campaign.player),
            provenance: toml::Table::try_from(provenance).ok(),
        }
    }
}

/// Writes `best.toml` with a title that says whose weights these are, and the warning if they are no better.
pub(crate) fn write_best(
    directory: &RunDirectory,
    title: &str,
    file: &WeightsFile,
    validation: Option<&Validation>,
) -> Result<(), StoreError> {
    let text = toml::to_string(file);
    let text = text.map_err(|error| StoreError::damaged(&directory.path(BEST), error))?;
    let warning = validation.and_then(not_beaten);
    let warning = warning.map_or(String::new(), |warning| format!("# {warning}\n"));
    directory.write(BEST, format!("# Weights {title}.\n{warning}{text}"))
}

/// The sentence that the recommended weights are not shown to be better than the start weights; `None` if
/// they are.
pub fn not_beaten(validation: &Validation) -> Option<String> {
    let difference = &validation.objective.difference;
    (difference.verdict != Verdict::Better).then(|| {
        let words = verdict_in_words(difference, validation.tuned.observed());
        let result = match difference.verdict {
            Verdict::TooFewObservations => "There is no verdict",
            Verdict::TooFewDifferences if difference.different() > 0 => "There is no verdict",
            _ => "The start weights are not beaten",
        };
        format!("{result} on the hold-out games: {words}.")
    })
}

fn named(campaign: &Campaign, values: &[f64]) -> BTreeMap<String, f64> {
    let names = campaign.space.names().into_iter().map(str::to_owned);
    names.zip(values.iter().copied()).collect()
}

fn hold_out(campaign: &Campaign, validation: &Validation) -> HoldOut {
    let (games, seed) = (validation.tuned.games, hold_out_seed(campaign.config.seed));
    HoldOut {
        commands: commands(campaign, games, seed),
        with: None,
        games,
        seed,
        resamples: campaign.config.validation.resamples,
        figures: validation.into(),
    }
}

fn deeper(validation: &Validation) -> Vec<DeeperProvenance> {
    let played = validation.deeper.iter();
    let played = played.filter_map(|at| Some((at.depth, at.played()?)));
    let of = |(depth, validation): (u8, &Validation)| DeeperProvenance {
        depth,
        games: validation.tuned.games,
        verdict: validation.verdict(),
        figures: validation.into(),
    };
    played.map(of).collect()
}

/// The commands that play the hold-out games again; `None` for a player that is not built in.
fn commands(campaign: &Campaign, games: u32, seed: u64) -> Option<Commands> {
    let entry = campaign.player.entry;
    let builtin = Catalogue::builtin().entry(entry.name, Some(entry.game.name));
    let player = builtin.ok().map(|_| campaign.player.flags())?;
    let flags = format!("--weights {BEST} --games {games} --seed {seed}");
    Some(Commands {
        replay: format!("tiletune replay {BEST}"),
        evaluate: format!("tiletune evaluate {player} {flags}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_engine::heuristic::Scale;
    use tiletune_tuning::optimizer::Parameter;

    #[test]
    fn values_at_a_bound_are_found_on_their_scale() {
        let parameter = |name: &str, scale, fixed| Parameter {
            name: name.into(),
            start: 1.0,
            min: 1.0,
            max: 10_000.0,
            scale,
            integer: false,
            step: 1.0,
            fixed,
        };
        let parameters = vec![
            parameter("linear", Scale::Linear, false),
            parameter("log", Scale::Log, false),
            parameter("fixed", Scale::Linear, true),
        ];
        let space = Space::new(parameters).unwrap();
        let of = |values: [f64; 3]| -> Vec<(String, bool)> {
            let found = at_bounds(&space, &values).into_iter();
            found.map(|at| (at.key, at.is_upper)).collect()
        };
        // 90 is 0.9 % of the linear range, and half of the logarithmic one is 100.
        assert_eq!(of([90.0, 90.0, 1.0]), [("linear".to_owned(), false)]);
        assert_eq!(of([9_800.0, 9_800.0, 1.0]), [("log".to_owned(), true)]);
        assert_eq!(
            of([9_950.0, 1.05, 1.0]),
            [("linear".to_owned(), true), ("log".to_owned(), false)]
        );
        assert_eq!(of([500.0, 500.0, 1.0]), []);
        let at = &at_bounds(&space, &[9_950.0, 500.0, 1.0])[0];
        assert_eq!((at.value, at.bound), (9_950.0, 10_000.0));
    }
}
