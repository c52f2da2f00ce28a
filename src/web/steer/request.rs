//! What a page may ask for: a campaign by its player, parameters and budget, or a campaign file of the results folder; a
//! comparison; a run to stop or to continue. This module must not start a process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::campaign::{Campaign, Limits};
use crate::config::weights_file::published;
use crate::config::{Source, heuristic_file};
use crate::heuristic::{Scale, is_constant};
use crate::player::{COMMAND, OptionValue, PlayerConfig, PlayerSpec};
use crate::run::shell::quoted;
use crate::web::app::App;
use crate::web::players;
use crate::web::refusal::Refusal;
use crate::web::weights::{self, Found};

/// Whose parameters are wanted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParametersRequest {
    player: PlayerConfig,
    /// A heuristic file of the results folder.
    #[serde(default)]
    heuristic: Option<String>,
}

/// A parameter that a campaign can tune.
#[derive(Serialize, JsonSchema)]
pub(super) struct ServedParameter {
    /// Its name.
    key: String,
    /// What it does.
    about: String,
    /// Where the search starts: the published weight or the default of its file.
    start: f64,
    /// Suggested lower bound.
    min: f64,
    /// Suggested upper bound.
    max: f64,
    /// Whether it is searched by ratios.
    is_logarithmic: bool,
    /// Whether its term is in use at the start, so that it is suggested to be tuned.
    is_suggested: bool,
}

impl ParametersRequest {
    pub(super) fn parameters(&self, app: &App) -> Result<Vec<ServedParameter>, Refusal> {
        let spec = spec(app, &self.player, self.heuristic.as_deref())?;
        let all = spec.parameters();
        let weights = published(&spec);
        let tunable = all
            .iter()
            .filter(|one| !one.is_split() && !is_constant(one, &all));
        let served = tunable.map(|one| {
            let start = weights.effective(&one.key).unwrap_or(one.default);
            ServedParameter {
                key: one.key.clone(),
                about: one.about().into_owned(),
                start,
                min: one.min,
                max: one.max,
                is_logarithmic: one.scale == Scale::Log,
                is_suggested: self.heuristic.is_some() || start != 0.0,
            }
        });
        Ok(served.collect())
    }
}

/// A player of the catalogue. A command is refused before anything reads it.
fn known(app: &App, player: &PlayerConfig) -> Result<PlayerSpec, Refusal> {
    if player.options.iter().any(|(key, _)| key == COMMAND) {
        let message = "a page cannot name a command: write it into a campaign file of the results folder, and choose this file";
        return Err(Refusal::wrong(message));
    }
    players::spec(app, player)
}

/// A player that can be tuned, with its published weights or with the terms of a heuristic file.
fn spec(app: &App, player: &PlayerConfig, heuristic: Option<&str>) -> Result<PlayerSpec, Refusal> {
    let spec = known(app, player)?;
    let spec = match heuristic {
        None => spec,
        Some(name) => {
            let path = app.results.join(plain(name)?);
            heuristic_file::with_file(&spec, &path).map_err(Refusal::wrong)?
        }
    };
    if spec.parameters().is_empty() {
        let message = format!("player `{}` has no weights to tune", spec.entry.name);
        return Err(Refusal::wrong(message));
    }
    Ok(spec)
}

/// The name of a file that lies in the results folder itself.
fn plain(name: &str) -> Result<&str, Refusal> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
    if !name.is_empty() && !name.starts_with(['.', '-', ' ']) && name.chars().all(is_plain) {
        Ok(name)
    } else {
        Err(Refusal::wrong(format!(
            "`{name}` is not the name of a file of the results folder: letters, digits, `-`, `_`, `.` and spaces are allowed, no path"
        )))
    }
}

/// A campaign.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CampaignRequest {
    /// A campaign file of the results folder. It is run as it is, with another budget if one is given.
    #[serde(default)]
    campaign: Option<String>,
    /// Name of a new campaign.
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    why: Option<String>,
    #[serde(default)]
    player: Option<PlayerConfig>,
    /// A heuristic file of the results folder.
    #[serde(default)]
    heuristic: Option<String>,
    #[serde(default)]
    seed: Option<u64>,
    #[serde(default)]
    budget: Limits,
    /// Number of hold-out games.
    #[serde(default)]
    hold_out: Option<u32>,
    #[serde(default)]
    parameters: BTreeMap<String, RequestedParameter>,
}

/// The limits of a search as flags of the command line.
fn flags(limits: &Limits) -> Vec<String> {
    let options = limits.options().into_iter();
    options
        .map(|(name, value)| format!("--{name}={value}"))
        .collect()
}

/// The range of a parameter.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestedParameter {
    min: f64,
    max: f64,
    #[serde(default)]
    is_logarithmic: bool,
    #[serde(default)]
    start: Option<f64>,
}

/// A campaign file and how it is run.
pub(super) struct CampaignFile {
    /// Name of the file in the results folder.
    pub(super) name: String,
    pub(super) text: String,
    /// Name of the campaign.
    pub(super) run: String,
    /// Flags of the command line.
    pub(super) settings: Vec<String>,
    /// Whether the page writes it.
    pub(super) is_new: bool,
}

impl CampaignFile {
    /// Writes a new file; one with the same text stays, another one with the same name, too.
    pub(super) fn save(&mut self, results: &Path) -> Result<(), Refusal> {
        if !self.is_new {
            return Ok(());
        }
        let stem = self.run.clone();
        let others = (2..).map(|number| format!("{stem}-{number}.toml"));
        for name in std::iter::once(format!("{stem}.toml")).chain(others) {
            let path = results.join(&name);
            if path.symlink_metadata().is_err() {
                std::fs::write(&path, &self.text).map_err(Refusal::wrong)?;
            } else if Source::read(&path).map(|known| known.text).ok().as_ref() != Some(&self.text)
            {
                continue;
            }
            self.name = name;
            break;
        }
        Ok(())
    }

    /// The command that does the same.
    pub(super) fn command(&self, results: &Path) -> String {
        let path = results.join(&self.name).display().to_string();
        let mut command = format!("tiletune tune {}", quoted(&path));
        for flag in &self.settings {
            command += " ";
            command += flag;
        }
        command
    }
}

impl CampaignRequest {
    /// The file of this campaign, checked as the command line checks it.
    pub(super) fn file(&self, app: &App) -> Result<CampaignFile, Refusal> {
        match &self.campaign {
            Some(name) => self.existing(app, plain(name)?),
            None => self.new_file(app),
        }
    }

    fn existing(&self, app: &App, name: &str) -> Result<CampaignFile, Refusal> {
        let is_alone = self.player.is_none() && self.heuristic.is_none() && self.name.is_none();
        let is_alone = is_alone && self.why.is_none() && self.parameters.is_empty();
        if !is_alone || self.hold_out.is_some() {
            return Err(Refusal::wrong(
                "a campaign file says itself what it tunes: beside `campaign` only `budget` and `seed` are allowed",
            ));
        }
        let path = app.results.join(name);
        let is_file = path.symlink_metadata().is_ok_and(|file| file.is_file());
        if !is_file {
            return Err(Refusal::unknown(format!(
                "there is no campaign file `{name}` in the results folder"
            )));
        }
        let source = Source::read(&path).map_err(Refusal::wrong)?;
        if !is_campaign(&source) {
            return Err(Refusal::wrong(format!("{name}: this is no campaign file")));
        }
        let mut settings = flags(&self.budget);
        settings.extend(self.seed.map(|seed| format!("--set=seed={seed}")));
        let run = name.strip_suffix(".toml").unwrap_or(name);
        let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        Ok(CampaignFile {
            name: name.to_owned(),
            run: run
                .chars()
                .map(|c| if is_safe(c) { c } else { '-' })
                .collect(),
            text: source.text,
            settings,
            is_new: false,
        })
    }

    fn new_file(&self, app: &App) -> Result<CampaignFile, Refusal> {
        let player = self.player.as_ref();
        let player = player.ok_or_else(|| {
            Refusal::wrong("name a `player`, or a `campaign` file of the results folder")
        })?;
        let spec = spec(app, player, self.heuristic.as_deref())?;
        let name = self
            .name
            .clone()
            .unwrap_or_else(|| spec.entry.name.to_owned());
        let text = self.text(&spec, &name)?;
        let source = Source::new("the new campaign", text.as_str());
        Campaign::resolve_with(&app.catalogue, &source, &app.results).map_err(Refusal::wrong)?;
        Ok(CampaignFile {
            name: format!("{name}.toml"),
            run: name,
            text,
            settings: Vec::new(),
            is_new: true,
        })
    }

    /// The file as TOML. Every text is quoted by the TOML writer, so that no value can add a key.
    fn text(&self, spec: &PlayerSpec, name: &str) -> Result<String, Refusal> {
        let string = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let why = format!("Are there better weights for {}?", spec.entry.name);
        let why = self
            .why
            .as_deref()
            .filter(|why| !why.trim().is_empty())
            .unwrap_or(&why);
        let mut text = format!(
            "# Written by a page of `tiletune serve`.\nwhy = {}\nname = {}\n",
            string(why),
            string(name)
        );
        // Writing to a string cannot fail.
        if let Some(seed) = self.seed {
            let _ = writeln!(text, "seed = {seed}");
        }
        if let Some(heuristic) = &self.heuristic {
            let _ = writeln!(text, "heuristic = {}", string(plain(heuristic)?));
        }
        let player = self.player.as_ref().map(toml::to_string).transpose();
        let player = player.map_err(Refusal::wrong)?.unwrap_or_default();
        let _ = write!(text, "\n[player]\n{player}");
        text += "\n[budget]\n";
        let limits = self.budget.options().into_iter();
        text.extend(limits.map(|(name, value)| format!("{name} = {value}\n")));
        if let Some(games) = self.hold_out {
            let _ = write!(text, "\n[validation]\ngames = {games}\n");
        }
        for (
            key,
            RequestedParameter {
                min,
                max,
                is_logarithmic,
                start,
            },
        ) in &self.parameters
        {
            let _ = write!(text, "\n[parameters.{}]\n", string(key));
            if let Some(start) = start {
                let _ = writeln!(text, "start = {start:?}");
            }
            let _ = writeln!(text, "min = {min:?}\nmax = {max:?}");
            if *is_logarithmic {
                text += "scale = \"log\"\n";
            }
        }
        Ok(text)
    }
}

/// Whether a file is a campaign: it has a player and parameters or a budget, and no rows.
pub(super) fn is_campaign(source: &Source) -> bool {
    let table: Option<toml::Table> = toml::from_str(&source.text).ok();
    table.is_some_and(|table| {
        table.contains_key("player")
            && (table.contains_key("parameters") || table.contains_key("budget"))
            && !table.contains_key("row")
            && !table.contains_key("values")
    })
}

/// A run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunRequest {
    pub(super) run: String,
}

/// A run to continue.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContinueRequest {
    pub(super) run: String,
    #[serde(default)]
    budget: Limits,
}

impl ContinueRequest {
    /// The flags of the new budget; `None` without one.
    pub(super) fn limit(&self) -> Result<Option<Vec<String>>, Refusal> {
        if self
            .budget
            .minutes
            .is_some_and(|minutes| !(minutes > 0.0 && minutes <= 1e6))
        {
            return Err(Refusal::wrong(
                "minutes: a number above 0 and at most 1,000,000 is allowed",
            ));
        }
        Ok(Some(flags(&self.budget)).filter(|flags| !flags.is_empty()))
    }
}

/// Two sets of weights to compare.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ComparisonRequest {
    /// The player of both, with the options that both play with.
    player: PlayerConfig,
    /// The baseline and the other weights: names of `GET /api/weights`; empty for the published ones.
    weights: [String; 2],
    /// Largest number of pairs of games.
    #[serde(default)]
    max_games: Option<u64>,
    #[serde(default)]
    seed: Option<u64>,
}

impl ComparisonRequest {
    /// The arguments of the command.
    pub(super) fn arguments(&self, app: &App) -> Result<Vec<OsString>, Refusal> {
        let spec = known(app, &self.player)?;
        let mut arguments: Vec<OsString> = vec!["compare".into()];
        for name in &self.weights {
            if name.is_empty() {
                arguments.push("published".into());
                continue;
            }
            let found = weights::find(app, name, &spec)?;
            // Checked here, so that a mistake is told before a process is started.
            let operand = match &found {
                Found::File(_) => app.results.join(name).into(),
                Found::Shipped(one) => one.name.into(),
                Found::Candidate(..) => {
                    return Err(Refusal::wrong(
                        "a candidate cannot be compared here; compare the weights of its run",
                    ));
                }
            };
            let (read, _) = weights::read(Some(found), spec.clone())?;
            if read.program().is_some() {
                return Err(Refusal::wrong(
                    "these weights are of a program outside of tiletune",
                ));
            }
            arguments.push(operand);
        }
        let entry = spec.entry;
        arguments.push(format!("--game={}", entry.game.name).into());
        if self.weights.iter().any(String::is_empty) {
            arguments.push(format!("--player={}", entry.name).into());
        }
        for (key, value) in &self.player.options {
            let value = match value {
                OptionValue::Text(text) => text.clone(),
                other => other.to_string(),
            };
            arguments.push(format!("--{}={value}", key.replace('_', "-")).into());
        }
        arguments.extend(
            self.max_games
                .map(|most| format!("--max-games={most}").into()),
        );
        arguments.extend(self.seed.map(|seed| format!("--seed={seed}").into()));
        Ok(arguments)
    }
}
