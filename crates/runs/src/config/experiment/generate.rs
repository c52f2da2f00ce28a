//! Rows that are computed from the terms of a player: each term alone, each term left out, and a path from one set of
//! weights to another. `sensitivity` computes the rows in which one parameter is moved.
//!
//! The terms are those of the registry. A term with weight 0 has no effect and gets no row. Constants keep their values
//! when terms are switched off; a path changes them like terms.

use super::place::RowPlace;
use super::{GenerateConfig, RowConfig, RowKind, RowRetune, retune, sensitivity};
use crate::config::document::Unresolved;
use crate::config::heuristic_file::HeuristicConfig;
use crate::config::weights_file::{DEPENDENT, are_dependent};
use tiletune_engine::field_error::FieldError;
use tiletune_engine::heuristic::Parameter;
use tiletune_engine::heuristic::terms::{Term, complete, terms, with_weight};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::{self, PlayerEntry};
use tiletune_engine::suggestion::did_you_mean;

/// Headings of the rows.
const ALONE: &str = "each term alone";
const LEFT_OUT: &str = "each term left out";
const PATH: &str = "one term after the other";
const MOVED: &str = "one parameter moved";

/// The rows of a `[[generate]]` table.
///
/// # Errors
/// With the place of the first error in the table.
pub(super) fn rows(asked: &GenerateConfig, place: RowPlace) -> Result<Vec<RowConfig>, Unresolved> {
    let player = place.player(asked.player.as_ref(), asked.heuristic.as_ref())?;
    let entry = player.entry;
    check_keys(asked, entry, place)?;
    let path = asked
        .weights
        .as_ref()
        .map(|path| place.file.folder.join(path));
    if asked.kind != RowKind::Path && path.is_some_and(|path| are_dependent(&path)) {
        let message = format!("the {DEPENDENT}");
        return Err(place.error(&["weights"], message).into());
    }
    let (player, weights) = place.weights("weights", asked.weights.as_deref(), &player)?;
    let parameters = player.parameters();
    let generator = Generator {
        asked,
        entry,
        place,
        player: player.without_heuristic().config(),
        heuristic: HeuristicConfig::of(&player),
        weights: complete(&weights, &parameters),
        terms: terms(&parameters),
        parameters: &parameters,
    };
    match asked.kind {
        RowKind::EachAlone => Ok(generator.each_alone()?),
        RowKind::EachLeftOut => Ok(generator.each_left_out()?),
        RowKind::Path => {
            let (_, to) = place.weights("to", asked.to.as_deref(), &player)?;
            Ok(generator.path(&complete(&to, &parameters))?)
        }
        RowKind::Sensitivity => Ok(generator.moved()?),
    }
}

/// Checks the keys that only some kinds of rows have.
fn check_keys(
    asked: &GenerateConfig,
    entry: &PlayerEntry,
    place: RowPlace,
) -> Result<(), FieldError> {
    if !entry.has_weights() {
        let message = format!("player `{}` has no weights", entry.name);
        return Err(place.error(&["player"], message));
    }
    if asked.kind == RowKind::Path && asked.to.is_none() {
        return Err(place.error(&[], "a path needs `to`: the weights file where it ends"));
    }
    let only = |key, is_given: bool, kind: RowKind| {
        if is_given && asked.kind != kind {
            Err(place.error(&[key], format!("only for kind = \"{}\"", kind.name())))
        } else {
            Ok(())
        }
    };
    only("to", asked.to.is_some(), RowKind::Path)?;
    only(
        "alone_weight",
        asked.alone_weight.is_some(),
        RowKind::EachAlone,
    )?;
    only(
        "parameters",
        asked.parameters.is_some(),
        RowKind::Sensitivity,
    )?;
    only("retune", asked.retune, RowKind::EachLeftOut)?;
    only("factors", asked.factors.is_some(), RowKind::Sensitivity)?;
    if asked.kind == RowKind::Sensitivity && asked.terms.is_some() {
        let message = "not for kind = \"sensitivity\", which has `parameters`";
        return Err(place.error(&["terms"], message));
    }
    match asked.alone_weight {
        Some(weight) if !weight.is_finite() || weight == 0.0 => Err(place.error(
            &["alone_weight"],
            format!("alone_weight {weight} is out of range: any finite number but 0"),
        )),
        _ => Ok(()),
    }
}

struct Generator<'a> {
    asked: &'a GenerateConfig,
    entry: &'static PlayerEntry,
    place: RowPlace<'a>,
    player: player::PlayerConfig,
    heuristic: Option<HeuristicConfig>,
    /// The start weights, with a value for every parameter.
    weights: Weights,
    /// Terms and constants of the player.
    terms: Vec<Term>,
    parameters: &'a [Parameter],
}

impl Generator<'_> {
    fn each_alone(&self) -> Result<Vec<RowConfig>, FieldError> {
        let terms = self.terms.iter().filter(|term| term.can_be_off);
        let none = with_weight(&self.weights, terms, 0.0, self.parameters);
        let mut rows = vec![self.row("no term", ALONE, &none, None)];
        let is_usable =
            |term: &Term| self.asked.alone_weight.is_some() || term.is_on(&self.weights);
        for term in self.chosen(|term| term.can_be_off && is_usable(term))? {
            let weights = match self.asked.alone_weight {
                Some(weight) => self.with(&none, term, weight),
                None => term.taken(&none, &self.weights, self.parameters),
            };
            let name = format!("only {}", term.name);
            rows.push(self.row(&name, ALONE, &weights, Some("no term")));
        }
        Ok(rows)
    }

    fn each_left_out(&self) -> Result<Vec<RowConfig>, FieldError> {
        let all = self.row("all terms", LEFT_OUT, &self.weights, None);
        let mut rows = self.with_retuned(all, &self.weights, None)?;
        for term in self.chosen(|term| term.can_be_off && term.is_on(&self.weights))? {
            let weights = self.with(&self.weights, term, 0.0);
            let name = format!("without {}", term.name);
            let row = self.row(&name, LEFT_OUT, &weights, Some("all terms"));
            rows.extend(self.with_retuned(row, &weights, Some(term))?);
        }
        Ok(rows)
    }

    /// A row. If the table requests it, also the rows in which it is tuned again, one for each seed.
    fn with_retuned(
        &self,
        row: RowConfig,
        weights: &Weights,
        without: Option<&Term>,
    ) -> Result<Vec<RowConfig>, FieldError> {
        let file = self.place.file;
        if !self.asked.retune {
            return Ok(vec![row]);
        }
        let parameters = retune::tuned(&file.retune, weights, without, self.parameters)?;
        let retuned = file.retune_seeds.iter().map(|&seed| {
            let suffix = match file.retune_seeds.len() {
                1 => "(retuned)".to_owned(),
                _ => format!("(retuned, seed {seed})"),
            };
            RowConfig {
                name: format!("{} {suffix}", row.name),
                baseline: Some(self.prefixed("all terms")),
                retune: Some(RowRetune {
                    of: row.name.clone(),
                    seed,
                    parameters: parameters.clone(),
                }),
                ..row.clone()
            }
        });
        let retuned: Vec<RowConfig> = retuned.collect();
        Ok([vec![row], retuned].concat())
    }

    fn path(&self, to: &Weights) -> Result<Vec<RowConfig>, FieldError> {
        let differs = |term: &Term| !term.values_in(&self.weights).eq(term.values_in(to));
        let mut rows = vec![self.row("start", PATH, &self.weights, None)];
        let mut weights = self.weights.clone();
        for term in self.chosen(differs)? {
            weights = term.taken(&weights, to, self.parameters);
            let before = rows.last().map(|row| row.name.clone());
            let name = format!("+ {}", term.name);
            rows.push(RowConfig {
                baseline: before,
                ..self.row(&name, PATH, &weights, None)
            });
        }
        let is_missing = |term: &&Term| !term.values_in(&weights).eq(term.values_in(to));
        if let Some(missing) = self.terms.iter().find(is_missing) {
            let message = format!(
                "the path does not reach the weights of `to`: `{}` also differs",
                missing.name
            );
            return Err(self.place.error(&["terms"], message));
        }
        Ok(rows)
    }

    fn moved(&self) -> Result<Vec<RowConfig>, FieldError> {
        let mut rows = vec![self.row("unmoved", MOVED, &self.weights, None)];
        let moves = sensitivity::moves(self.asked, &self.weights, self.parameters);
        for moved in moves.map_err(|error| self.place.within(error))? {
            let change = [(moved.parameter.as_str(), moved.value)];
            let weights = self.weights.with(change, self.parameters);
            let weights = weights.map_err(|error| self.place.error(&["factors"], error.message))?;
            rows.push(RowConfig {
                moved: Some(moved.parameter),
                ..self.row(&moved.name, MOVED, &weights, Some("unmoved"))
            });
        }
        Ok(rows)
    }

    /// The terms that get rows: those of the table, or by default all `usable` ones.
    fn chosen(&self, usable: impl Fn(&Term) -> bool) -> Result<Vec<&Term>, FieldError> {
        let wrong = |message: String| Err(self.place.error(&["terms"], message));
        let player = self.entry.name;
        let Some(names) = &self.asked.terms else {
            let chosen: Vec<&Term> = self.terms.iter().filter(|term| usable(term)).collect();
            if chosen.is_empty() {
                return Err(self.place.error(&["kind"], self.nothing_to_take()));
            }
            return Ok(chosen);
        };
        let mut chosen = Vec::new();
        for name in names {
            let Some(term) = self.terms.iter().find(|term| term.name == *name) else {
                let known = self.terms.iter().map(|term| term.name.as_str());
                let near = did_you_mean(name, known);
                return wrong(format!("player `{player}` has no term `{name}`{near}"));
            };
            if chosen.contains(&term) {
                return wrong(format!("term `{name}` is named twice"));
            }
            if self.asked.kind != RowKind::Path && !term.can_be_off {
                return wrong(format!(
                    "`{name}` is not a term that can be switched off: it has no neutral value"
                ));
            }
            if !usable(term) {
                return wrong(match self.asked.kind {
                    RowKind::Path => format!("`{name}` is the same in both weights"),
                    _ => format!("the weight of `{name}` is 0: it makes no difference"),
                });
            }
            chosen.push(term);
        }
        Ok(chosen)
    }

    /// The message if no term is usable.
    fn nothing_to_take(&self) -> String {
        let player = self.entry.name;
        if self.asked.kind == RowKind::Path {
            return "both weights are equal: there is no path".into();
        }
        if self.terms.iter().any(|term| term.can_be_off) {
            return format!("all terms of player `{player}` have weight 0 in these weights");
        }
        let constants: Vec<&str> = self.terms.iter().map(|term| term.name.as_str()).collect();
        format!(
            "player `{player}` has no terms that can be switched off: {} have no neutral value",
            constants.join(" and ")
        )
    }

    fn with(&self, weights: &Weights, term: &Term, weight: f64) -> Weights {
        with_weight(weights, [term], weight, self.parameters)
    }

    fn row(&self, name: &str, group: &str, weights: &Weights, baseline: Option<&str>) -> RowConfig {
        RowConfig {
            name: self.prefixed(name),
            player: Some(self.player.clone()),
            heuristic: self.heuristic.clone(),
            games: self.asked.games,
            values: weights.to_map(),
            baseline: baseline.map(|name| self.prefixed(name)),
            group: Some(self.prefixed(group)),
            ..RowConfig::default()
        }
    }

    /// A text with the prefix of the table.
    fn prefixed(&self, text: &str) -> String {
        match &self.asked.name {
            Some(name) => format!("{name}: {text}"),
            None => text.to_owned(),
        }
    }
}
