//! More budget for a campaign, or an early end: a search that has ended goes on in its tables, and its results so far are
//! kept as an earlier look at the search; a search that was interrupted ends with what it has.
//!
//! The search depends on what it has played, never on its budget. So it goes on as if it had had the larger budget from
//! the start. The results come from fresh hold-out games, and their intervals are wider for each look, because whoever
//! saw the earlier ones decided to go on (see [`looks`](tiletune_tuning::stats::looks)).

use super::event::{Event, SearchEnd};
use super::event_log;
use super::generations::CampaignSearch;
use super::start_games;
use crate::config::Source;
use crate::config::campaign::{Budget, Campaign, Limits};
use crate::inventory;
use crate::run::kind::with_article;
use crate::run::shell::quoted;
use crate::run::{Run, RunDirectory, RunError, Session, StoreError, VALIDATION, plan_of_with};
use tiletune_engine::stop::Stop;
use tiletune_report::number::{compact, count, several};
use tiletune_tuning::Catalogue;
use tiletune_tuning::stats::looks::MOST_LOOKS;

/// Adds limits to the budget of a campaign. They count the whole search: what is already played is part of it. A limit of
/// the campaign that is not given stays, unless the search has reached it. After that the run can be executed like an
/// interrupted one. Returns a sentence about each limit that no longer applies, and about what does not follow the budget.
///
/// # Errors
/// If the run is not a campaign of its own, its search has ended by a rule of its optimizer, the budget allows no further
/// generation, or a file is damaged or cannot be written. The results of the run then stay as they are.
pub fn continue_with(
    catalogue: &Catalogue,
    run: &mut Run,
    session: Session,
    limits: Limits,
) -> Result<Vec<String>, RunError> {
    let directory = run.directory();
    let only = "goes on with more budget. In other runs the number of games is part of what they compare, so begin a new \
                one";
    check_kind(directory, only)?;
    inventory::note_move(directory.root(), catalogue.programs());
    let resolved = Source::read(&directory.resolved_path())?;
    let before = Campaign::resolve_with(catalogue, &resolved, directory.root())?;
    let had_generations = before.config.budget.generations.is_some();
    let source = limits.added_to(resolved)?;
    let mut campaign = Campaign::resolve_with(catalogue, &source, directory.root())?;
    let search = CampaignSearch::open(&campaign, directory, Stop::never())?;
    let stops = search.optimizer.stop_reason().map(SearchEnd::Optimizer);
    let (old, given): (Vec<SearchEnd>, Vec<SearchEnd>) = search
        .reached_limits()
        .partition(|reached| !is_given(limits, reached));
    if let Some(reason) = stops.or(given.into_iter().next()) {
        let mut reason = why_not(&search, &reason);
        if !run.is_complete() {
            let run = quoted(&directory.root().to_string_lossy());
            reason += &format!(
                ". `tiletune resume {run}` goes on with the budget that the run has, and with --finish it ends the search \
                 now"
            );
        }
        return Err(StoreError::unusable(directory.root(), reason).into());
    }
    let has_ended = event_log::search_ended(search.events.written()).is_some();
    let generations = search.generations;
    let mut told = drop_limits(&mut campaign.config.budget, &old);
    told.extend(kept_options(&campaign, had_generations));
    if has_ended && is_seen(directory) {
        campaign.config.validation.look = next_look(&campaign, directory)?;
    }
    // From here on a killed run goes on with the new budget.
    run.resume_with(&campaign, session)?;
    if has_ended {
        let look = campaign.config.validation.look;
        let mut events = event_log::open(run.directory(), generations, look)?;
        events.record(Event::Continued { generations, look })?;
        run.directory().remove_results(look > 1)?;
    }
    Ok(told)
}

/// A sentence about each option of the optimizer whose default is another one with the new kind of budget. The search keeps
/// what it began with, because it cannot begin again.
fn kept_options(campaign: &Campaign, had_generations: bool) -> Vec<String> {
    let config = &campaign.config;
    if config.budget.generations.is_some() == had_generations {
        return Vec::new();
    }
    let of_generations = campaign.optimizer.of_generations.iter();
    let kept = of_generations.filter_map(|(key, value)| {
        let given = config.optimizer.options.get(*key)?.as_str()?;
        ((given == *value) == had_generations).then(|| {
            format!(
                "the search keeps `optimizer.{key}` = \"{given}\", with which it began; the default with this kind of budget is \
                 another"
            )
        })
    });
    kept.collect()
}

/// Ends the search of an interrupted campaign after its complete generations. After that the run can be executed like an
/// interrupted one: it plays the race and the hold-out games. A search that has ended stays as it is.
///
/// # Errors
/// If the run is not a campaign of its own, it has no complete generation, or a file is damaged or cannot be written.
pub fn end_search(catalogue: &Catalogue, run: &Run) -> Result<(), RunError> {
    let directory = run.directory();
    let only = "can be ended before its budget is used up. In other runs the number of games is part of what they compare";
    check_kind(directory, only)?;
    let campaign: Campaign = plan_of_with(catalogue, directory)?;
    let mut search = CampaignSearch::open(&campaign, directory, Stop::never())?;
    let generations = search.generations;
    if generations == 0 {
        let reason =
            "the search has no complete generation, so there are no tuned weights to compare";
        return Err(StoreError::unusable(directory.root(), reason).into());
    }
    let ended = event_log::search_ended(search.events.written());
    if ended.is_none_or(|(after, _)| after != generations) && search.ends_now().is_none() {
        search.events.record(Event::SearchEnded {
            generations,
            reason: SearchEnd::Asked,
        })?;
    }
    Ok(())
}

/// Whether the command line gives the limit that this is the end by.
fn is_given(limits: Limits, end: &SearchEnd) -> bool {
    match end {
        SearchEnd::Generations => limits.generations.is_some(),
        SearchEnd::Games => limits.games.is_some(),
        SearchEnd::Minutes => limits.minutes.is_some(),
        SearchEnd::Target | SearchEnd::Asked | SearchEnd::Optimizer(_) => false,
    }
}

/// Removes limits that a search has reached from its budget. Returns a sentence about each.
fn drop_limits(budget: &mut Budget, reached: &[SearchEnd]) -> Vec<String> {
    let dropped = reached.iter().filter_map(|end| {
        let (name, value) = match end {
            SearchEnd::Generations => ("generations", count(budget.generations.take()?)),
            SearchEnd::Games => ("games", count(budget.games.take()?)),
            SearchEnd::Minutes => ("minutes", compact(budget.minutes.take()?)),
            SearchEnd::Target => ("target", compact(budget.target.take()?)),
            SearchEnd::Asked | SearchEnd::Optimizer(_) => return None,
        };
        Some(format!(
            "the limit `{name}` of the budget, {value}, is reached and no longer applies"
        ))
    });
    dropped.collect()
}

/// Fails if a run is not a campaign of its own. `only` is what only such a campaign does.
fn check_kind(directory: &RunDirectory, only: &str) -> Result<(), RunError> {
    let kind = directory.manifest()?.kind;
    let reason = if kind != Campaign::KIND.name {
        format!("this is {}: only a campaign {only}", with_article(&kind))
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
    let start = start_games::recorded(search.campaign, search.directory);
    let start = start.ok().flatten().map_or(0, |games| games.len() as u64);
    let games = search.games + start;
    // The larger budget has further games of the start weights.
    let to_come = u64::from(search.start_games()).saturating_sub(start);
    let next = search.games_next();
    let whole = "The budget counts the whole search";
    match reason {
        SearchEnd::Generations => format!(
            "the search has {} already. {whole}: give more",
            several(search.generations, "complete generation")
        ),
        SearchEnd::Games => format!(
            "the search has played {}, and to go on it needs {} more{}. {whole}: give more, for example {}",
            several(games, "game"),
            count(to_come + next),
            match search.race_games() {
                0 => String::new(),
                race => format!(", and {} are kept for its race", count(race)),
            },
            // With the fewest games of the start weights that a budget of games has.
            count(2 * (games + to_come + next) + 20)
        ),
        SearchEnd::Minutes => format!(
            "the search has taken {} minutes already. {whole}: give more",
            compact(search.seconds / 60.0)
        ),
        SearchEnd::Target | SearchEnd::Asked | SearchEnd::Optimizer(_) => {
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
