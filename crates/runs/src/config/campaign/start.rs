//! The table `[start]` of a campaign: one or several points, and the distribution of an earlier search.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BESIDE, CampaignConfig, ParameterConfig};
use crate::config::choices::Carrying;
use crate::config::document::{Document, Unresolved};
use crate::config::shipped::{Wanted, is_published, named};
use crate::config::weights_file::{self, Carried};
use crate::config::{ConfigError, Source, joined};
use tiletune_engine::field_error::{FieldError, Within};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::heuristic::{Scale, Short};
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::suggestion::did_you_mean;
use tiletune_tuning::Catalogue;
use tiletune_tuning::optimizer::{Learned, Space};
use tiletune_tuning::results::FinalDistribution;

/// Where the search starts: a weights file or the player's published weights, with single values
/// replaced. A value that is given here replaces the `start` of a parameter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// A weights file or the run directory of a campaign, relative to the campaign file; or the name of weights that ship
    /// with the program.
    pub weights: Option<PathBuf>,
    /// Values that replace those of the file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, f64>,
    /// Other points at which the search can start. They and the start are played in the first generation, and the
    /// search begins at the best of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<StartPoint>,
    /// The run directory of a campaign, relative to the campaign file: the search begins with the mean, the step sizes
    /// and the correlations with which that one ended. The resolved configuration has the contents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distribution: Option<StartDistribution>,
    /// Games of the start weights at the beginning of the campaign: they show how far the search has come while it runs,
    /// and count in the budget; 0 for none (default: 5 % of the games of the budget, at least 20, at most 300; with a
    /// budget in minutes alone as many as the first generation has, within these limits; one if results do not depend on
    /// the seed).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<u32>,
}

/// A point at which the search can start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a table of values, or the path of a weights file or of a run directory"
)]
pub enum StartPoint {
    /// Values of tuned parameters that replace those of the start.
    Values(BTreeMap<String, f64>),
    /// A weights file; or the run directory of a campaign, whose finalists are points.
    File(PathBuf),
}

/// The distribution with which an earlier search ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected the path of a run directory")]
pub enum StartDistribution {
    /// The run directory of a campaign.
    Run(PathBuf),
    /// Its contents, for the parameters of this campaign.
    Learned {
        /// Standard deviation by parameter, in widths of its bounds on its scale.
        spread: BTreeMap<String, f64>,
        /// Names of the rows and columns of `matrix`.
        names: Vec<String>,
        /// Correlations of these parameters.
        matrix: Vec<Vec<f64>>,
    },
}

/// The file in a run directory with the [`FinalDistribution`] of its search.
pub const DISTRIBUTION: &str = "distribution.json";

/// Largest number of start points.
const MOST_POINTS: usize = 1000;

/// The start weights and the player. The weights may come from another heuristic than that of the campaign.
pub(super) struct StartWeights {
    pub(super) carried: Carried,
    /// Whether they are read from a file.
    pub(super) is_from_file: bool,
    /// A note about the file.
    pub(super) note: Option<String>,
    /// The end of an earlier search, if the search starts from it.
    earlier: Option<Earlier>,
}

/// The campaign of an earlier search, and the end of that search.
struct Earlier {
    config: CampaignConfig,
    end: FinalDistribution,
}

impl StartWeights {
    /// Reads the files of the table.
    pub(super) fn read(
        catalogue: &Catalogue,
        start: &mut Start,
        tuned: &BTreeMap<String, ParameterConfig>,
        folder: &Path,
        player: PlayerSpec,
    ) -> Result<Self, Unresolved> {
        start.weights.take_if(|path| is_published(folder, path));
        let earlier = match &start.distribution {
            Some(StartDistribution::Run(path)) => {
                if start.weights.is_some() {
                    let message = "distribution has the start as well: leave out start.weights";
                    return Err(FieldError::new(["start", "distribution"], message).into());
                }
                let root = joined(folder, path);
                let earlier = Earlier::read(&root);
                let earlier = earlier.map_err(|error| at(error, &["start", "distribution"]))?;
                start.weights = Some(path.clone());
                Some(earlier)
            }
            Some(StartDistribution::Learned { .. }) | None => None,
        };
        let is_from_file = start.weights.is_some();
        // With an earlier search, the mean of its distribution determines the tuned weights.
        let file = start.weights.as_ref().filter(|_| earlier.is_none());
        let note =
            file.and_then(|path| weights_file::start_instead_of_tuned(&joined(folder, path)));
        let of_player = player.parameters();
        let now = |key: &str| {
            let given = tuned.get(key).map(|one| &one.choices);
            let known = of_player.iter().find(|known| known.key == key);
            let known = known.map(|known| &known.choices);
            given.filter(|list| !list.is_empty()).or(known).cloned()
        };
        let path = start.weights.as_ref().map(|path| joined(folder, path));
        let carrying = Carrying {
            earlier: path.map_or_else(Vec::new, |path| weights_file::declaring(&path)),
            now: &now,
        };
        // The weights file of that run can contain other weights than the mean of its search.
        let mut others = start.values.clone();
        let center = earlier.iter().flat_map(|earlier| &earlier.end.center);
        for (key, value) in center.filter(|(key, _)| !start.values.contains_key(*key)) {
            let value = carrying.carried(key, *value).map_err(|what| {
                let message = format!("{what}: give another value in `values` of [start]");
                FieldError::new(["start", "distribution"], message)
            })?;
            others.insert(key.clone(), value);
        }
        let mut carried = match start.weights.take() {
            Some(path) => {
                let named = named(
                    catalogue,
                    folder,
                    &path,
                    Wanted::by(&player, player.variation().as_deref()),
                );
                let read = named.and_then(|named| {
                    weights_file::read_by_key(named.source, &player, &others, &carrying)
                });
                let key = match earlier {
                    Some(_) => "distribution",
                    None => "weights",
                };
                read.map_err(|error| at(error, &["start", key]))?
            }
            None => Carried {
                weights: weights_file::published(&player),
                player,
                left_out: Vec::new(),
            },
        };
        let parameters = carried.player.parameters();
        if let Some(earlier) = &earlier {
            let known = |key: &str| parameters.iter().any(|parameter| parameter.key == key);
            let mean = earlier.end.center.keys();
            let mean = mean.filter_map(|key| Some((key.as_str(), *others.get(key)?)));
            let mean = mean.filter(|(key, _)| known(key) && carried.weights.get(key).is_some());
            let weights = carried.weights.with(mean, &parameters);
            carried.weights = weights.within(["start", "distribution"])?;
        }
        let values = start.values.iter();
        let values = values.map(|(key, value)| (key.as_str(), *value));
        let weights = carried.weights.with(values, &parameters);
        carried.weights = weights.within(["start", "values"])?;
        Ok(StartWeights {
            carried,
            is_from_file,
            note,
            earlier,
        })
    }

    /// The value of the table for a parameter; `None` if it has none.
    pub(super) fn given(&self, start: &Start, key: &str) -> Option<f64> {
        let is_given = self.is_from_file || start.values.contains_key(key);
        is_given.then(|| self.carried.weights.effective(key))?
    }

    /// The distribution of an earlier search for the parameters of this one. It is written into the table.
    pub(super) fn learned(
        &self,
        start: &mut Start,
        space: &Space,
    ) -> Result<Option<Learned>, FieldError> {
        if let Some(earlier) = &self.earlier {
            let learned = earlier.learned(space);
            start.distribution = Some(learned.within(["start", "distribution"])?);
        }
        let Some(StartDistribution::Learned {
            spread,
            names,
            matrix,
        }) = &start.distribution
        else {
            return Ok(None);
        };
        check_learned(spread, names, matrix).within(["start", "distribution"])?;
        let free = space.free_names();
        let place = |name: &str| names.iter().position(|one| one == name);
        let correlation = |one: &&str, other: &&str| match (place(one), place(other)) {
            _ if one == other => 1.0,
            (Some(row), Some(column)) => matrix[row][column],
            _ => 0.0,
        };
        let row = |one| free.iter().map(|other| correlation(one, other)).collect();
        Ok(Some(Learned {
            spread: free.iter().map(|name| spread.get(*name).copied()).collect(),
            correlation: free.iter().map(row).collect(),
        }))
    }
}

fn check_learned(
    spread: &BTreeMap<String, f64>,
    names: &[String],
    matrix: &[Vec<f64>],
) -> Result<(), FieldError> {
    let is_spread = |one: &f64| one.is_finite() && *one > 0.0;
    if let Some((name, value)) = spread.iter().find(|(_, one)| !is_spread(one)) {
        let message = format!("a standard deviation of {value}: it must be above 0");
        return Err(FieldError::new(["spread", name], message));
    }
    let n = names.len();
    let is_square = matrix.len() == n && matrix.iter().all(|row| row.len() == n);
    let is_symmetric = || {
        (0..n).all(|i| (0..n).all(|j| matrix[i][j].abs() <= 1.0 && matrix[i][j] == matrix[j][i]))
    };
    if !is_square || !is_symmetric() {
        let message = "correlations: a symmetric matrix with a row for each name, from -1 to 1";
        return Err(FieldError::new(["matrix"], message));
    }
    Ok(())
}

impl Earlier {
    fn read(root: &Path) -> Result<Self, ConfigError> {
        let unreadable = |reason: String| ConfigError::Unreadable {
            path: root.display().to_string(),
            reason,
        };
        let path = root.join(DISTRIBUTION);
        let first = root.join("runs/1");
        if !path.is_file() && first.is_dir() {
            return Err(unreadable(format!(
                "it is a series of searches, each with a distribution of its own: name one of its runs, such as {}",
                first.display()
            )));
        }
        if !path.is_file() {
            let reason = "it has no final distribution: name the run directory of a campaign whose search has ended";
            return Err(unreadable(reason.into()));
        }
        let end = Source::read(&path)?;
        let end: FinalDistribution = serde_json::from_str(&end.text)
            .map_err(|error| unreadable(format!("{DISTRIBUTION}: {error}")))?;
        if end.correlation.is_none() {
            let reason = "its optimizer learned no distribution: give it as start.weights";
            return Err(unreadable(reason.into()));
        }
        let resolved = Source::read(&root.join("resolved.toml"))?;
        let config = Document::parse(&resolved)?.read_beside(&BESIDE)?;
        Ok(Earlier { config, end })
    }

    /// The distribution for the parameters of both searches, relative to the bounds of this search.
    fn learned(&self, space: &Space) -> Result<StartDistribution, FieldError> {
        let mut spread = BTreeMap::new();
        for parameter in space.parameters().iter().filter(|one| !one.fixed) {
            let name = parameter.name.as_str();
            let earlier = self.config.parameters.get(name);
            let (Some(earlier), Some(value)) = (earlier, self.end.spread.get(name)) else {
                continue;
            };
            let (Some(min), Some(max)) = (earlier.min, earlier.max) else {
                continue;
            };
            let scale = earlier.scale.unwrap_or_default();
            if scale != parameter.scale {
                let [theirs, own] = [scale, parameter.scale].map(|scale| match scale {
                    Scale::Linear => "linear",
                    Scale::Log => "log",
                });
                let message = format!(
                    "the earlier search has `{name}` on a {theirs} scale, this one on a {own} scale: give both the same"
                );
                return Err(FieldError::new([""; 0], message));
            }
            let width = scale.distance(parameter.min, parameter.max);
            let factor = scale.distance(min, max) / width;
            spread.insert(name.to_owned(), value * factor);
        }
        if spread.is_empty() {
            let message = "the earlier search tuned none of these parameters";
            return Err(FieldError::new([""; 0], message));
        }
        let correlation = self.end.correlation.as_ref();
        let (names, matrix) =
            correlation.map_or_else(Default::default, |of| (of.names.clone(), of.matrix.clone()));
        Ok(StartDistribution::Learned {
            spread,
            names,
            matrix,
        })
    }
}

/// All start points as values of all parameters, the start first. Empty if there is only the start. The values are
/// written into the table.
pub(super) fn points(
    points: &mut Vec<StartPoint>,
    space: &Space,
    (catalogue, folder): (&Catalogue, &Path),
    player: &PlayerSpec,
    start: &Weights,
) -> Result<Vec<Vec<f64>>, Unresolved> {
    let first: Vec<f64> = space.parameters().iter().map(|one| one.start).collect();
    let mut found = vec![first];
    for (number, point) in points.iter().enumerate() {
        let number = number.to_string();
        let place = ["start", "points", &number];
        let values = values_of(point, catalogue, folder, player, space);
        for values in values.map_err(|error| at(error, &place))? {
            let is_file = matches!(point, StartPoint::File(_));
            let point = placed(&values, space, is_file).within(place)?;
            let point = space.settled(point);
            if let Some(broken) = space.broken(&point) {
                let message = format!("the point breaks `{broken}`: give values that keep it");
                return Err(FieldError::new(place, message).into());
            }
            let changes = values.iter().map(|(key, value)| (key.as_str(), *value));
            let changes = changes.filter(|(key, _)| is_free(space, key));
            let weights = start.with(changes, &player.parameters()).within(place)?;
            player
                .check_at_key(&weights, values.keys().map(String::as_str))
                .within(place)?;
            if !found.contains(&point) {
                found.push(point);
            }
        }
    }
    if found.len() > MOST_POINTS {
        let message = format!("{} start points: at most {MOST_POINTS}", found.len());
        return Err(FieldError::new(["start", "points"], message).into());
    }
    let names = space.names();
    let table = |point: &Vec<f64>| {
        let values = names.iter().zip(point);
        let free = values.filter(|(name, _)| is_free(space, name));
        StartPoint::Values(
            free.map(|(name, value)| ((*name).to_owned(), *value))
                .collect(),
        )
    };
    *points = found[1..].iter().map(table).collect();
    if points.is_empty() {
        found.clear();
    }
    Ok(found)
}

fn is_free(space: &Space, key: &str) -> bool {
    space.free_names().contains(&key)
}

/// The values at a start point.
fn values_of(
    point: &StartPoint,
    catalogue: &Catalogue,
    folder: &Path,
    player: &PlayerSpec,
    space: &Space,
) -> Result<Vec<BTreeMap<String, f64>>, ConfigError> {
    let given = match point {
        StartPoint::Values(values) => return Ok(vec![values.clone()]),
        StartPoint::File(path) => path,
    };
    let path = joined(folder, given);
    let now = |key: &str| {
        let tuned = space.parameters().iter().find(|one| one.name == key)?;
        Some(tuned.choices.clone())
    };
    let carrying = Carrying {
        earlier: weights_file::declaring(&path),
        now: &now,
    };
    let end = path.join(DISTRIBUTION);
    if end.is_file() {
        let end = Source::read(&end)?;
        let end: Result<FinalDistribution, _> = serde_json::from_str(&end.text);
        let end = end.map_err(|error| ConfigError::Damaged {
            path: path.join(DISTRIBUTION).display().to_string(),
            reason: error.to_string(),
        })?;
        let mut finalists = end.finalists;
        for (key, value) in finalists.iter_mut().flatten() {
            let carried = carrying.carried(key, *value);
            *value = carried.map_err(|what| ConfigError::Unreadable {
                path: path.display().to_string(),
                reason: format!("{what}: give its points as tables of values"),
            })?;
        }
        return Ok(finalists);
    }
    let named = named(
        catalogue,
        folder,
        given,
        Wanted::by(player, player.variation().as_deref()),
    )?;
    let carried = weights_file::read_by_key(named.source, player, &BTreeMap::new(), &carrying)?;
    Ok(vec![carried.weights.to_map()])
}

/// The values of all parameters at a point.
fn placed(
    values: &BTreeMap<String, f64>,
    space: &Space,
    is_file: bool,
) -> Result<Vec<f64>, FieldError> {
    let names = space.free_names();
    let unknown = values.keys().find(|key| !names.contains(&key.as_str()));
    if let Some(key) = unknown.filter(|_| !is_file) {
        let near = did_you_mean(key, names.iter().copied());
        let message = format!(
            "`{key}` is not a tuned parameter{near} (tuned are: {})",
            names.join(", ")
        );
        return Err(FieldError::new([key], message));
    }
    let mut point = Vec::new();
    for parameter in space.parameters() {
        let given = values.get(&parameter.name).filter(|_| !parameter.fixed);
        let value = *given.unwrap_or(&parameter.start);
        let (min, max) = (parameter.min, parameter.max);
        if !parameter.fixed && !(min..=max).contains(&value) {
            let [value, min, max] = [value, min, max].map(Short);
            let message = format!("`{}` is {value}: from {min} to {max}", parameter.name);
            return Err(FieldError::new([&parameter.name], message));
        }
        if parameter.integer && value.fract() != 0.0 {
            let message = format!("`{}` is {value}: a whole number", parameter.name);
            return Err(FieldError::new([&parameter.name], message));
        }
        point.push(value);
    }
    Ok(point)
}

/// The error of a file that a key names.
fn at(error: ConfigError, path: &[&str]) -> Unresolved {
    Unresolved::of_file(error, |message| {
        FieldError::new(path.iter().copied(), message)
    })
}
