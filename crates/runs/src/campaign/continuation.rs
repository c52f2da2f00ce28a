//! More budget for a campaign: a search that has ended goes on in its tables, and its results so far are kept as an
//! earlier look at the search.
//!
//! The search depends on what it has played, never on its budget. So it goes on as if it had had the larger budget from
//! the start. The results come from fresh hold-out games, and their intervals are wider for each look, because whoever
//! saw the earlier ones decided to go on (see [`looks`](tiletune_tuning::stats::looks)).

use super::event::{self, Event, SearchEnd};
use super::generations::CampaignSearch;
use super::recommendation::VALIDATION;
use crate::config::Source;
use crate::config::campaign::Campaign;
use crate::inventory;
use crate::run::kind::with_article;
use crate::run::shell::quoted;
use crate::run::{Run, RunDirectory, RunError, Session, StoreError};
use tiletune_engine::stop::Stop;
use tiletune_report::number::{count, grouped, several};
use tiletune_tuning::Catalogue;
use tiletune_tuning::stats::looks::MOST_LOOKS;

/// Replaces the budget of a campaign by that of a setting such as `budget={games=20000}`. It counts the whole search:
/// what is already played is part of it. After that the run can be executed like an interrupted one.
///
/// # Errors
/// If the run is not a campaign of its own, its search has ended by a rule of its optimizer, the budget allows no further
/// generation, or a file is damaged or cannot be written. The results of the run then stay as they are.
pub fn continue_with(
    catalogue: &Catalogue,
    run: &mut Run,
    session: Session,
    budget: String,
) -> Result<(), RunError> {
    let directory = run.directory();
    check_kind(directory)?;
    inventory::note_move(directory.root(), catalogue.programs());
    let source = Source::read(&directory.resolved_path())?.with_settings(&[budget])?;
    let mut campaign = Campaign::resolve_with(catalogue, &source, directory.root())?;
    let search = CampaignSearch::open(&campaign, directory, Stop::never())?;
    if let Some(reason) = search.ends_now() {
        let mut reason = why_not(&search, &reason);
        if !run.is_complete() {
            let run = quoted(&directory.root().to_string_lossy());
            reason +=
                &format!(". `tiletune resume {run}` goes on with the budget that the run has");
        }
        return Err(StoreError::unusable(directory.root(), reason).into());
    }
    let has_ended = event::search_ended(search.events.written()).is_some();
    let generations = search.generations;
    if has_ended && is_seen(directory) {
        campaign.config.validation.look = next_look(&campaign, directory)?;
    }
    // From here on a killed run goes on with the new budget.
    run.resume_with(&campaign, session)?;
    if has_ended {
        let look = campaign.config.validation.look;
        let mut events = event::open(run.directory(), generations, look)?;
        events.record(Event::Continued { generations, look })?;
        run.directory().remove_results()?;
    }
    Ok(())
}

fn check_kind(directory: &RunDirectory) -> Result<(), RunError> {
    let kind = directory.manifest()?.kind;
    let reason = if kind != Campaign::KIND.name {
        format!(
            "this is {}: only a campaign goes on with more budget. In other runs the number of games is part of what \
             they compare, so begin a new one",
            with_article(&kind)
        )
    } else if directory.is_child()? {
        "this campaign is a part of another run, whose results need all of its budgets as they are: begin a campaign \
         of its own"
            .to_owned()
    } else {
        return Ok(());
    };
    Err(StoreError::unusable(directory.root(), reason).into())
}

/// Whether somebody can have seen hold-out games of the tuned weights.
fn is_seen(directory: &RunDirectory) -> bool {
    directory.part(VALIDATION).exists() || directory.hold_out_part("tuned").exists()
}

/// Number of the next look.
fn next_look(campaign: &Campaign, directory: &RunDirectory) -> Result<u32, StoreError> {
    let look = campaign.config.validation.look;
    if look == MOST_LOOKS {
        let reason = format!(
            "its weights were compared {MOST_LOOKS} times on hold-out games, which is the most: begin a new campaign"
        );
        return Err(StoreError::unusable(directory.root(), reason));
    }
    Ok(look + 1)
}

/// Why the search cannot go on with this budget.
fn why_not(search: &CampaignSearch, reason: &SearchEnd) -> String {
    let games = search.games + u64::from(search.start_games());
    let next = search.games_next();
    let whole = "The budget counts the whole search";
    match reason {
        SearchEnd::Generations => format!(
            "the search has {} already. {whole}: give more",
            several(search.generations, "complete generation")
        ),
        SearchEnd::Games => format!(
            "the search has played {} already, and its next generation has {}. {whole}: give more, for example {}",
            several(games, "game"),
            count(next),
            count(2 * (games + next))
        ),
        SearchEnd::Minutes => format!(
            "the search has taken {} minutes already. {whole}: give more",
            grouped(search.seconds / 60.0, 1)
        ),
        SearchEnd::Target | SearchEnd::Optimizer(_) => {
            let root = search.directory.root();
            // A relative path would be relative to the campaign file.
            let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
            format!(
                "the search has ended after {} because {reason}, so more budget does not continue it. To search \
                 further, begin a new campaign from its weights, with `--set {}`",
                several(search.generations, "generation"),
                quoted(&format!("start.weights={}", root.display()))
            )
        }
    }
}
