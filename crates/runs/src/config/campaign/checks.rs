//! What the tables of a campaign allow, also together with its player.

use super::{Budget, CampaignConfig, ValidationConfig};
use crate::config::{check_openings, check_range, check_resamples};
use tiletune_engine::field_error::{FieldError, Within};
use tiletune_engine::player::depth::{Depth, MAX_DEPTH};
use tiletune_engine::player::{GameEntry, PlayerSpec, Players};
use tiletune_tuning::evaluation;
use tiletune_tuning::evaluation::objective::Objective;
use tiletune_tuning::evaluation::schedule::{Games, shows_noise};
use tiletune_tuning::stats::looks::MOST_LOOKS;

/// The objectives of scores that may be below 0 and belong to no tiles: those of programs.
const OF_REAL_SCORES: &str = "mean-score, median-score";

/// Fills in the objective if the file omits it, and checks that it fits the game.
pub(super) fn objective(
    config: &mut evaluation::EvaluationConfig,
    player: &PlayerSpec,
) -> Result<Objective, FieldError> {
    let (entry, has_real_scores) = (player.entry, player.has_real_scores());
    let objective = *config
        .objective
        .get_or_insert(Objective::default_of(player));
    let allowed = if has_real_scores && player.several().is_none() {
        OF_REAL_SCORES
    } else {
        Objective::allowed(player)
    };
    if !objective.fits(player) {
        let of = match player.several() {
            Some(key) => format!("a player with {key}"),
            None => format!("games of {}", entry.game.name),
        };
        let message = format!("objective `{objective}` does not fit {of}; allowed: {allowed}");
        return Err(FieldError::new(["evaluation", "objective"], message));
    }
    if has_real_scores && objective == Objective::MeanLogScore {
        let message = format!(
            "objective `{objective}` needs scores of 0 or more, which those of a program need not be; allowed: {allowed}"
        );
        return Err(FieldError::new(["evaluation", "objective"], message));
    }
    if let Objective::ShareReaching(tile) = objective
        && (has_real_scores || !(entry.game.is_tile)(tile))
    {
        let instead = if has_real_scores {
            format!("it has no tiles; allowed: {allowed}")
        } else {
            tiles_of(entry.game)
        };
        let message = format!(
            "objective `{objective}`: {} has no tile {tile}; {instead}",
            entry.game.name
        );
        return Err(FieldError::new(["evaluation", "objective"], message));
    }
    Ok(objective)
}

/// An upper limit of tiles that no built-in game reaches.
const NO_TILE: u32 = 1 << 20;

/// The tiles of a game in words, for messages.
fn tiles_of(game: &GameEntry) -> String {
    let tiles = (2..NO_TILE).filter(|tile| (game.is_tile)(*tile));
    let tiles: Vec<String> = tiles.map(|tile| tile.to_string()).collect();
    match tiles.as_slice() {
        [] => "it has no tiles".to_owned(),
        [first, second, third, _, .., last] => {
            format!("its tiles are {first}, {second}, {third}, .., {last}")
        }
        few => format!("its tiles are {}", few.join(", ")),
    }
}

pub(super) fn check_budget(budget: &Budget) -> Result<(), FieldError> {
    let at_least_one = "generations must be at least 1";
    let no_budget = "no budget: give [budget] with generations, games or minutes";
    if let Some(target) = budget.target.filter(|target| !target.is_finite()) {
        let message = format!("target {target} is not a finite number");
        return Err(FieldError::new(["target"], message));
    }
    match (budget.generations, budget.games, budget.minutes) {
        (None, None, None) if budget.target.is_some() => {
            let message = "target alone is no budget, because it may never be reached: give generations, games or \
                           minutes as well";
            Err(FieldError::new(["target"], message))
        }
        (None, None, None) => Err(FieldError::new([""; 0], no_budget)),
        (Some(0), ..) => Err(FieldError::new(["generations"], at_least_one)),
        (.., Some(minutes)) if !(minutes > 0.0 && minutes <= 1e6) => {
            let message = format!("minutes {minutes} is out of range: above 0, at most 1000000");
            Err(FieldError::new(["minutes"], message))
        }
        _ => Ok(()),
    }
}

pub(super) fn check_validation(validation: &ValidationConfig) -> Result<(), FieldError> {
    if validation.games != 0 {
        check_range("games", validation.games, 2..=1_000_000).map_err(|error| FieldError {
            message: error.message + ", or 0 for none",
            ..error
        })?;
    }
    check_range(
        "race_games",
        validation.race_games.unwrap_or(2),
        2..=1_000_000,
    )?;
    check_range("challengers", validation.challengers.unwrap_or(0), 0..=16)?;
    check_range("resamples", validation.resamples, 100..=1_000_000)?;
    check_range("look", validation.look, 1..=MOST_LOOKS)?;
    check_resamples(validation.resamples, validation.games)
}

/// Checks that the player can play at the other depths, and fills in the number of games.
pub(super) fn check_deeper(
    config: &mut ValidationConfig,
    player: &PlayerSpec,
) -> Result<(), FieldError> {
    let wrong = |key, message: String| Err(FieldError::new([key], message));
    if config.deeper.is_empty() {
        let message = "deeper_games needs depths: give deeper, for example deeper = [2]";
        return match config.deeper_games {
            None => Ok(()),
            Some(_) => wrong("deeper_games", message.into()),
        };
    }
    let (Some(depths), Some(own)) = (player.entry.depths(), player.depth()) else {
        let message = format!(
            "player `{}` has no depth: leave out deeper",
            player.entry.name
        );
        return wrong("deeper", message);
    };
    if config.games == 0 {
        let message =
            "deeper needs hold-out games, but games is 0: leave out deeper, or give games";
        return wrong("deeper", message.into());
    }
    for (index, &depth) in config.deeper.iter().enumerate() {
        let message = match Depth::Fixed(depth) {
            fixed if !depths.allows(fixed) => {
                let least = depths.min;
                format!("depth {depth} is out of range: {least} to {MAX_DEPTH}")
            }
            fixed if fixed == own => {
                format!("depth {depth} is that of the player: deeper needs other depths")
            }
            _ if config.deeper[..index].contains(&depth) => format!("depth {depth} is given twice"),
            _ => continue,
        };
        return Err(FieldError::new(["deeper", &index.to_string()], message));
    }
    let games = *config.deeper_games.insert(config.deeper_games());
    check_range("deeper_games", games, 2..=1_000_000)?;
    check_resamples(config.resamples, games)
}

/// Numbers of games of two players must be even.
pub(super) fn check_pairs(config: &CampaignConfig, players: Players) -> Result<(), FieldError> {
    let (evaluation, validation) = (&config.evaluation, &config.validation);
    let first = match evaluation.games {
        Games::Number(games) => games,
        Games::Auto => 0,
    };
    for (table, key, games) in [
        ("evaluation", "games", first),
        ("evaluation", "games_min", evaluation.games_min.unwrap_or(0)),
        ("evaluation", "games_max", evaluation.games_max()),
        ("validation", "games", validation.games),
        (
            "validation",
            "race_games",
            validation.race_games.unwrap_or(0),
        ),
        ("validation", "deeper_games", validation.deeper_games()),
        ("start", "games", config.start.games.unwrap_or(0)),
    ] {
        check_openings(key, games, players).within([table])?;
    }
    let (least, most) = (evaluation.games_min(players), evaluation.games_max());
    if evaluation.games == Games::Auto && !shows_noise(least, players) {
        let fewest = 2 * players.whole(1);
        let message = format!(
            "games_max {most} is too small: at least {fewest} for games = \"auto\", because one opening shows no noise"
        );
        return Err(FieldError::new(["evaluation", "games_max"], message));
    }
    Ok(())
}
