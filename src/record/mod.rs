//! The records of a campaign: one per game, candidate and generation, and the summary of its
//! hold-out games.
//!
//! The evaluation makes them, run directories contain them, charts and reports read them. This module
//! must not play, optimise or access a file.

pub mod compare;
pub mod experiment;
pub mod retuned;
pub mod sensitivity;
pub mod series;

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, de};

/// The record of one game. A pure function of game, player, weights and seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// Seed of the game's own random stream.
    pub seed: u64,
    /// Score or outcome.
    pub result: GameResult,
    /// Moves made.
    pub moves: u32,
    /// Number of boards that the player's static evaluation was computed for.
    pub leaf_evaluations: u64,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// A game of one player.
    Score {
        /// Points at the end of the game.
        score: u64,
        /// Largest tile on the board at the end, as a tile value (2048, not 11); `None` in a game
        /// without tiles.
        max_tile: Option<u32>,
        /// Whether two of the largest tiles that a board can encode met (see
        /// [`MAX_RANK`](crate::games::sliding::rows::MAX_RANK)).
        capped: bool,
    },
    /// A game between two players, seen by the player under test.
    Outcome(Outcome),
}

impl GameResult {
    /// The result of a game of one player that has no tiles.
    pub fn scored(score: u64) -> Self {
        GameResult::Score {
            score,
            max_tile: None,
            capped: false,
        }
    }

    /// The result of a game of one player that has tiles and is not capped.
    pub fn scored_with_tile(score: u64, max_tile: u32) -> Self {
        GameResult::Score {
            score,
            max_tile: Some(max_tile),
            capped: false,
        }
    }
}

impl GameRecord {
    /// Points at the end of a game of one player.
    pub fn score(&self) -> Option<u64> {
        match self.result {
            GameResult::Score { score, .. } => Some(score),
            GameResult::Outcome(_) => None,
        }
    }

    /// Largest tile at the end of a game of one player that has tiles.
    pub fn max_tile(&self) -> Option<u32> {
        match self.result {
            GameResult::Score { max_tile, .. } => max_tile,
            GameResult::Outcome(_) => None,
        }
    }

    /// Whether a game of one player is capped: two of the largest tiles met.
    pub fn is_capped(&self) -> bool {
        matches!(self.result, GameResult::Score { capped: true, .. })
    }

    /// How a game between two players ended.
    pub fn outcome(&self) -> Option<Outcome> {
        match self.result {
            GameResult::Score { .. } => None,
            GameResult::Outcome(outcome) => Some(outcome),
        }
    }

    /// The number that games are compared by: the score, or the points of the outcome.
    pub fn value(&self) -> f64 {
        match self.result {
            GameResult::Score { score, .. } => score as f64,
            GameResult::Outcome(outcome) => outcome.points(),
        }
    }

    /// The numbers of a game of one player by their names.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        match self.result {
            GameResult::Score {
                score, max_tile, ..
            } => {
                let tile = max_tile.map(|tile| ("max_tile", u64::from(tile)));
                std::iter::once(("score", score)).chain(tile).collect()
            }
            GameResult::Outcome(_) => Vec::new(),
        }
    }
}

/// How a game between two players ended, seen by the player under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// It lost: no point.
    Loss,
    /// Draw: half a point each.
    Draw,
    /// It won: a point.
    Win,
}

impl Outcome {
    /// All outcomes, the worst first.
    pub const ALL: [Outcome; 3] = [Outcome::Loss, Outcome::Draw, Outcome::Win];

    /// The name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Loss => "loss",
            Outcome::Draw => "draw",
            Outcome::Win => "win",
        }
    }

    /// Points: 0, 1/2 or 1.
    pub fn points(self) -> f64 {
        match self {
            Outcome::Loss => 0.0,
            Outcome::Draw => 0.5,
            Outcome::Win => 1.0,
        }
    }
}

/// Which part of a campaign a game was played for. The seeds of the phases are disjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Fitness of a candidate in a generation.
    Train,
    /// Comparison of the final means of several restarts.
    Race,
    /// Start weights against recommended weights, on seeds that no other phase sees.
    HoldOut,
}

impl Phase {
    /// The name used in tables and file names.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Train => "train",
            Phase::Race => "race",
            Phase::HoldOut => "hold-out",
        }
    }
}

/// One candidate of one generation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CandidateRow {
    /// Generation, counted from 0 over the whole campaign.
    pub generation: u32,
    /// Index within the generation, from 0.
    pub candidate: u32,
    /// The objective over the candidate's games; larger is better.
    pub fitness: f64,
    /// Standard error of the fitness.
    pub standard_error: f64,
    /// Value of every parameter, fixed ones included, in the order of the campaign's parameters.
    pub values: Vec<f64>,
}

/// One generation: the fitness of its candidates and the search distribution *after* its update.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GenerationRow {
    /// Generation, counted from 0 over the whole campaign.
    pub generation: u32,
    /// Restart it belongs to, counted from 0.
    pub run: u32,
    /// Number of candidates.
    pub population: u32,
    /// Games played by each candidate.
    pub games: u32,
    /// Largest fitness in the generation.
    pub best: f64,
    /// Mean fitness of the generation.
    pub mean: f64,
    /// Median fitness of the generation.
    pub median: f64,
    /// Smallest fitness of the generation.
    pub worst: f64,
    /// Root mean square of the candidates' standard errors: the noise of one fitness value.
    pub noise: f64,
    /// The noise of one fitness value in comparison with those of the other candidates: without what
    /// the candidates share because they have played the same seeds. 0 if it is unknown.
    pub residual: f64,
    /// Share of the variance of the fitness values that is due to the candidates, not to luck (see
    /// [`Signal`](crate::stats::signal::Signal)).
    pub signal: f64,
    /// Games of each candidate at which that share would be one half, by the signal smoothed over the
    /// last generations; at most 10 million, if there is no signal.
    pub games_needed: f64,
    /// Expected advantage of the mean of the selected candidates over the mean of all.
    pub gain: f64,
    /// Step size, in unit coordinates (1 = the whole width of a parameter's bounds).
    pub sigma: f64,
    /// Ratio of the longest to the shortest axis of the distribution.
    pub axis_ratio: f64,
    /// Mean of the distribution as parameter values, one per parameter of the campaign.
    pub center: Vec<f64>,
    /// Standard deviation of each parameter in unit coordinates; 0 for fixed parameters.
    pub spread: Vec<f64>,
}

/// How a parameter of a campaign is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Equal steps are equal differences.
    #[default]
    Linear,
    /// Equal steps are equal ratios; needs positive bounds.
    Log,
}

/// A parameter of a campaign: its start, and how it may be searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Key, unique within a campaign.
    pub name: String,
    /// Value that the search starts from; within the bounds.
    pub start: f64,
    /// Lower bound, inclusive.
    pub min: f64,
    /// Upper bound, inclusive.
    pub max: f64,
    /// Scale on which the parameter is searched.
    pub scale: Scale,
    /// Whether values are rounded to whole numbers; needs whole start and bounds.
    pub integer: bool,
    /// Whether the parameter stays at `start`; bounds and scale are then ignored.
    pub fixed: bool,
}

/// Correlation of the free parameters in the final search distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Correlation {
    /// Names of the free parameters.
    pub names: Vec<String>,
    /// Symmetric matrix, rows and columns in the order of `names`, ones on the diagonal.
    pub matrix: Vec<Vec<f64>>,
}

/// How many games between two players ended in each way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes {
    /// Games won by the player under test.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

/// How the games of one set of weights ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Endings {
    /// Games of one player.
    Scores {
        /// Largest tile at the end -> number of games, ascending; empty in a game without tiles.
        #[serde(deserialize_with = "tile_counts")]
        max_tile: BTreeMap<u32, u32>,
        /// Number of capped games, see [`GameResult::Score`].
        capped: u32,
    },
    /// Games between two players.
    Outcomes {
        /// Number of games that ended in each way.
        outcomes: Outcomes,
    },
}

/// The keys of a map in an untagged enum are text.
fn tile_counts<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<u32, u32>, D::Error> {
    let counts = BTreeMap::<String, u32>::deserialize(from)?.into_iter();
    let counts = counts.map(|(tile, games)| Ok((tile.parse()?, games)));
    let counts: Result<_, std::num::ParseIntError> = counts.collect();
    counts.map_err(de::Error::custom)
}

/// Summary of the games of one set of weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GameSummary {
    /// Name of the set of weights: `start` or `tuned`.
    pub weights: String,
    /// Number of games.
    pub games: u32,
    /// Mean of what [`measure`](Self::measure) names: score, or points of games between two players.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Median of the scores; of games between two players, of the mean points of the openings.
    pub median: f64,
    /// Mean number of moves.
    pub mean_moves: f64,
    /// How the games ended.
    #[serde(flatten)]
    pub endings: Endings,
}

/// Start weights against tuned weights, game by game on the same hold-out seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Validation {
    /// The weights the campaign started from.
    pub start: GameSummary,
    /// The weights it recommends.
    pub tuned: GameSummary,
    /// Paired difference tuned - start of the scores, or of the points of games between two players.
    pub difference: PairedDifference,
    /// The same for the objective of the campaign. The verdict on the tuned weights is about this.
    pub objective: ObjectiveComparison,
    /// What the search promised and what the hold-out games showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// The same comparison at other search depths; empty unless the campaign asks for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deeper: Vec<Deeper>,
}

/// Start against tuned weights at another search depth than that of the search: weights that are better at
/// one depth can be worse at another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Deeper {
    /// The depth, in the unit of the player.
    pub depth: u8,
    /// What the games showed, or why there are none.
    #[serde(flatten)]
    pub result: DeeperResult,
}

/// Hold-out games at another depth, or why there are none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeeperResult {
    /// The comparison of start and tuned weights.
    Played(Box<Validation>),
    /// No games were played.
    Skipped(Skipped),
}

/// Why no games were played at another depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Skipped {
    /// They would have taken longer than the search.
    TooSlow,
    /// The evaluator plays at one depth only.
    Unsupported,
}

/// The objective at each stage of a campaign. A candidate that is selected for its fitness was also
/// lucky, so its fitness exaggerates (the winner's curse). The hold-out games do not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Selection {
    /// Fitness of the best candidate seen.
    pub best_seen: f64,
    /// Mean fitness of the last generation of the restart that is recommended.
    pub last_mean: f64,
    /// The recommended weights in the race between restarts, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<f64>,
    /// The recommended weights in the hold-out games, if they are played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold_out: Option<f64>,
    /// By how many percent the hold-out games are below the best candidate seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shrinkage_percent: Option<f64>,
}

/// A recommended value that lies at a bound of its parameter: better values may lie beyond it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AtBound {
    /// Key of the parameter.
    pub key: String,
    /// The recommended value.
    pub value: f64,
    /// The bound that it is within 1 % of the range of, on the scale of the parameter.
    pub bound: f64,
    /// Whether this is the upper bound.
    pub is_upper: bool,
}

/// A finalist of the race between restarts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FinalistRow {
    /// Its weights, and the objective over its games.
    pub row: CandidateRow,
    /// Number of its games.
    pub games: u32,
    /// Whether it was eliminated.
    pub eliminated: bool,
}

impl Selection {
    /// From the objective at each stage.
    pub fn new(best_seen: f64, last_mean: f64, race: Option<f64>) -> Self {
        Selection {
            best_seen,
            last_mean,
            race,
            hold_out: None,
            shrinkage_percent: None,
        }
    }

    /// With the objective of the recommended weights in the hold-out games.
    pub fn with_hold_out(self, hold_out: f64) -> Self {
        let shrinkage = 100.0 * (self.best_seen - hold_out) / self.best_seen.abs();
        Selection {
            hold_out: Some(hold_out),
            // None for a fitness of 0.
            shrinkage_percent: Some(shrinkage).filter(|percent| percent.is_finite()),
            ..self
        }
    }
}

impl AtBound {
    /// A value at a bound.
    pub fn new(key: &str, value: f64, bound: f64, is_upper: bool) -> Self {
        AtBound {
            key: key.to_owned(),
            value,
            bound,
            is_upper,
        }
    }
}

impl FinalistRow {
    /// A finalist.
    pub fn new(row: CandidateRow, games: u32, eliminated: bool) -> Self {
        FinalistRow {
            row,
            games,
            eliminated,
        }
    }
}

impl Deeper {
    /// The result at a depth.
    pub fn new(depth: u8, result: DeeperResult) -> Self {
        Deeper { depth, result }
    }

    /// The comparison, if games were played.
    pub fn played(&self) -> Option<&Validation> {
        match &self.result {
            DeeperResult::Played(validation) => Some(validation),
            DeeperResult::Skipped(_) => None,
        }
    }
}

impl Validation {
    /// The verdict on the tuned weights: about what the campaign maximised.
    pub fn verdict(&self) -> Verdict {
        self.objective.difference.verdict
    }
}

/// Start against tuned weights in what the campaign maximised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ObjectiveComparison {
    /// The objective in words with its unit.
    pub name: String,
    /// Its value for the start weights.
    pub start: f64,
    /// Its value for the tuned weights.
    pub tuned: f64,
    /// Standard error of that value.
    pub tuned_standard_error: f64,
    /// The 95 % interval of that value, its lower end first, if there is one.
    pub tuned_interval: Option<[f64; 2]>,
    /// Paired difference tuned - start.
    pub difference: PairedDifference,
}

impl GameSummary {
    /// What its mean is the mean of, in words.
    pub fn measure(&self) -> &'static str {
        match self.endings {
            Endings::Scores { .. } => "mean score",
            Endings::Outcomes { .. } => "mean points",
        }
    }

    /// How games between two players ended; `None` for games of one player.
    pub fn outcomes(&self) -> Option<Outcomes> {
        match self.endings {
            Endings::Scores { .. } => None,
            Endings::Outcomes { outcomes } => Some(outcomes),
        }
    }

    /// Largest tile at the end -> number of games, ascending; empty for games between two players.
    pub fn max_tile(&self) -> &BTreeMap<u32, u32> {
        static NO_TILES: BTreeMap<u32, u32> = BTreeMap::new();
        match &self.endings {
            Endings::Scores { max_tile, .. } => max_tile,
            Endings::Outcomes { .. } => &NO_TILES,
        }
    }

    /// Number of independent observations: games; of games between two players openings, each played from
    /// both sides.
    pub fn observations(&self) -> u32 {
        match self.endings {
            Endings::Scores { .. } => self.games,
            Endings::Outcomes { .. } => self.games.div_ceil(2),
        }
    }

    /// What its observations are, in words.
    pub fn observed(&self) -> &'static str {
        match self.endings {
            Endings::Scores { .. } => "games",
            Endings::Outcomes { .. } => "openings",
        }
    }

    /// Number of capped games; `None` for games between two players.
    pub fn capped(&self) -> Option<u32> {
        match self.endings {
            Endings::Scores { capped, .. } => Some(capped),
            Endings::Outcomes { .. } => None,
        }
    }

    /// Number of games whose largest tile is at least this one.
    pub fn reaching(&self, tile: u32) -> u32 {
        self.max_tile().range(tile..).map(|(_, games)| games).sum()
    }
}

/// A difference between two players on the same seeds, with its 95 % interval and the conclusion.
///
/// An observation is a game; in games between two players an opening, which is played from both sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PairedDifference {
    /// The difference: the mean of the paired differences, or the difference of two medians.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Lower end of the 95 % interval; `None` if too few observations differ for an interval.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval; `None` exactly if `low` is.
    pub high: Option<f64>,
    /// Bootstrap resamples behind the interval; 0 without an interval.
    pub resamples: u32,
    /// Number of paired observations.
    pub observations: u32,
    /// Observations whose difference is above 0.
    pub above: u32,
    /// Observations whose difference is below 0.
    pub below: u32,
    /// Two-sided p value of the exact sign test; corrected for the number of comparisons (Bonferroni)
    /// as the interval would be. `None` if there is an interval.
    pub p_sign_test: Option<f64>,
    /// The conclusion.
    pub verdict: Verdict,
}

impl PairedDifference {
    /// Both ends of the interval, if there is one.
    pub fn interval(&self) -> Option<[f64; 2]> {
        Some([self.low?, self.high?])
    }

    /// Number of observations whose difference is not 0.
    pub fn different(&self) -> u32 {
        self.above + self.below
    }
}

/// The conclusion from a paired difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The whole interval is above 0; without an interval: the sign test says so.
    Better,
    /// The whole interval is below 0; without an interval: the sign test says so.
    Worse,
    /// The interval contains 0.
    Undecided,
    /// Too few observations for a reliable interval.
    TooFewObservations,
    /// Too few observations differ for a reliable interval, and the sign test does not decide.
    TooFewDifferences,
}

impl Verdict {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Undecided => "undecided",
            Verdict::TooFewObservations => "too-few-observations",
            Verdict::TooFewDifferences => "too-few-differences",
        }
    }
}

/// The data of a campaign, complete or not, that charts and reports show.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunData {
    /// Name of the campaign.
    pub name: String,
    /// Why it was run, from its config.
    pub why: String,
    /// Game, e.g. `2048`.
    pub game: String,
    /// Player and its options in words, e.g. `expectimax, depth 1`.
    pub player: String,
    /// The objective in words with its unit, e.g. `mean score (points)`.
    pub objective: String,
    /// Whether the objective is the mean score, so that it compares with hold-out means directly.
    pub objective_is_mean_score: bool,
    /// Seed of the campaign.
    pub seed: u64,
    /// Seed of the hold-out games.
    pub hold_out_seed: u64,
    /// Every parameter, fixed ones included.
    pub parameters: Vec<Parameter>,
    /// Generations in order; may be empty.
    pub generations: Vec<GenerationRow>,
    /// Present once the search has ended.
    pub correlation: Option<Correlation>,
    /// Recommended values, one per parameter; present once the search has ended.
    pub tuned: Option<Vec<f64>>,
    /// The recommended values that lie at a bound.
    pub at_bounds: Vec<AtBound>,
    /// Present once the hold-out games are played.
    pub validation: Option<Validation>,
    /// The sentence that the search has ended, but other search depths were not measured; `None` if they
    /// were, or if the player has no depth.
    pub unmeasured: Option<String>,
    /// Hold-out games of the start weights, in seed order; empty before validation.
    pub hold_out_start: Vec<GameRecord>,
    /// Hold-out games of the tuned weights, in seed order; empty before validation.
    pub hold_out_tuned: Vec<GameRecord>,
    /// Further facts for the report: label and text (status, version, commit, processor, times).
    pub facts: Vec<(String, String)>,
}
