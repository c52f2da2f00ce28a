//! The tuned weights of a campaign with everything that is needed to replay the claim, and the recommended weights. The
//! tuned weights are recommended if the hold-out games show that they are better, otherwise the start weights.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::looks::EarlierLook;
use crate::config::campaign::Campaign;
use crate::config::heuristic_file::HeuristicConfig;
use crate::config::provenance::{Claim, Commands, Figures, HoldOut};
use crate::config::weights_file::{self, BEST, INSTEAD_OF, TUNED, WeightsFile};
use crate::run::{RunDirectory, StoreError, VALIDATION};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerConfig;
use tiletune_report::report::verdict_in_words;
use tiletune_tuning::Catalogue;
use tiletune_tuning::evaluation::objective::Objective;
use tiletune_tuning::optimizer::Space;
use tiletune_tuning::results::{AtBound, CandidateRow, Selection, Validation, Verdict};

/// The result of a search: the mean of its distribution, that is, the tuned weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// Values of the parameters.
    pub values: Vec<f64>,
    /// All weights, including those that were not tuned.
    pub weights: Weights,
    /// The start weights of the search. With several start points, those of the chosen point.
    pub start: Weights,
    /// Number of generations of the search.
    pub generations: u32,
    /// Number of training games of the search.
    pub games: u64,
    /// The best candidate seen. It is not recommended: part of its fitness is luck.
    pub best_seen: Option<BestSeen>,
    /// The objective at each stage; `None` if no generation was played.
    pub selection: Option<Selection>,
    /// The values at a bound of their parameter.
    pub at_bounds: Vec<AtBound>,
}

/// The candidate of all generations with the largest shrunk fitness.
///
/// Generations play different numbers of games, and with few games the largest fitness is mostly luck. So the fitness
/// of a candidate is shrunk towards the mean of its generation by the share of the signal (James and Stein).
#[derive(Clone, Debug, PartialEq)]
pub struct BestSeen {
    /// The candidate with its fitness.
    pub candidate: CandidateRow,
    pub shrunk: f64,
}

/// Which weights a run recommends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Recommended {
    /// The tuned weights: the hold-out games show that they are better than the start weights.
    Tuned,
    /// The tuned weights of an earlier look at a search that went on: the last ones that were shown to be better than the
    /// start weights.
    Earlier,
    /// The start weights.
    Start,
}

impl Recommended {
    /// The recommendation by the hold-out games, and by those of an earlier look that showed better weights. Without
    /// hold-out games nothing shows that the tuned weights are better.
    pub fn by(validation: Option<&Validation>, earlier: Option<&EarlierLook>) -> Self {
        match (validation.map(Validation::verdict), earlier) {
            (Some(Verdict::Better), _) => Recommended::Tuned,
            (_, Some(_)) => Recommended::Earlier,
            (_, None) => Recommended::Start,
        }
    }
}

/// The objective at each stage, from the `tuned.toml` of a run.
pub(crate) fn recorded_selection(
    directory: &RunDirectory,
) -> Result<Option<Selection>, StoreError> {
    #[derive(Deserialize)]
    struct Tuned {
        provenance: Recorded,
    }
    #[derive(Deserialize)]
    struct Recorded {
        selection: Option<Selection>,
    }
    let path = directory.path(TUNED);
    let text = directory.read_text(TUNED)?;
    let tuned: Result<Tuned, _> = toml::from_str(&text);
    let tuned = tuned.map_err(|error| StoreError::damaged(&path, error))?;
    Ok(tuned.provenance.selection)
}

/// The values that are near a bound: within 1 % of the range of the parameter, on its scale.
pub(crate) fn at_bounds(space: &Space, values: &[f64]) -> Vec<AtBound> {
    const NEAR: f64 = 0.01;
    let positions = space.unit(values);
    let parameters = space.parameters().iter().zip(values).zip(positions);
    let inactive = space.inactive(values);
    let active = (0..)
        .zip(parameters)
        .filter(|(index, _)| !inactive.contains(index));
    let parameters = active.map(|(_, parameter)| parameter);
    // The choices of a category have no order, and a whole number of two values is always at a bound.
    let parameters = parameters.filter(|((parameter, _), _)| {
        let is_switch = parameter.integer && parameter.max - parameter.min <= 1.0;
        parameter.choices.is_empty() && !is_switch
    });
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
    /// Verdict about the objective.
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
    /// Adds the result of the hold-out games to the stages of the objective, in this recommendation and in the
    /// validation.
    pub(crate) fn conclude(&mut self, validation: &mut Validation) {
        let value = validation.objective.tuned;
        self.selection = self
            .selection
            .map(|selection| selection.with_hold_out(value));
        validation.selection = self.selection;
    }

    /// Writes the weights files, and the results of the hold-out games if there are some. `earlier` has the weights that
    /// stay recommended if these games show nothing.
    pub(super) fn write(
        &self,
        campaign: &Campaign,
        directory: &RunDirectory,
        validation: Option<&Validation>,
        earlier: Option<&EarlierLook>,
    ) -> Result<(), StoreError> {
        if let Some(validation) = validation {
            directory.write_json(VALIDATION, validation)?;
        }
        let whose = format!("tuned by the tiletune campaign `{}`", campaign.config.name);
        let file = self.file(campaign, validation);
        let files = WeightsFiles {
            whose: &whose,
            start: &self.start,
            tuned: &file,
            earlier,
        };
        write_weights(campaign, directory, files, validation)
    }

    /// The contents of `tuned.toml`.
    pub(crate) fn file(&self, campaign: &Campaign, validation: Option<&Validation>) -> WeightsFile {
        let config = &campaign.config;
        let provenance = Provenance {
            campaign: config.name.clone(),
            generations: self.generations,
            training_games: self.games,
            program: program(),
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

/// The weights between which a run decides.
pub(crate) struct WeightsFiles<'a> {
    /// The origin of the tuned weights.
    pub(crate) whose: &'a str,
    pub(crate) start: &'a Weights,
    pub(crate) tuned: &'a WeightsFile,
    pub(crate) earlier: Option<&'a EarlierLook>,
}

/// Writes `tuned.toml`, and `best.toml` once the recommendation is decided.
pub(crate) fn write_weights(
    campaign: &Campaign,
    directory: &RunDirectory,
    files: WeightsFiles,
    validation: Option<&Validation>,
) -> Result<(), StoreError> {
    let tuned = files.tuned;
    let title = format!("Weights {}.", files.whose);
    let reason = why_not_tuned(campaign, validation);
    let head: Vec<&str> = reason.iter().map(String::as_str).collect();
    write_file(directory, TUNED, &title, &head, tuned)?;
    match (reason, files.earlier) {
        (Some(reason), Some(earlier)) => {
            let look = earlier.look;
            let title = format!(
                "Weights of look {look} at the search of the tiletune campaign `{}`.",
                campaign.config.name
            );
            let stay = "They were better than the start weights on the hold-out games of that look, so they stay the \
                        recommended ones.";
            let later = format!("The weights of the last look are in {TUNED}.");
            write_file(
                directory,
                BEST,
                &title,
                &[stay, &reason, &later],
                &earlier.file,
            )
        }
        (Some(reason), None) => {
            let start = files.start;
            write_start(campaign, start, directory, &reason, Some(tuned), validation)
        }
        (None, _) if validation.is_none() => Ok(()),
        (None, _) => {
            let better = "They are better than the start weights on the hold-out games.";
            write_file(directory, BEST, &title, &[better], tuned)
        }
    }
}

/// Writes the start weights as the recommended weights. `reason` is a sentence.
pub(super) fn write_start(
    campaign: &Campaign,
    start: &Weights,
    directory: &RunDirectory,
    reason: &str,
    tuned: Option<&WeightsFile>,
    validation: Option<&Validation>,
) -> Result<(), StoreError> {
    let file = start_file(campaign, start, tuned, validation);
    let title = format!(
        "The start weights of the tiletune campaign `{}`.",
        campaign.config.name
    );
    let mut head = vec![reason];
    let others = format!("The tuned weights are in {TUNED}.");
    if is_instead(&file) {
        head.push(&others);
    }
    write_file(directory, BEST, &title, &head, &file)
}

fn is_instead(file: &WeightsFile) -> bool {
    let provenance = file.provenance.as_ref();
    provenance.is_some_and(|provenance| provenance.contains_key(INSTEAD_OF))
}

/// A line of the head of weights of a program whose number is minimised.
const NEGATIVE: &str =
    "The program's number is minimised, so the scores in this file are its negative.";

fn write_file(
    directory: &RunDirectory,
    name: &str,
    title: &str,
    head: &[&str],
    file: &WeightsFile,
) -> Result<(), StoreError> {
    let text = toml::to_string(&file.written());
    let text = text.map_err(|error| StoreError::damaged(&directory.path(name), error))?;
    let sign = file.minimises().then_some(&NEGATIVE);
    let head = std::iter::once(&title).chain(head).chain(sign);
    let head: String = head.map(|line| format!("# {line}\n")).collect();
    directory.write(name, head + &text)
}

#[derive(Serialize)]
struct StartProvenance<'a> {
    campaign: &'a str,
    program: String,
    seed: u64,
    objective: Objective,
    player: PlayerConfig,
    /// Verdict about the tuned weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    /// The file of the tuned weights, if they differ from the start weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    instead_of: Option<&'static str>,
}

/// The contents of `best.toml` if the start weights are recommended.
pub(super) fn start_file(
    campaign: &Campaign,
    start: &Weights,
    tuned: Option<&WeightsFile>,
    validation: Option<&Validation>,
) -> WeightsFile {
    let weights = start.to_map();
    let provenance = StartProvenance {
        campaign: &campaign.config.name,
        program: program(),
        seed: campaign.config.seed,
        objective: campaign.objective,
        player: campaign.player.full_config(),
        verdict: validation.map(Validation::verdict),
        instead_of: tuned.and_then(|tuned| (tuned.weights != weights).then_some(TUNED)),
    };
    WeightsFile {
        game: campaign.player.entry.game.name.into(),
        player: campaign.player.entry.name.into(),
        weights,
        heuristic: HeuristicConfig::of(&campaign.player),
        provenance: toml::Table::try_from(provenance).ok(),
    }
}

fn program() -> String {
    format!("tiletune {}", env!("CARGO_PKG_VERSION"))
}

/// The sentence that says why the tuned weights are not recommended. `None` if they are, or if the hold-out games are not
/// played yet.
fn why_not_tuned(campaign: &Campaign, validation: Option<&Validation>) -> Option<String> {
    match validation {
        Some(validation) => not_beaten(validation),
        None if campaign.config.validation.games == 0 => Some(NO_HOLD_OUT.to_owned()),
        None => None,
    }
}

const NO_HOLD_OUT: &str = "There are no hold-out games (`validation.games` is 0), so nothing shows that the tuned \
                           weights are better.";

/// The sentence that the tuned weights are not shown to be better than the start weights; `None` if they are shown to
/// be better.
fn not_beaten(validation: &Validation) -> Option<String> {
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

/// The last line of a run's output: why the tuned weights are not recommended, and where they are. `None` if they are
/// recommended.
pub(crate) fn last_line(
    campaign: &Campaign,
    directory: &RunDirectory,
    [start, tuned]: [&Weights; 2],
    validation: Option<&Validation>,
    earlier: Option<&EarlierLook>,
) -> Option<String> {
    let reason = why_not_tuned(campaign, validation)?;
    if tuned == start && earlier.is_none() {
        return Some(reason);
    }
    let has = earlier.map_or("has the start weights".to_owned(), |earlier| {
        format!(
            "keeps the weights of look {}, which were better",
            earlier.look
        )
    });
    let path = weights_file::tuned(directory.root());
    Some(format!(
        "{reason} So {BEST} {has}; the tuned ones are in {TUNED} (`{}`).",
        path.display()
    ))
}

fn named(campaign: &Campaign, values: &[f64]) -> BTreeMap<String, f64> {
    let names = campaign.space.names().into_iter().map(str::to_owned);
    names.zip(values.iter().copied()).collect()
}

fn hold_out(campaign: &Campaign, validation: &Validation) -> HoldOut {
    let (games, seed) = (validation.tuned.games, campaign.hold_out_seed());
    HoldOut {
        commands: commands(campaign, games, seed),
        with: None,
        games,
        seed,
        resamples: campaign.config.validation.resamples,
        look: campaign.config.validation.look,
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

/// The commands that repeat the hold-out games; `None` for a player that is not built in.
fn commands(campaign: &Campaign, games: u32, seed: u64) -> Option<Commands> {
    let entry = campaign.player.entry;
    if campaign.player.several().is_some() {
        // `evaluate` plays at one setting.
        return None;
    }
    let builtin = Catalogue::builtin().entry(entry.name, Some(entry.game.name));
    let player = builtin.ok().map(|_| campaign.player.flags())?;
    let flags = format!("--weights {TUNED} --games {games} --seed {seed}");
    Some(Commands {
        replay: format!("tiletune replay {TUNED}"),
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
            choices: Vec::new(),
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
        // 90 is at 0.9 % of the linear range. The middle of the logarithmic range is 100.
        assert_eq!(of([90.0, 90.0, 1.0]), [("linear".to_owned(), false)]);
        assert_eq!(of([9_800.0, 9_800.0, 1.0]), [("log".to_owned(), true)]);
        assert_eq!(
            of([9_950.0, 1.05, 1.0]),
            [("linear".to_owned(), true), ("log".to_owned(), false)]
        );
        assert_eq!(of([500.0, 500.0, 1.0]), []);
        // Both values of a switch are bounds.
        let switch = Parameter {
            integer: true,
            max: 2.0,
            ..parameter("switch", Scale::Linear, false)
        };
        let switches = Space::new(vec![switch]).unwrap();
        assert!(at_bounds(&switches, &[2.0]).is_empty());
        let at = &at_bounds(&space, &[9_950.0, 500.0, 1.0])[0];
        assert_eq!((at.value, at.bound), (9_950.0, 10_000.0));
    }
}
