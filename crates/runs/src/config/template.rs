//! A commented campaign file as a starting point, for any player with weights. This module must not run anything.

use std::fmt::Write;
use std::path::Path;

use super::name_of_file;
use super::weights_file::published;
use tiletune_engine::field_error::FieldError;
use tiletune_engine::heuristic::{Parameter, Role, Scale, Short, is_constant};
use tiletune_engine::player::depth::Depth;
use tiletune_engine::player::options::{OptionKind, OptionScope, PlayerOption};
use tiletune_engine::player::{OptionValue, PlayerSpec, Players};
use tiletune_tuning::Catalogue;

/// Search depth of the file, for players that have one. It is small, because searches for weights play many games.
const DEPTH: Depth = Depth::Fixed(1);

/// A commented campaign file that tunes the weights of a player. `heuristic` is the file of the player's heuristic, if it
/// has one, as the campaign names it.
///
/// # Errors
/// If the player has no weights. The message names the players that have weights.
pub fn campaign(
    catalogue: &Catalogue,
    player: &PlayerSpec,
    heuristic: Option<&Path>,
) -> Result<String, FieldError> {
    if player.parameters().is_empty() {
        let entry = player.entry;
        let others = catalogue.players_of(entry.game.name);
        let tunable = others.filter(|entry| entry.has_own_weights());
        let names: Vec<&str> = tunable.map(|entry| entry.name).collect();
        let message = format!(
            "player `{}` has no weights to tune; players of {} that have: {}",
            entry.name,
            entry.game.name,
            names.join(", ")
        );
        return Err(FieldError::new(["name"], message));
    }
    let parts = [
        head(player, heuristic),
        of_player(player),
        search(catalogue, player, heuristic.is_some()),
        parameters(player),
    ];
    Ok(parts.join("\n"))
}

fn head(player: &PlayerSpec, heuristic: Option<&Path>) -> String {
    let (player, game) = (player.entry.name, player.entry.game.name);
    let file = heuristic.map(|file| file.to_string_lossy().into_owned());
    let name = file.as_deref().map_or(player.to_owned(), name_of_file);
    let line = file.map_or(String::new(), |file| {
        let file = toml::Value::String(file);
        format!(
            "# The file of terms whose weights are tuned; its path is relative to this file.\nheuristic = {file}\n"
        )
    });
    format!(
        r#"# A campaign of tiletune: it searches for better weights of the player `{player}` in {game}.
#
#   tiletune tune FILE --dry-run     shows the plan and estimates the time
#   tiletune tune FILE               runs it
#
# Lines that begin with `# key =` show the default of a key. docs/campaigns.md describes every key.

# The purpose of the campaign; the first lines of its report.
why = "Are there better weights for {name}?"
# The run directory is results/<name>-<time>, unless --out names another.
name = "{name}"
# The seed of all random numbers. Without it one is drawn and recorded.
# seed = 1
{line}"#
    )
}

fn of_player(player: &PlayerSpec) -> String {
    let entry = player.entry;
    let mut text = format!(
        "[player]\nname = \"{}\"\ngame = \"{}\"\n",
        entry.name, entry.game.name
    );
    for option in entry.options {
        if let Some(lines) = of_option(option, player) {
            text += &lines;
        }
    }
    text
}

fn of_option(option: &PlayerOption, player: &PlayerSpec) -> Option<String> {
    let default = player.options.default_of(option, player.entry.options);
    let default = as_toml(&default);
    let (key, about) = (option.key, option.about);
    Some(match option.kind {
        OptionKind::Heuristic { .. } | OptionKind::Program => return None,
        OptionKind::Depth(depths) if option.scope == OptionScope::Player => {
            let depth = if depths.allows(DEPTH) {
                as_toml(&DEPTH.into())
            } else {
                default.clone()
            };
            let several = match (option.several, player.players()) {
                (Some(several), Players::One) => format!(
                    "# For weights that play well at several: {several} = [1, 2] instead.\n"
                ),
                _ => String::new(),
            };
            format!(
                "# {about}. {depths}; in {}; default {default}.\n{several}{key} = {depth}\n",
                depths.unit
            )
        }
        _ => format!("# {about}.\n# {key} = {default}\n"),
    })
}

/// A value in TOML syntax.
fn as_toml(value: &OptionValue) -> String {
    match value {
        OptionValue::Text(text) => format!("{text:?}"),
        OptionValue::List(texts) => format!("{texts:?}"),
        OptionValue::Number(number) => format!("{number:?}"),
        value => value.to_string(),
    }
}

fn search(catalogue: &Catalogue, player: &PlayerSpec, is_of_file: bool) -> String {
    let objectives = match player.players() {
        Players::One => {
            "# The objective: mean-score, median-score, mean-log-score, or share-reaching-<tile> in games with \
             tiles.\n# objective = \"mean-score\""
        }
        Players::Two => {
            "# The objective: mean points (win 1, draw 0.5, loss 0).\n# objective = \"mean-points\""
        }
    };
    let optimizers = catalogue.optimizers().all();
    let names: Vec<&str> = optimizers.iter().map(|entry| entry.name).collect();
    let (names, optimizer, options) = (
        names.join(" or "),
        optimizers[0].name,
        optimizers[0].template,
    );
    // Terms of a file can be many and slow.
    let minutes = if is_of_file {
        "minutes = 2"
    } else {
        "# minutes = 10"
    };
    format!(
        r#"[evaluation]
# Games of each candidate in a generation: a number, or "auto": few at first, more as candidates get alike.
games = "auto"
{objectives}

[optimizer]
# What proposes the candidates: {names}.
# name = "{optimizer}"
{options}# Candidates per generation; the default is 20 or more, by the number of parameters.
# population = 20

# The search ends at the first limit that it reaches. Give one or more.
[budget]
games = 20000
# generations = 200
{minutes}

[validation]
# Games on fresh seeds by start and tuned weights after the search: they say what was gained.
games = 1000
"#
    )
}

fn parameters(player: &PlayerSpec) -> String {
    // A term of the user's file counts even if its default is 0.
    let is_of_file = player.extension().is_some();
    let start = if is_of_file {
        "the defaults of the file"
    } else {
        "the published weights"
    };
    let mut text = format!(
        "# The parameters that are tuned, each with its bounds. They start at {start}, or at `start`.\n\
         # Parameters that are not listed keep these values. `scale = \"log\"` searches ratios, not \
         differences.\n",
    );
    let weights = published(player);
    let value = |key: &str| weights.effective(key).unwrap_or_default();
    let registry = player.parameters();
    let is_used = |parameter: &Parameter| {
        !is_constant(parameter, &registry) && (is_of_file || is_used(parameter, &registry, value))
    };
    // A player without terms has only constants.
    let has_terms = registry.iter().any(is_used);
    for parameter in registry.iter().filter(|parameter| !parameter.is_split()) {
        let start = weights
            .effective(&parameter.key)
            .unwrap_or(parameter.default);
        let is_used = !has_terms || is_used(parameter);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n# {}; starts at {}.",
            parameter.about(),
            Short(start)
        );
        let scale = match parameter.scale {
            Scale::Log => "scale = \"log\"\n",
            Scale::Linear => "",
        };
        let [min, max] = [parameter.min, parameter.max].map(Short);
        let table = format!(
            "[parameters.{}]\nmin = {min}\nmax = {max}\n{scale}",
            parameter.key
        );
        if is_used {
            text += &format!("\n{table}");
        } else {
            text += " Not tuned; remove the `#` of the next lines to tune it.\n";
            for line in table.lines() {
                text += &format!("# {line}\n");
            }
        }
    }
    text
}

/// Whether the published weights use a parameter: the weight of its term is not 0.
fn is_used(parameter: &Parameter, registry: &[Parameter], weight: impl Fn(&str) -> f64) -> bool {
    match parameter.role {
        Role::Weight => weight(&parameter.key) != 0.0,
        Role::Constant | Role::Setting => true,
        Role::Power => {
            let is_term = |other: &&Parameter| {
                other.role == Role::Weight && parameter.key.starts_with(&format!("{}_", other.key))
            };
            let terms = registry.iter().filter(is_term);
            let term = terms.max_by_key(|term| term.key.len());
            term.is_some_and(|term| weight(&term.key) != 0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::campaign::Campaign;
    use crate::config::{Source, heuristic_file};
    use tiletune_engine::player::PlayerConfig;

    #[test]
    fn every_player_with_weights_has_a_file_that_is_a_campaign() {
        let catalogue = Catalogue::builtin();
        let mut tunable = 0;
        for entry in catalogue.players() {
            let asked = PlayerConfig::new(entry.name, Some(entry.game.name));
            let player = catalogue.player(&asked).unwrap();
            let Ok(text) = campaign(&catalogue, &player, None) else {
                assert!(player.parameters().is_empty());
                continue;
            };
            tunable += 1;
            let source = Source::new(entry.name, text.as_str());
            let campaign = Campaign::resolve(&source, Path::new(""));
            let campaign =
                campaign.unwrap_or_else(|error| panic!("{}: {error}\n{text}", entry.name));
            assert_eq!(campaign.player.entry.name, entry.name);
            assert!(!campaign.space.free_names().is_empty());
            // The file is a valid campaign even with all commented lines.
            let all: Vec<&str> = text.lines().map(uncommented).collect();
            let source = Source::new(entry.name, all.join("\n"));
            let campaign = Campaign::resolve(&source, Path::new(""));
            if let Err(error) = campaign {
                let message = error.to_string();
                assert!(
                    !message.contains("unknown key"),
                    "{}: {message}",
                    entry.name
                );
                assert!(!message.contains("expected"), "{}: {message}", entry.name);
            }
        }
        assert!(tunable >= 5);
    }

    #[test]
    fn the_campaign_of_a_heuristic_file_tunes_all_but_its_constants() {
        let text = "about = 'two terms'\n[[term]]\nname = 'base'\ndoc = 'one'\nvalue = '1'\nconstant = true\n\
                    weight = { default = 9.0, min = 0.0, max = 99.0 }\n\
                    [[term]]\nname = 'empty'\ndoc = 'empty cells'\nvalue = 'count(cells where r == 0)^power'\n\
                    weight = { min = 0.0, max = 9.0 }\n\
                    parameters.power = { default = 1.0, min = 0.5, max = 2.0 }\n";
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my terms.toml");
        std::fs::write(&file, text).unwrap();
        let catalogue = Catalogue::builtin();
        let source = Source::read(&file).unwrap();
        let player = heuristic_file::first_player(&catalogue, &source, None, None).unwrap();
        let name = Path::new("my terms.toml");
        let text = super::campaign(&catalogue, &player, Some(name)).unwrap();
        assert!(text.contains("exponent of empty; starts at 1"), "{text}");
        let campaign = Campaign::resolve(&Source::new("x", text), folder.path()).unwrap();
        assert_eq!(campaign.config.name, "my-terms");
        assert_eq!(campaign.space.free_names(), ["empty", "empty_power"]);
    }

    #[test]
    fn large_and_small_bounds_are_numbers_of_toml() {
        let text = "about = 'x'\n[[term]]\nname = 'empty'\ndoc = 'x'\nvalue = 'count(cells where r == 0)'\n\
                    weight = { default = 2e15, min = -1e20, max = 1e200 }\n\
                    parameters.rate = { default = 1e-7, min = 1e-9, max = 3.0 }\n"
            .replace("r == 0)", "r == 0)^rate");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("large.toml");
        std::fs::write(&file, text).unwrap();
        let catalogue = Catalogue::builtin();
        let source = Source::read(&file).unwrap();
        let player = heuristic_file::first_player(&catalogue, &source, None, None).unwrap();
        let text = super::campaign(&catalogue, &player, Some(Path::new("large.toml"))).unwrap();
        assert!(!text.contains("0000000000"), "{text}");
        let campaign = Campaign::resolve(&Source::new("x", text), folder.path()).unwrap();
        let bounds = campaign.space.parameters().iter();
        let bounds: Vec<_> = bounds.map(|one| (one.min, one.start, one.max)).collect();
        assert_eq!(bounds, [(-1e20, 2e15, 1e200), (1e-9, 1e-7, 3.0)]);
    }

    /// Converts a line that shows a key to one that sets it.
    fn uncommented(line: &str) -> &str {
        let Some(rest) = line.strip_prefix("# ") else {
            return line;
        };
        let is_key = rest
            .split_once(" = ")
            .is_some_and(|(key, _)| !key.contains(' '));
        if is_key || rest.starts_with("[parameters.") {
            rest
        } else {
            line
        }
    }
}
