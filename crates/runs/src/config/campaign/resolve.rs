//! Converts a campaign file into a campaign: fills in defaults and checks ranges.

use std::collections::BTreeSet;
use std::path::Path;

use super::checks::{check_budget, check_deeper, check_pairs, check_validation, objective};
use super::exact;
use super::parameters::{check_bounds, check_start, fill_in_steps, searched};
use super::start::StartWeights;
use super::{BESIDE, CampaignConfig, pattern, program, rules, settings, start};
use crate::config::document::{Document, Unresolved};
use crate::config::heuristic_file::{HeuristicConfig, refuse, with_given};
use crate::config::weights_file::{Carried, refuse_weights};
use crate::config::{ConfigError, Source, check_name_and_seed, check_range, name_of_file};
use tiletune_engine::field_error::{FieldError, Within};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::random::{Stream, look_seed, shown_seed};
use tiletune_tuning::Catalogue;
use tiletune_tuning::evaluation::objective::Objective;
use tiletune_tuning::evaluation::schedule::{Games, Schedule};
use tiletune_tuning::optimizer::{
    Entry as OptimizerEntry, Learned, Optimizer, Parameter as SearchParameter, Problem, Space,
    first_populations,
};
use tiletune_tuning::stats::difference::FEWEST_OBSERVATIONS;

#[derive(Clone)]
pub struct Campaign {
    /// The configuration with every default filled in.
    pub config: CampaignConfig,
    /// The player whose weights are tuned.
    pub player: PlayerSpec,
    /// The objective, which is maximised.
    pub objective: Objective,
    pub optimizer: &'static OptimizerEntry,
    /// All start weights, including those that are not tuned.
    pub start: Weights,
    pub space: Space,
    /// With several start points: the values of all parameters at each point, the start first. Otherwise empty.
    pub points: Vec<Vec<f64>>,
    /// Results of an earlier search.
    learned: Option<Learned>,
    /// Training games without which the search does not begin: those of its first generation, and of the one after it if
    /// that chooses between several starts.
    begin_games: u64,
    /// Keys of the file of start weights that the heuristic does not know.
    pub left_out: Vec<String>,
    /// The parameters whose `start` the table `[start]` replaces.
    pub replaced: Vec<ReplacedStart>,
    /// A note about the file of start weights (see
    /// [`start_instead_of_tuned`](crate::config::weights_file::start_instead_of_tuned)).
    pub start_note: Option<String>,
    /// Whether the seed was drawn, because the file has none.
    pub is_seed_drawn: bool,
}

/// A parameter whose `start` is replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplacedStart {
    /// Key of the parameter.
    pub key: String,
    /// The value of `start`.
    pub given: f64,
    /// The value in the table `[start]`, which is used.
    pub used: f64,
}

/// The budget divided by the number of games of the start weights.
const START_SHARE: u64 = 20;

/// Smallest and largest number of these games, unless the campaign gives the number.
const START_GAMES: [u64; 2] = [20, 300];

impl Campaign {
    /// Parses and resolves a campaign file for a built-in player. Relative paths in the file are relative to `folder`.
    /// If the file has no seed, one is drawn.
    ///
    /// # Errors
    /// With the place of the first error.
    pub fn resolve(source: &Source, folder: &Path) -> Result<Self, ConfigError> {
        Self::resolve_with(&Catalogue::builtin(), source, folder)
    }

    /// The same for the players of any catalogue.
    ///
    /// # Errors
    /// As [`Campaign::resolve`].
    pub fn resolve_with(
        catalogue: &Catalogue,
        source: &Source,
        folder: &Path,
    ) -> Result<Self, ConfigError> {
        Self::of_document(catalogue, &Document::parse(source)?, folder)
    }

    /// The same for a file that is already parsed.
    pub(in crate::config) fn of_document(
        catalogue: &Catalogue,
        document: &Document,
        folder: &Path,
    ) -> Result<Self, ConfigError> {
        let instead = "write `heuristic = \"FILE\"` at the top of a campaign";
        refuse(document, "a campaign", instead)?;
        let instead =
            "write `weights = \"FILE\"` in the table [start] of a campaign to start from it";
        refuse_weights(document, "a campaign", instead)?;
        let of_experiments = ["row", "generate"];
        if let Some(key) = of_experiments.into_iter().find(|key| document.has(&[key])) {
            let message = "this is an experiment, not a campaign: use `tiletune ablate`";
            return Err(document.mistake_at(&[key], message));
        }
        let mut config: CampaignConfig = document.read_beside(&BESIDE)?;
        for (key, parameter) in &mut config.parameters {
            parameter.is_start_set = document.is_set(&["parameters", key, "start"]);
        }
        if !document.has(&["name"]) {
            config.name = name_of_file(document.file_name());
        }
        let resolved = resolve(catalogue, config, folder);
        let mut campaign = resolved.map_err(|error| document.place(error))?;
        if !document.has(&["why"]) {
            let player = campaign.player.entry.name;
            campaign.config.why = format!("Are there better weights for {player}?");
        }
        campaign.is_seed_drawn = !document.has(&["seed"]);
        Ok(campaign)
    }

    /// The same search with another name and seed, without hold-out games and without games of the start weights. For a
    /// run that executes several campaigns and plays the hold-out games of all of them itself.
    #[must_use]
    pub fn child(&self, name: impl Into<String>, seed: u64) -> Self {
        let mut child = self.clone();
        child.config.name = name.into();
        child.config.seed = seed;
        child.config.start.games = Some(child.fewest_start_games());
        child.config.validation.games = 0;
        child.config.validation.deeper.clear();
        child.config.validation.deeper_games = None;
        child.is_seed_drawn = false;
        child
    }

    /// The seed with which `evaluate` replays the hold-out games of the present look at the search.
    pub fn hold_out_seed(&self) -> u64 {
        self.hold_out_seed_at(self.config.validation.look)
    }

    /// The same of any look.
    pub(crate) fn hold_out_seed_at(&self, look: u32) -> u64 {
        match look {
            1 => shown_seed(self.config.seed, Stream::HoldOut),
            look => look_seed(self.config.seed, look),
        }
    }

    /// The optimizer of the search, before the first generation.
    ///
    /// # Errors
    /// None, because it was checked when the campaign was resolved.
    pub fn new_optimizer(&self, seed: u64) -> Result<Box<dyn Optimizer>, FieldError> {
        let config = &self.config.optimizer;
        self.optimizer.build(config, self.problem(seed))
    }

    fn problem(&self, seed: u64) -> Problem {
        let mut points = self.points.iter().map(|point| self.space.encode(point));
        Problem::new(points.next().unwrap_or_else(|| self.space.start()), seed)
            .with_steps(self.space.steps())
            .with_other_starts(points.collect())
            .with_boundaries(self.space.boundaries())
            .with_categories(self.space.categories())
            .with_constraints(self.space.constraints())
            .with_learned(self.learned.clone())
    }

    /// The start weights of the search, if it begins at this start point.
    pub fn start_at(&self, point: usize) -> Weights {
        let point = self.points.get(point);
        point.map_or_else(|| self.start.clone(), |values| self.weights(values))
    }

    /// Initial standard deviation of a parameter whose step is 1, as a share of the distance between its bounds.
    pub fn initial_step(&self) -> f64 {
        let optimizer = self.new_optimizer(0);
        optimizer.map_or(0.0, |optimizer| optimizer.initial_step())
    }

    /// Largest number of games of a candidate in a generation.
    pub fn most_games(&self) -> u32 {
        let evaluation = &self.config.evaluation;
        let games = match evaluation.games {
            Games::Number(games) if evaluation.games_growth.is_none_or(|factor| factor == 1.0) => {
                games
            }
            _ => evaluation.games_max(),
        };
        self.games_of_point(games)
    }

    /// Number of games of a candidate in the first generation, if an ordinary one has `games`: the few start points share
    /// the games of an ordinary generation.
    pub fn games_of_point(&self, games: u32) -> u32 {
        let shares = self.population().checked_div(self.points.len());
        games.saturating_mul(shares.unwrap_or(1).max(1) as u32)
    }

    /// Candidates of a generation, of the first restart if there are several.
    pub fn population(&self) -> usize {
        // It is filled in when the campaign is resolved.
        self.config.optimizer.population.unwrap_or(1)
    }

    /// Number of games of the start weights at the beginning of the campaign. It depends on the budget, but no game of
    /// the search does.
    pub fn start_games(&self) -> u32 {
        let (config, players) = (&self.config, self.player.players());
        if let Some(games) = config.start.games {
            return games;
        }
        let population = self.population() as u64;
        let all = |generations| {
            let games = config.evaluation.games_through(generations, players);
            games.saturating_mul(population)
        };
        let by_generations = config.budget.generations.map(all);
        let of_budget = [by_generations, config.budget.games];
        let wanted = match of_budget.into_iter().flatten().min() {
            Some(games) => games / START_SHARE,
            None => self.begin_games,
        };
        let wanted = wanted.clamp(START_GAMES[0], START_GAMES[1]);
        let wanted = players.whole(wanted as u32);
        // A small budget is for the search.
        let is_left = config
            .budget
            .games
            .is_none_or(|most| most >= self.begin_games + u64::from(wanted));
        let fewest = self.fewest_start_games();
        if is_left { wanted.max(fewest) } else { fewest }
    }

    /// Number of candidates that race against the final mean, if there is only one.
    pub fn challengers(&self) -> u32 {
        let given = self.config.validation.challengers;
        given.unwrap_or_else(|| (self.optimizer.challengers)(self.space.dimension()))
    }

    /// Fewest games of the start weights: those that show the cost of a game at each of several settings.
    pub(crate) fn fewest_start_games(&self) -> u32 {
        settings::fewest_start_games(&self.player)
    }

    /// Fewest hold-out games that allow a verdict.
    pub(crate) fn fewest_hold_out(&self) -> u32 {
        let observations = self.player.players().whole(1) * FEWEST_OBSERVATIONS;
        observations.max(settings::fewest_games(&self.player))
    }

    /// The fitness at which the search ends.
    pub fn target(&self) -> Option<f64> {
        let target = self.config.budget.target?;
        Some(if self.minimises() { -target } else { target })
    }

    /// Whether the player is a program whose number is minimised, so that its score is the negative of that number.
    pub fn minimises(&self) -> bool {
        let program = self.player.program();
        program.is_some_and(|program| program.declaration().minimise)
    }

    /// What the search maximises.
    pub fn objective_in_words(&self) -> String {
        let words = self.objective.describe();
        if self.minimises() {
            format!("{words}, the score being the negative of the number that is minimised")
        } else {
            words
        }
    }

    /// The schedule of the number of games of each candidate, before the first generation.
    pub fn schedule(&self) -> Schedule {
        let schedule = Schedule::new(
            &self.config.evaluation,
            self.player.players(),
            self.space.dimension(),
        );
        if self.player.has_real_scores() {
            schedule.of_real_scores()
        } else {
            schedule
        }
    }

    /// The values of the parameters in complete weights.
    pub fn values_of(&self, weights: &Weights) -> Vec<f64> {
        let value = |parameter: &SearchParameter| weights.effective(&parameter.name);
        let parameters = self.space.parameters().iter();
        let values = parameters.map(|one| value(one).unwrap_or(one.start));
        values.collect()
    }

    /// All weights of a candidate: the start weights with the values of the tuned parameters.
    ///
    /// # Panics
    /// If the number of values is not that of the parameters.
    pub fn weights(&self, values: &[f64]) -> Weights {
        let parameters = self.space.parameters();
        assert_eq!(values.len(), parameters.len());
        let names = parameters.iter().map(|parameter| parameter.name.as_str());
        let changes = names.zip(values.iter().copied());
        self.start
            .with(changes, &self.player.parameters())
            .unwrap_or_else(|error| unreachable!("checked when the campaign was resolved: {error}"))
    }
}

/// Converts a parsed campaign file. Errors have their path in the file.
pub(in crate::config) fn resolve(
    catalogue: &Catalogue,
    mut config: CampaignConfig,
    folder: &Path,
) -> Result<Campaign, Unresolved> {
    program::declare(&mut config, folder)?;
    let player = catalogue.player_at_settings(&config.player);
    let player = player.within(["player"])?;
    let player = with_given(player, config.heuristic.as_ref(), folder)?;
    let optimizer = check(catalogue, &mut config, &player)?;
    let player = exact::player(player, &config.evaluation)?;
    let given = StartWeights::read(
        catalogue,
        &mut config.start,
        &config.parameters,
        folder,
        player,
    )?;
    let Carried {
        player,
        weights: start,
        left_out,
    } = given.carried.clone();
    config.player = player.without_heuristic().config();
    config.heuristic = HeuristicConfig::of(&player);
    let entry = player.entry;
    settings::check(&config, &player)?;
    config.evaluation.fill_in();
    check_deeper(&mut config.validation, &player).within(["validation"])?;
    check_pairs(&config, entry.players())?;
    let objective = objective(&mut config.evaluation, &player)?;
    let registry = player.parameters();
    pattern::expand(&mut config.parameters, &start, &registry)?;
    if given.is_from_file && config.start.distribution.is_none() {
        fill_in_steps(&mut config.parameters, &start, &registry);
    }
    let replaced = replace_starts(&mut config, &given);
    let started = config.parameters.iter();
    let started = started.filter(|(_, parameter)| parameter.start.is_some());
    let started: BTreeSet<String> = started.map(|(key, _)| key.clone()).collect();
    let is_given = |key: &str| given.given(&config.start, key).is_some();
    let searched = searched(
        &mut config.parameters,
        (&start, &is_given),
        entry,
        &registry,
    )?;

    let changes = searched
        .iter()
        .map(|parameter| (parameter.name.as_str(), parameter.start));
    let start = start.with(changes, &registry).within(["parameters"])?;
    check_start(
        &player,
        &start,
        &started,
        &config.start.values,
        given.is_from_file,
    )?;
    check_bounds(&player, &start, &searched)?;
    exact::check(&player, &start, &config.evaluation)?;
    config.start.values = start.to_map();
    let space = Space::new(searched).within(["parameters"])?;
    let space = rules::with_rules(space, &config, &start, &registry)?;
    let points = &mut config.start.points;
    let points = start::points(points, &space, (catalogue, folder), &player, &start)?;
    let learned = given.learned(&mut config.start, &space)?;
    let mut campaign = Campaign {
        config,
        player,
        objective,
        optimizer,
        start,
        space,
        points,
        learned,
        begin_games: 0,
        left_out,
        replaced,
        start_note: given.note,
        is_seed_drawn: false,
    };
    let population;
    (population, campaign.begin_games) = check_begin(&campaign)?;
    campaign.config.optimizer.population = Some(population);
    Ok(campaign)
}

/// Removes the starts that `[start]` replaces from the parameters.
fn replace_starts(config: &mut CampaignConfig, given: &StartWeights) -> Vec<ReplacedStart> {
    let mut replaced = Vec::new();
    for (key, parameter) in &mut config.parameters {
        if std::mem::take(&mut parameter.is_start_set) {
            continue;
        }
        let Some(used) = given.given(&config.start, key) else {
            continue;
        };
        if let Some(own) = parameter.start.take()
            && own != used
        {
            replaced.push(ReplacedStart {
                key: key.clone(),
                given: own,
                used,
            });
        }
    }
    replaced
}

fn check(
    catalogue: &Catalogue,
    config: &mut CampaignConfig,
    player: &PlayerSpec,
) -> Result<&'static OptimizerEntry, FieldError> {
    check_name_and_seed(&config.name, config.seed)?;
    if let Ok(entry) = catalogue.optimizers().entry(&config.optimizer) {
        let least = entry.games_min.map(|games| player.players().whole(games));
        let least = settings::least_games(player, least);
        config.evaluation.begin_with(least, entry.signal);
        if config.budget.generations.is_some() {
            for (key, value) in entry.of_generations {
                let option = config.optimizer.options.entry(*key);
                option.or_insert((*value).into());
            }
        }
    }
    config.evaluation.check().within(["evaluation"])?;
    let optimizer = catalogue.optimizers().fill_in(&mut config.optimizer);
    let optimizer = optimizer.within(["optimizer"])?;
    check_budget(&config.budget).within(["budget"])?;
    check_validation(&config.validation).within(["validation"])?;
    check_range("games", config.start.games.unwrap_or(0), 0..=1_000_000).within(["start"])?;
    Ok(optimizer)
}

/// Checks that the optimizer accepts the parameters, and that the search can begin with the budget of games. Returns the
/// number of candidates in a generation, and the training games with which it begins.
fn check_begin(campaign: &Campaign) -> Result<(usize, u64), FieldError> {
    let mut optimizer = campaign.new_optimizer(0).within(["optimizer"])?;
    let population = optimizer.population();
    let [first, second] = first_populations(&mut *optimizer);
    let games = u64::from(campaign.schedule().games());
    let evaluation = &campaign.config.evaluation;
    // A search that begins with many points needs the next generation, which chooses between starts.
    let has_choice = second > population;
    let of_choice = evaluation.games_in_second(campaign.player.players());
    let begin = if has_choice {
        first as u64 * games + second as u64 * u64::from(of_choice)
    } else {
        population.max(first) as u64 * games
    };
    let fewest = campaign.fewest_start_games();
    let start = campaign.config.start.games.unwrap_or(fewest);
    let least = begin + u64::from(start);
    match campaign.config.budget.games {
        Some(given) if given < least => {
            let (of_start, or_start) = if start == 0 {
                ("", "")
            } else {
                (" and of start.games", " or start.games")
            };
            let (generations, advice) = match evaluation.games {
                _ if has_choice => (
                    "the first two generations",
                    format!(
                        "set optimizer.uniform_points = 0, with which {} are enough",
                        population as u64 * games + u64::from(start)
                    ),
                ),
                Games::Auto => (
                    "one generation",
                    format!("make optimizer.population{or_start} smaller"),
                ),
                Games::Number(_) => (
                    "one generation",
                    format!("make evaluation.games or optimizer.population{or_start} smaller"),
                ),
            };
            let message = format!(
                "games {given} is less than the {least} of {generations}{of_start}: give more, or {advice}"
            );
            Err(FieldError::new(["budget", "games"], message))
        }
        _ => Ok((population, begin)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_with_a_budget_of_generations_does_not_grow() {
        let restarts = |budget: &str| {
            let text = format!(
                "seed = 1\n[player]\nname = 'expectimax'\ndepth = 1\n[parameters.empty]\n[budget]\n{budget}"
            );
            let campaign = Campaign::resolve(&Source::new("x.toml", text), Path::new("")).unwrap();
            campaign.config.optimizer.options["restarts"].clone()
        };
        assert_eq!(restarts("games = 900").as_str(), Some("mean"));
        assert_eq!(restarts("generations = 9").as_str(), Some("none"));
        let given = "generations = 9\n[optimizer]\nrestarts = 'mean'";
        assert_eq!(restarts(given).as_str(), Some("mean"));
    }
}
