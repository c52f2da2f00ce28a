//! Campaigns whose player has several settings, such as `depths = [1, 2, 3]`: what the other sections have to fulfil.

use super::CampaignConfig;
use tiletune_engine::field_error::FieldError;
use tiletune_engine::player::PlayerSpec;
use tiletune_report::number::several;
use tiletune_tuning::evaluation::objective::Objective;
use tiletune_tuning::evaluation::schedule::{FIRST_GAMES, Games};
use tiletune_tuning::evaluation::settings::FEWEST_AT_SETTING;
use tiletune_tuning::stats::sequential::LOOK;

/// Games of the start weights at each setting, from which the cost of a game is known well enough: its square root
/// decides.
const START_GAMES: u32 = 4;

/// Fewest games of the start weights of a campaign of this player.
pub(crate) fn fewest_start_games(player: &PlayerSpec) -> u32 {
    START_GAMES * player.settings().len() as u32
}

/// The smallest number of games of a candidate for this player, where the optimizer has `least`, or no number of its own.
pub(super) fn least_games(player: &PlayerSpec, least: Option<u32>) -> Option<u32> {
    match player.several() {
        Some(_) => Some(least.unwrap_or(FIRST_GAMES).max(fewest_games(player))),
        None => least,
    }
}

pub(super) fn fewest_games(player: &PlayerSpec) -> u32 {
    FEWEST_AT_SETTING * player.settings().len() as u32
}

/// Checks the numbers of games and the keys that fit one setting only.
pub(super) fn check(config: &CampaignConfig, player: &PlayerSpec) -> Result<(), FieldError> {
    let wrong = |path: [&str; 2], message: String| Err(FieldError::new(path, message));
    let Some(key) = player.several() else {
        return match config.evaluation.shares {
            None => Ok(()),
            Some(_) => wrong(
                ["evaluation", "shares"],
                "shares are for a player with several settings, such as depths = [1, 2]".into(),
            ),
        };
    };
    // The objective `exact-score` is refused as an objective.
    let is_objective = config.evaluation.objective == Some(Objective::ExactScore);
    if player.has_exact_scores() && !is_objective {
        let message = format!("exact_scores cannot be combined with {key}: leave one out");
        return wrong(["player", "exact_scores"], message);
    }
    let count = player.settings().len() as u32;
    let fewest = fewest_games(player);
    let evaluation = &config.evaluation;
    if let Some(shares) = &evaluation.shares {
        let is_share = |share: &f64| (1e-6..=1e6).contains(share);
        if shares.len() != count as usize || !shares.iter().all(is_share) {
            let message = format!(
                "shares must be {count} numbers from 0.000001 to 1000000, one for each of {key}"
            );
            return wrong(["evaluation", "shares"], message);
        }
    }
    let too_few = |games: u32, fewest: u32| {
        let are = if games == 1 { "is" } else { "are" };
        format!(
            "{} {are} too few for {count} {key}: at least {fewest}",
            several(games, "game")
        )
    };
    match (evaluation.games, evaluation.games_min) {
        (Games::Number(games), _) if games < fewest => {
            return wrong(["evaluation", "games"], too_few(games, fewest));
        }
        (Games::Auto, Some(given)) if given < fewest => {
            return wrong(["evaluation", "games_min"], too_few(given, fewest));
        }
        _ => {}
    }
    let needed = fewest_start_games(player);
    match config.start.games {
        Some(games) if games < needed => {
            let message = too_few(games, needed) + ", which show the cost of a game at each";
            return wrong(["start", "games"], message);
        }
        _ => {}
    }
    if !config.start.points.is_empty() {
        let message =
            format!("several start points cannot be combined with {key}: leave out points");
        return wrong(["start", "points"], message);
    }
    let validation = &config.validation;
    if (1..fewest).contains(&validation.games) {
        return wrong(["validation", "games"], too_few(validation.games, fewest));
    }
    let race_games = validation.race_games.unwrap_or(0);
    if u64::from(race_games) % LOOK != 0 {
        let message = format!(
            "race_games {race_games} is not a multiple of {LOOK}, which a race with several {key} needs"
        );
        return wrong(["validation", "race_games"], message);
    }
    if !validation.deeper.is_empty() {
        let message = format!(
            "the hold-out games of a player with {key} are played at each of them: leave out deeper"
        );
        return wrong(["validation", "deeper"], message);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::Source;
    use crate::config::campaign::Campaign;

    fn resolved(player: &str, more: &str) -> Result<Campaign, String> {
        let text = format!(
            "seed = 1\n[player]\nname = 'expectimax'\n{player}\n[parameters.empty]\n[budget]\ngenerations = 2\n{more}"
        );
        Campaign::resolve(&Source::new("x.toml", text), Path::new(""))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_fit_the_number_of_settings() {
        let campaign = resolved("depths = [0, 1, 2, 3]", "").unwrap();
        assert_eq!(campaign.objective, Objective::GeometricMeanScore);
        assert_eq!(campaign.config.evaluation.games_min, Some(8));
        assert!(campaign.start_games() >= 16);
        let text = toml::to_string(&campaign.config).unwrap();
        let again = Campaign::resolve(&Source::new("x.toml", text), Path::new("")).unwrap();
        assert_eq!(again.config, campaign.config);
        assert!(again.player == campaign.player);
        assert_eq!(again.child("run", 7).start_games(), 16);
        let one = resolved("depth = 1", "").unwrap();
        assert_eq!(
            (one.objective, one.fewest_start_games()),
            (Objective::MeanScore, 0)
        );
    }

    #[test]
    fn what_fits_one_setting_only_is_refused() {
        let several = "depths = [0, 1]";
        for (player, more, message) in [
            (
                several,
                "[evaluation]\ngames = 3",
                "3 games are too few for 2 depths: at least 4",
            ),
            (
                several,
                "[evaluation]\ngames_max = 3",
                "games_max 3 is too small",
            ),
            (
                several,
                "[evaluation]\ngames_min = 3",
                "3 games are too few for 2 depths: at least 4",
            ),
            (
                several,
                "[evaluation]\nobjective = 'median-score'",
                "does not fit a player with depths; allowed: geometric-mean-score",
            ),
            (
                several,
                "[evaluation]\nshares = [1.0]",
                "shares must be 2 numbers",
            ),
            (
                several,
                "[evaluation]\nshares = [1.0, 0.0]",
                "shares must be 2 numbers",
            ),
            (
                several,
                "[start]\ngames = 7",
                "7 games are too few for 2 depths: at least 8",
            ),
            (
                several,
                "[start]\npoints = [{ empty = 3 }]",
                "leave out points",
            ),
            (several, "[validation]\ngames = 3", "3 games are too few"),
            (
                several,
                "[validation]\nrace_games = 250",
                "not a multiple of 100",
            ),
            (several, "[validation]\ndeeper = [2]", "leave out deeper"),
            (
                "depth = 1",
                "[evaluation]\nshares = [1.0, 2.0]",
                "several settings",
            ),
            (
                "depth = 1",
                "[evaluation]\nobjective = 'geometric-mean-score'",
                "does not fit games of 2048",
            ),
            (
                "depths = [0, 1]\nexact_scores = true\nboard = '2x2'",
                "",
                "exact_scores cannot be combined with depths",
            ),
            (
                "depths = [0, 1]\nboard = '2x2'",
                "[evaluation]\nobjective = 'exact-score'",
                "objective `exact-score` does not fit a player with depths",
            ),
        ] {
            let error = resolved(player, more).err();
            let error = error.unwrap_or_else(|| panic!("{player} {more}"));
            assert!(error.contains(message), "{more}: {error}");
        }
        let program = "seed = 1\n[player]\ncommand = ['true']\ndepths = [1, 2]\n[parameters.a]\ndefault = 1\nmin = 0\nmax = 2\n[budget]\ngames = 9";
        let error = Campaign::resolve(&Source::new("x.toml", program), Path::new("")).err();
        let error = error.unwrap().to_string();
        assert!(error.contains("depths"), "{error}");
    }
}
