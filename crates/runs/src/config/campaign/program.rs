//! External programs as players. `[player] command` and the declarations in `[parameters]` become the declaration of a
//! program, in the form of run directories and weights files. This module must not start anything.

use std::collections::BTreeMap;
use std::path::Path;

use super::{CampaignConfig, ParameterConfig};
use crate::config::heuristic_file::{HeuristicConfig, placed};
use tiletune_engine::field_error::{FieldError, Within};
use tiletune_engine::games::external::{NAME, PROGRAM};
use tiletune_engine::player;
use tiletune_engine::player::COMMAND;
use tiletune_engine::program::declaration::{Declaration, KEYS, ParameterDeclaration};
use tiletune_engine::suggestion::did_you_mean;

/// Replaces a command by the player for programs, with its declaration. Paths are relative to `folder`.
///
/// # Errors
/// The first key that is missing, unknown or out of range.
pub(super) fn declare(config: &mut CampaignConfig, folder: &Path) -> Result<(), FieldError> {
    if !config.player.options.iter().any(|(key, _)| key == COMMAND) {
        return check_no_declarations(&config.parameters);
    }
    check_player(config)?;
    let mut table = toml::Table::new();
    for (key, value) in &config.player.options {
        let value = toml::Value::try_from(value);
        let value = value.map_err(|error| FieldError::new(["player", key], error.to_string()))?;
        table.insert(key.clone(), value);
    }
    let mut declared = toml::Table::new();
    for (name, parameter) in &mut config.parameters {
        let taken = take(name, parameter).within(["parameters", name]);
        declared.insert(name.clone(), taken?.into());
    }
    table.insert("parameters".into(), declared.into());
    let table = placed(table, folder);
    Declaration::read(&table).map_err(at_its_place)?;
    config.player = player::PlayerConfig::new(PROGRAM, Some(NAME));
    config.heuristic = Some(HeuristicConfig::Inline(table));
    Ok(())
}

/// Fails if there are declarations, because other players declare their parameters themselves.
fn check_no_declarations(parameters: &BTreeMap<String, ParameterConfig>) -> Result<(), FieldError> {
    for (name, parameter) in parameters {
        let given = [
            ("default", parameter.default.is_some()),
            ("doc", parameter.doc.is_some()),
        ];
        if let Some((key, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
            let message = format!(
                "{key} is for the parameters of a program that `[player] command` names; this player declares \
                 its parameters itself"
            );
            return Err(FieldError::new(["parameters", name, key], message));
        }
    }
    Ok(())
}

fn check_player(config: &CampaignConfig) -> Result<(), FieldError> {
    let player = &config.player;
    let wrong = |key: &str, message: String| Err(FieldError::new(["player", key], message));
    let names = [
        ("name", Some(&player.name), PROGRAM),
        ("game", player.game.as_ref(), NAME),
    ];
    for (key, given, expected) in names {
        if let Some(given) = given.filter(|given| !given.is_empty() && *given != expected) {
            let message = format!(
                "{key} `{given}` does not fit `command`, which names a program: leave out {key} or command"
            );
            return wrong(key, message);
        }
    }
    for (key, _) in &player.options {
        if key != COMMAND && !KEYS.contains(&key.as_str()) {
            let near = did_you_mean(key, KEYS);
            let keys = KEYS.join(", ");
            let message =
                format!("a program takes no {key}{near} (beside command it takes: {keys})");
            return wrong(key, message);
        }
    }
    if config.heuristic.is_some() {
        let message = "a program has no heuristic: leave out heuristic or command";
        return Err(FieldError::new(["heuristic"], message));
    }
    Ok(())
}

/// Moves the declaration of a parameter out of its table.
fn take(name: &str, parameter: &mut ParameterConfig) -> Result<toml::Table, FieldError> {
    if name.contains('*') {
        let message = "the parameters of a program are declared one by one: `*` is not allowed";
        return Err(FieldError::new([""; 0], message));
    }
    let given = [
        ("start", parameter.start),
        ("default", parameter.default),
        ("min", parameter.min),
        ("max", parameter.max),
    ];
    if parameter.integer == Some(true) {
        check_whole(name, &given)?;
    }
    // A category begins with its first choice.
    let first = parameter.choices.first().map(|_| 0.0);
    let default = parameter.default.take().or(parameter.start).or(first);
    let (Some(default), Some(min), Some(max)) = (default, parameter.min, parameter.max) else {
        let message = format!(
            "parameter `{name}` of a program needs min, max, and start or default: it is known only from this file"
        );
        return Err(FieldError::new([""; 0], message));
    };
    let declared = ParameterDeclaration {
        default,
        min,
        max,
        scale: parameter.scale.unwrap_or_default(),
        integer: parameter.integer.unwrap_or_default(),
        choices: parameter.choices.clone(),
        doc: parameter.doc.take().unwrap_or_default(),
    };
    toml::Table::try_from(declared).map_err(|error| FieldError::new([""; 0], error.to_string()))
}

/// Checks the given values of an integer parameter, each at its key: the declaration knows no `start`.
fn check_whole(name: &str, given: &[(&str, Option<f64>)]) -> Result<(), FieldError> {
    let is_broken = |value: f64| value.is_finite() && value.fract() != 0.0;
    let mut given = given
        .iter()
        .filter_map(|(key, value)| Some((*key, (*value)?)));
    match given.find(|(_, value)| is_broken(*value)) {
        None => Ok(()),
        Some((key, value)) => {
            let message = format!(
                "{key} {value} of parameter `{name}`: start, default, min and max must be whole numbers for an integer \
                 parameter"
            );
            Err(FieldError::new([key], message))
        }
    }
}

/// Moves the error of a declaration to the key of the campaign that it comes from.
fn at_its_place(error: FieldError) -> FieldError {
    match error.path.first().map(String::as_str) {
        Some("parameters") => error,
        _ => error.within(["player"]),
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Source;
    use crate::config::campaign::Campaign;
    use std::path::Path;

    const TEXT: &str = r#"
why = "a program"
name = "program"
seed = 1
[player]
command = ["./ai", "--fast"]
score = "points"
time_limit = 5
[budget]
generations = 2
[parameters.speed]
min = 1
max = 100
start = 10
default = 20
scale = "log"
doc = "how fast"
[parameters.size]
min = -1
max = 1
default = 0.5
"#;

    fn resolve(text: &str) -> Result<Campaign, String> {
        let source = Source::new("x.toml", text);
        Campaign::resolve(&source, Path::new("/somewhere")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_campaign_declares_a_program() {
        let campaign = resolve(TEXT).unwrap();
        let player = &campaign.player;
        assert_eq!(player.describe(), "program, ./ai --fast");
        let parameters = player.parameters();
        let of: Vec<_> = parameters
            .iter()
            .map(|known| (known.key.as_str(), known.default, &*known.doc))
            .collect();
        assert_eq!(of, [("size", 0.5, ""), ("speed", 20.0, "how fast")]);
        assert_eq!(campaign.start.get("speed"), Some(10.0));
        assert_eq!(campaign.start.get("size"), Some(0.5));
        // The form of a run directory is the same campaign, independent of the folder.
        let resolved = toml::to_string(&campaign.config).unwrap();
        assert!(resolved.contains("folder = \"/somewhere\""), "{resolved}");
        let source = Source::new("resolved.toml", resolved);
        let again = Campaign::resolve(&source, Path::new("/elsewhere")).unwrap();
        assert_eq!(again.config, campaign.config);
        assert!(again.player == campaign.player);
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        for (from, to, part) in [
            ("[\"./ai\", \"--fast\"]", "[]", "names no program"),
            ("[\"./ai\", \"--fast\"]", "7", "command"),
            ("score =", "scor =", "did you mean `score`?"),
            (
                "time_limit = 5",
                "time_limit = -1",
                "time_limit -1 is out of range",
            ),
            (
                "time_limit = 5",
                "name = \"expectimax\"",
                "name `expectimax` does not fit",
            ),
            (
                "time_limit = 5",
                "game = \"2048\"",
                "game `2048` does not fit",
            ),
            (
                "min = -1\n",
                "",
                "parameter `size` of a program needs min, max",
            ),
            ("parameters.size", "parameters.\"s*\"", "`*` is not allowed"),
            (
                "default = 0.5",
                "default = 0.5\ninteger = true",
                "must be whole numbers for an integer parameter",
            ),
            (
                "start = 10\n",
                "start = 2.5\ninteger = true\n",
                "start 2.5 of parameter `speed`",
            ),
            (
                "time_limit = 5",
                "on_failure = 'ignore'",
                "unknown variant `ignore`, expected `stop` or `worst`",
            ),
            ("max = 1\n", "max = 1\ndocs = 'x'\n", "docs"),
            (
                "[budget]",
                "[evaluation]\nobjective = 'mean-log-score'\n[budget]",
                "mean-score",
            ),
            (
                "[budget]",
                "[evaluation]\nobjective = 'share-reaching-8'\n[budget]",
                "no tile 8",
            ),
            (
                "seed = 1",
                "seed = 1\nheuristic = 'x.toml'",
                "a program has no heuristic",
            ),
        ] {
            assert!(TEXT.contains(from), "{from}");
            let error = resolve(&TEXT.replacen(from, to, 1)).err().unwrap();
            assert!(error.contains(part), "{to}: {error}");
        }
        for objective in ["mean-points", "mean-log-score", "share-reaching-8"] {
            let text = format!("[evaluation]\nobjective = '{objective}'\n[budget]");
            let error = resolve(&TEXT.replacen("[budget]", &text, 1)).err().unwrap();
            let allowed = "; allowed: mean-score, median-score";
            assert!(error.ends_with(allowed), "{objective}: {error}");
        }
        let of_player = TEXT.replace("command = [\"./ai\", \"--fast\"]", "name = \"expectimax\"");
        let of_player = of_player.replace("score = \"points\"\ntime_limit = 5\n", "");
        let error = resolve(&of_player).err().unwrap();
        assert!(error.contains("declares its parameters itself"), "{error}");
    }
}
