//! `tiletune compare`: compares players with fixed weights in a sequential test.

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::execute::{Out, Threads, execute};
use super::nats::ClusterArgs;
use super::numbers::{percent, whole};
use super::operands::{self, Defaults, Operand, read};
use super::plan::calibrate;
use super::player_args::{GROUP, OptionArgs, depth_played, unfit, variation_of, with_option};
use super::run_path::weights_name;
use super::{Context, Failure, text};
use crate::Catalogue;
use crate::compare::plan::{ComparisonEstimate, estimate};
use crate::config::compare::{ComparedConfig, Comparison, ComparisonConfig, ERROR, MOST_PAIRS};
use crate::config::weights_file::{OF_TUNED, read_source};
use crate::interest::{in_points, in_unit};
use crate::number::{compact, count, difference, grouped};
use crate::player::PlayerSpec;
use crate::player::options::HEURISTIC;
use crate::random::drawn_seed;
use crate::results::Margin;
use crate::results::compare::Measure;
use crate::run::{RunPlan as _, system_clock};

/// In the group of the players' options, which may be given together.
#[derive(Args)]
#[group(id = GROUP)]
#[command(after_help = "\
Exit codes: 0 if a player is better than the baseline, 3 if none is \
                                     (worse, or no difference of interest), 4 if undecided at \
                                     --max-games.

--json: one object with players, challengers and verdict; with --dry-run another one.

Examples:
  tiletune compare published results/mine --depth 1
      the weights of a run against the published ones
  tiletune compare a.toml b.toml c.toml --margin 1%
      b and c, each against a
  tiletune compare strings-repository strings --game connect-four
      a direct match")]
pub(super) struct Compare {
    /// The baseline, then the players to compare with it: weights files, run directories (their best.toml), RUN:tuned
    /// (its tuned.toml), or PLAYER[:WEIGHTS]. `published` is the player of --player or of the other operands with its
    /// published weights; the other weights of `tiletune list weights` go by their names, too.
    #[arg(required = true, num_args = 2.., value_name = "PLAYER", value_parser = weights_name)]
    operands: Vec<String>,
    /// The game of players without weights file.
    /// [default: that of the weights files, or the first game with these players]
    #[arg(long)]
    game: Option<String>,
    /// The player of the operand `published`.
    #[arg(long)]
    player: Option<String>,
    /// Difference of interest: 2% of the mean of the absolute mean results of both players (in direct matches
    /// of the points of an even match: a share of 51 % of the points), 50 points, or 0.1sd, standard
    /// deviations of a player's results.
    /// [default: 2%, or 0.1sd if a player's mean is nearer to 0 than 0.2sd]
    #[arg(long, value_name = "2%|50|0.1sd", allow_negative_numbers = true)]
    margin: Option<Margin>,
    /// Probability of calling equal players different: 0.01% to 50%.
    #[arg(long, default_value = "5%", value_parser = percent(ERROR))]
    error: f64,
    /// Largest number of pairs of games; a pair is an opening from both sides in a game for two players.
    #[arg(long, default_value_t = 50_000, value_parser = whole(100..=MOST_PAIRS))]
    max_games: u64,
    /// Seed of the games: equal seeds give equal games [default: drawn at random, and recorded]
    #[arg(long, value_parser = whole(0..=i64::MAX as u64))]
    seed: Option<u64>,
    /// Give every player seeds of its own instead of common ones.
    #[arg(long)]
    unpaired: bool,
    /// Print how many pairs show which difference, from a short calibration, then exit.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    out: Out,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(flatten)]
    options: OptionArgs,
}

impl Compare {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let comparison = self.comparison(context)?;
        let threads = self.threads.number();
        for message in notices(&comparison, self.unpaired) {
            context.message(message);
        }
        if self.dry_run {
            self.cluster.leave_out(context)?;
            return plan(&comparison, threads, context);
        }
        let backend = self.cluster.backend(threads, context)?;
        let source = comparison.config.to_toml();
        let run = self.out.begin(&comparison, &source, threads, context)?;
        let ended = execute(&comparison, &backend, run, false, context);
        if matches!(ended, Ok(()) | Err(Failure::Verdict(_))) {
            let notes = self.operands.iter().filter_map(|text| operands::note(text));
            notes.for_each(|note| context.message(note));
        }
        ended
    }

    fn comparison(&self, context: Context) -> Result<Comparison, Failure> {
        let catalogue = context.catalogue;
        let (game, player) = (self.game.as_deref(), self.player.as_deref());
        let variation = variation_of(catalogue, game, player, &self.options.texts);
        let defaults = Defaults {
            game,
            player,
            depth: depth_played(&self.options.texts),
            variation: variation.as_deref(),
            heuristic: self.options.heuristic.as_deref(),
        };
        let operands = read(context, &self.operands, &defaults)?;
        self.check_options(&operands)?;
        let mut compared = Vec::new();
        for (index, operand) in operands.iter().enumerate() {
            let player = self.player_of(catalogue, operand)?;
            if let Some(shipped) = &operand.shipped {
                let fits = read_source(shipped.source.clone(), &player);
                fits.map_err(|error| unfit(catalogue, shipped, &player, &error))?;
            }
            compared.push(ComparedConfig {
                name: name_of(&operands, index),
                seeds: self.unpaired.then_some(index as u64),
                player: player.config(),
                weights: operand.weights.to_map(),
            });
        }
        let seed = self.seed.unwrap_or_else(drawn_seed);
        let config = ComparisonConfig {
            margin: self.margin,
            error: self.error,
            max_pairs: self.max_games,
            ..ComparisonConfig::new(seed, compared)
        };
        let comparison = Comparison::with(catalogue, config);
        comparison.map_err(Failure::usage)
    }

    /// The player of an operand with the options that it takes.
    fn player_of(&self, catalogue: &Catalogue, operand: &Operand) -> Result<PlayerSpec, Failure> {
        let entry = operand.player.entry;
        let taken = self.options.texts.iter();
        let taken = taken.filter(|(key, _)| entry.option(key).is_some());
        let taken: Vec<(String, String)> = taken.cloned().collect();
        let player = catalogue.player_of_flags(entry.name, entry.game.name, &taken);
        let player = player.and_then(|player| match operand.player.extension() {
            Some(heuristic) => player.with_heuristic(heuristic.table()),
            None => Ok(player),
        });
        player.map_err(|error| {
            let error = with_option(&error, &taken);
            Failure::Usage(format!("`{}`: {error}", operand.text))
        })
    }

    /// Checks that at least one player takes each option.
    fn check_options(&self, operands: &[Operand]) -> Result<(), Failure> {
        let is_taken = |key: &str| {
            let mut entries = operands.iter().map(|one| one.player.entry);
            entries.any(|entry| entry.option(key).is_some())
        };
        let heuristic = self.options.heuristic.iter().map(|_| HEURISTIC);
        let keys = self.options.texts.iter().map(|(key, _)| key.as_str());
        match keys.chain(heuristic).find(|key| !is_taken(key)) {
            None => Ok(()),
            Some(key) => Err(Failure::Usage(format!(
                "no player of this comparison takes --{}",
                key.replace('_', "-")
            ))),
        }
    }
}

/// The name of an operand: of a run only the name of its directory, unless another operand has the same. It gets a number
/// if an earlier operand has the same text.
fn name_of(operands: &[Operand], index: usize) -> String {
    let text = &operands[index].text;
    let short = short_name(text);
    let is_taken = |one: &Operand| one.text != *text && short_name(&one.text) == short;
    let name = if operands.iter().any(is_taken) {
        text
    } else {
        &short
    };
    let earlier = operands[..index].iter().filter(|one| one.text == *text);
    match earlier.count() {
        0 => name.clone(),
        count => format!("{name} ({})", count + 1),
    }
}

/// An operand with the name of a run instead of its path.
fn short_name(text: &str) -> String {
    let (path, of_run) = match text.strip_suffix(OF_TUNED) {
        Some(path) => (path, OF_TUNED),
        None => (text, ""),
    };
    let path = Path::new(path);
    match path.file_name() {
        Some(name) if path.is_dir() => format!("{}{of_run}", name.to_string_lossy()),
        _ => text.to_owned(),
    }
}

/// Messages before the games, about the players and their seeds.
fn notices(comparison: &Comparison, is_unpaired: bool) -> Vec<String> {
    let (first, others) = comparison.sides();
    let mut notices = Vec::new();
    for (label, one) in ["baseline"]
        .into_iter()
        .chain(std::iter::repeat("compared with it"))
        .zip(&comparison.players)
    {
        let player = match comparison.measure {
            Measure::Points => one.player.describe(),
            Measure::Score | Measure::Match => one.player.describe_alone(),
        };
        notices.push(format!("{label}: {} ({player})", one.name));
    }
    for one in others
        .iter()
        .filter(|one| one.seeds != first.seeds && !is_unpaired)
    {
        notices.push(format!(
            "{} is the same player with the same weights as {}, so it plays seeds of its own",
            one.name, first.name
        ));
    }
    notices
}

/// Prints the number of pairs for some differences, and their time.
fn plan(comparison: &Comparison, threads: usize, context: Context) -> Result<(), Failure> {
    context.message("playing a few pairs ...");
    let estimates = calibrate(&comparison.players(), context, |progress| {
        estimate(comparison, threads, progress, &system_clock)
    })?;
    context.print(
        || ComparisonPlan {
            threads,
            challengers: &estimates,
        },
        || {
            let texts = estimates
                .iter()
                .map(|one| plan_text(comparison, one, threads));
            texts.collect::<Vec<_>>().join("\n\n")
        },
    )
}

/// What `tiletune compare --dry-run` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct ComparisonPlan<'a> {
    /// Number of threads.
    threads: usize,
    /// The players after the baseline, each compared with it.
    challengers: &'a [ComparisonEstimate],
}

fn plan_text(comparison: &Comparison, estimate: &ComparisonEstimate, threads: usize) -> String {
    let (first, other) = (&comparison.players[0].name, &estimate.player);
    let interest = estimate.interest;
    let mut text = format!(
        "{other} against {first}: {} pairs played, of which {} differ; standard deviation of a \
         difference {}, {} core-seconds a pair\ndifference of interest: {}",
        estimate.pairs,
        estimate.different,
        in_unit(interest.of_share(estimate.deviation)),
        compact(estimate.core_seconds_per_pair),
        in_points(interest)
    );
    if let Some(pairs) = estimate.equal_pairs {
        return text
            + &format!(
                "\nevery pair has the difference {}: if that goes on, the comparison ends after {} pairs",
                difference(estimate.difference, None),
                count(pairs)
            );
    }
    if estimate.sizes.is_empty() {
        return text + "\nthe mean result is 0: give --margin in points or standard deviations";
    }
    let configured = format!("mean pairs, margin {}", in_unit(interest));
    let mut table = text::table(&[
        "true difference",
        "fixed sample for it",
        "mean pairs, margin at it",
        &configured,
        "core-seconds",
        "time",
    ]);
    for size in &estimate.sizes {
        let seconds = size.configured_core_seconds;
        let wall = std::time::Duration::from_secs_f64(seconds / threads as f64);
        table.add_row([
            in_unit(interest.of_share(size.difference)),
            grouped(size.fixed_pairs, 0),
            grouped(size.sequential_pairs, 0),
            grouped(size.configured_pairs, 0),
            compact(seconds),
            text::duration(wall),
        ]);
    }
    text += &format!("\n{table}\nA fixed sample finds its difference in 80 % of cases.");
    text
}
