//! The report of `tune --prune`: which terms can go.

use super::block::{Block, Table, figures};
use super::with_interval;
use crate::chart::{Rendered, Section};
use crate::number::{compact, count};
use tiletune_tuning::results::pruning::{PruneStep, Pruned};

/// The whole report.
pub fn report(pruned: &Pruned, drawn: &[Rendered]) -> Vec<Block> {
    let Pruned {
        game,
        player,
        objective,
        ..
    } = pruned;
    let mut blocks = vec![
        Block::Note(format!("{game}, {player}; objective: {objective}")),
        Block::Verdict(sentence(pruned)),
    ];
    blocks.extend(figures(drawn, Section::Results));
    blocks.extend(table(pruned).block());
    blocks.push(Block::Note(format!(
        "Each step leaves out the term that mattered least in the search before it, tunes the rest again, and plays {} fresh \
         games with these weights and with all terms, on the same seeds. The first step whose interval is below 0 ends it. \
         “No loss is shown” is not “no loss”: the lower end of the interval says how large it can be. A step \
         without a loss shows one by luck in about 2.5 % of cases.",
        count(pruned.games)
    )));
    blocks
}

/// The result in a few sentences.
fn sentence(pruned: &Pruned) -> String {
    let all = count(pruned.terms);
    let loss = pruned.steps.iter().find(|step| step.is_loss());
    let needed = loss.map(|step| {
        let too = if pruned.smallest().is_some() {
            ", too,"
        } else {
            ""
        };
        format!(" Without `{}`{too} fresh games show a loss.", step.dropped)
    });
    let needed = needed.unwrap_or_default();
    match pruned.smallest() {
        None if loss.is_some() => {
            format!(
                "All {all} terms stay.{needed} It seemed to matter least, so no other was left out."
            )
        }
        None => format!("No step is complete yet: all {all} terms are there."),
        Some(step) => {
            let gone = pruned.steps.iter().take_while(|one| !one.is_loss());
            let gone: Vec<String> = gone.map(|one| format!("`{}`", one.dropped)).collect();
            format!(
                "{} of {all} terms are enough: without {} no loss is shown ({}: {} with all terms, {} without; difference {}). \
                 The weights are those of the run `{}`.{needed}",
                count(step.terms),
                gone.join(", "),
                pruned.objective,
                compact(step.full),
                compact(step.value),
                with_interval(&step.difference, decimals(step)),
                step.run
            )
        }
    }
}

/// Decimals of a difference: none of scores, four of shares and points.
fn decimals(step: &PruneStep) -> usize {
    if step.full.abs() < 10.0 { 4 } else { 0 }
}

fn table(pruned: &Pruned) -> Table {
    let row = |step: &PruneStep| {
        vec![
            ("left out", step.dropped.clone()),
            ("terms left", count(step.terms)),
            ("score", compact(step.value)),
            ("with all terms", compact(step.full)),
            (
                "difference (95 %)",
                with_interval(&step.difference, decimals(step)),
            ),
            ("verdict", step.difference.verdict.name().replace('-', " ")),
            ("run", step.run.clone()),
        ]
    };
    Table::new("Terms, left out one by one", pruned.steps.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_tuning::results::example;

    #[test]
    fn the_smallest_heuristic_without_a_shown_loss_is_named() {
        let mut pruned = example::pruned();
        let said = sentence(&pruned);
        assert!(
            said.starts_with("5 of 6 terms are enough: without `smoothness` no loss is shown"),
            "{said}"
        );
        assert!(
            said.ends_with("Without `merges`, too, fresh games show a loss."),
            "{said}"
        );
        pruned.steps.remove(0);
        assert_eq!(
            sentence(&pruned),
            "All 6 terms stay. Without `merges` fresh games show a loss. It seemed to matter least, so no other was left out."
        );
        pruned.steps.clear();
        assert_eq!(
            sentence(&pruned),
            "No step is complete yet: all 6 terms are there."
        );
        assert_eq!(report(&pruned, &[]).len(), 3);
    }
}
