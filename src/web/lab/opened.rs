//! The parameters that a page can change, and the check of a file.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::setting::{Setting, Unusable};
use crate::config::ConfigError;
use crate::heuristic::terms::{Term, terms};
use crate::heuristic::{Parameter, Role, Scale};
use crate::web::app::App;
use crate::web::lab_state::Prepared;
use crate::web::refusal::Refusal;
use crate::web::request::Body;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenRequest {
    setting: Setting,
}

/// The parameters of a heuristic, or what is wrong with its file.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Opened {
    /// Its parameters, in their order; none if the file has a mistake.
    parameters: Vec<LabParameter>,
    /// The text of the heuristic in a file; null for the player's own terms.
    heuristic: Option<String>,
    /// The mistake in the file of the page; null if it can be used.
    mistake: Option<Mistake>,
}

/// A parameter to change.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct LabParameter {
    /// Its key in files.
    key: String,
    /// What it does.
    about: String,
    /// Name of its term.
    term: String,
    /// `weight`, `power` (inside of a term) or `constant`.
    role: &'static str,
    /// Its value to begin with.
    value: f64,
    /// Lower end of the slider.
    min: f64,
    /// Upper end of the slider.
    max: f64,
    /// Whether the slider is logarithmic.
    is_logarithmic: bool,
    /// Whether it is a whole number.
    is_whole: bool,
    /// Whether its term has an effect with the weights to begin with.
    is_on: bool,
}

/// A mistake in a file, as the command line reports it.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::web) struct Mistake {
    /// What is wrong and what is allowed.
    message: String,
    /// A suggestion; null if there is none.
    help: Option<String>,
    /// The line, counted from 1; null without a place.
    line: Option<usize>,
    /// The character of the line, counted from 1.
    column: Option<usize>,
    /// Number of characters of the wrong part.
    length: Option<usize>,
}

pub(super) async fn open(
    State(app): State<Arc<App>>,
    Body(request): Body<OpenRequest>,
) -> Result<Json<Opened>, Refusal> {
    let shared = Arc::clone(&app);
    // To check a heuristic takes as long as a search.
    let opened = app.searches.run(app.closing.clone(), move |_| {
        match request.setting.prepared(&shared) {
            Ok(prepared) => {
                // A weight that no table can hold is refused here, and not at the first move of a slider.
                request.setting.built(&shared)?;
                Ok(Some(fine(&prepared)))
            }
            Err(Unusable::Mistake(error)) => Ok(Some(Opened {
                parameters: Vec::new(),
                heuristic: None,
                mistake: Some(Mistake::of(&error)),
            })),
            Err(Unusable::Refused(refusal)) => Err(refusal),
        }
    });
    opened.await.map(Json)
}

fn fine(prepared: &Prepared) -> Opened {
    let parameters = prepared.spec.parameters();
    let terms = terms(&parameters);
    let own = parameters.iter().filter_map(|parameter| {
        // Either the parameter for all lines, or those of outer and inner lines.
        let value = prepared.weights.get(&parameter.key)?;
        let term = terms.iter().find(|term| term.has(&parameter.key))?;
        Some(served(parameter, value, term, prepared))
    });
    let heuristic = prepared.spec.extension();
    let heuristic = heuristic.and_then(|heuristic| toml::to_string(heuristic.table()).ok());
    Opened {
        parameters: own.collect(),
        heuristic,
        mistake: None,
    }
}

fn served(parameter: &Parameter, value: f64, term: &Term, prepared: &Prepared) -> LabParameter {
    LabParameter {
        key: parameter.key.clone(),
        about: parameter.about().into_owned(),
        term: term.name.clone(),
        role: match parameter.role {
            Role::Weight => "weight",
            Role::Power => "power",
            Role::Constant | Role::Setting => "constant",
        },
        value,
        // A value outside of the suggested bounds stays where it is.
        min: parameter.min.min(value),
        max: parameter.max.max(value),
        is_logarithmic: parameter.scale == Scale::Log && value > 0.0,
        is_whole: parameter.integer,
        is_on: !term.can_be_off || term.is_on(&prepared.weights),
    }
}

impl Mistake {
    fn of(error: &ConfigError) -> Self {
        let message = error.to_string();
        let ConfigError::Mistake {
            source_code,
            span,
            help,
            ..
        } = error
        else {
            return Mistake {
                message,
                help: None,
                line: None,
                column: None,
                length: None,
            };
        };
        let text = source_code.inner().as_str();
        let at = |byte: usize| text.floor_char_boundary(byte.min(text.len()));
        let (start, end) = (at(span.offset()), at(span.offset() + span.len()));
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        Mistake {
            message,
            help: help.clone(),
            line: Some(text[..start].matches('\n').count() + 1),
            column: Some(text[line_start..start].chars().count() + 1),
            length: Some(text[start..end].chars().count()),
        }
    }
}
