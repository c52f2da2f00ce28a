//! The report of a campaign: the verdict on its weights, the stages of its search, hold-out games, parameters,
//! generations.

use super::block::{Block, Table, figures, paragraphs};
use super::{confidence, deeper, glossary, importance, search, sentence, settings};
use crate::chart::{Rendered, Section};
use crate::number::{as_power, compact, count, grouped, percent};
use crate::parameters::by_change;
use tiletune_engine::heuristic::Scale;
use tiletune_tuning::results::importance::ParameterImportance;
use tiletune_tuning::results::{
    Diagnostic, ExactScores, GameSummary, GenerationRow, ObjectiveComparison, Outcomes, Parameter,
    RunData, Selection, Validation, Verdict,
};
use tiletune_tuning::stats::games::share;

/// Reports of longer runs show only the first and the last generations.
const MOST_GENERATIONS: usize = 20;
const LAST_GENERATIONS: usize = 10;

/// The full report of a page: first what a reader wants to know, last what only some want to know.
pub fn report(data: &RunData, drawn: &[Rendered]) -> Vec<Block> {
    let mut blocks = vec![player(data)];
    blocks.extend(paragraphs(&data.why));
    blocks.push(Block::Verdict(sentence(data)));
    blocks.extend(plainly(data));
    blocks.extend(figures(drawn, Section::Results));
    blocks.extend(parameters(data).block());
    blocks.extend(figures(drawn, Section::Search));
    blocks.extend(hold_out_tables(data));
    blocks.extend(earlier(data).block());
    if drawn.is_empty() {
        blocks.push(Block::Text("There is nothing to draw yet.".to_owned()));
    }
    let mut search = about_search(data);
    search.extend(effects(data).block());
    search.extend(generations(data).block());
    search.extend(figures(drawn, Section::Details));
    blocks.extend(Block::details(HOW, search));
    blocks.extend(glossary::words(glossary::OF_SEARCH));
    let commands = data.unmeasured.map(|one| deeper::command(one, "RUN"));
    blocks.extend(files(true, commands));
    blocks.extend(facts(data));
    blocks
}

/// The title of the details.
const HOW: &str = "How the search went";

/// The results, which a terminal shows, too.
pub fn results(data: &RunData) -> Vec<Block> {
    let mut blocks = vec![Block::Verdict(sentence(data))];
    blocks.extend(plainly(data));
    blocks.extend(hold_out_tables(data));
    blocks.extend(parameters(data).block());
    blocks.extend(Block::details(HOW, about_search(data)));
    blocks
}

fn hold_out_tables(data: &RunData) -> impl Iterator<Item = Block> {
    let tables = at_settings(data).into_iter().chain(hold_out(data));
    let tables = tables.chain(deeper(data));
    tables.filter_map(Table::block)
}

pub(super) fn player(data: &RunData) -> Block {
    let RunData {
        game,
        player,
        objective,
        ..
    } = data;
    Block::Note(format!("{game}, {player}; objective: {objective}"))
}

/// The last generation of a search that has ended.
fn last(data: &RunData) -> Option<&GenerationRow> {
    data.generations.last().filter(|_| data.tuned.is_some())
}

fn selection(data: &RunData) -> Option<&Selection> {
    data.validation.as_ref()?.selection.as_ref()
}

/// The mean of a number that is minimised, in words.
pub(super) fn mean_loss(objective: &ObjectiveComparison) -> Option<String> {
    let loss = objective.loss.as_ref()?;
    Some(format!("mean {loss}"))
}

/// Whether the objective is a number that is minimised, as the hold-out games say.
pub(super) fn is_loss(data: &RunData) -> bool {
    let validation = data.validation.as_ref();
    validation.is_some_and(|validation| validation.objective.loss.is_some())
}

/// Sentences for everybody about a search that has ended: luck in training, games of a candidate, values at a bound,
/// what was noticed, and what is not measured.
pub fn plainly(data: &RunData) -> Vec<Block> {
    let last = last(data);
    let luck = last.zip(selection(data));
    let objective = data.validation.as_ref().map(|one| &one.objective);
    let sentences = [
        luck.zip(objective)
            .and_then(|((last, selection), objective)| {
                let is_few = objective.difference.verdict == Verdict::TooFewObservations;
                let error = (!is_few).then_some(objective.tuned_standard_error);
                let validation = data.validation.iter();
                let has_failed = validation
                    .flat_map(|one| [&one.start, &one.tuned])
                    .any(|games| games.failed() > 0);
                search::luck(selection, last, error, has_failed, is_loss(data))
            }),
        last.and_then(|_| search::games(&data.generations)),
    ];
    let at_bounds = data.at_bounds.iter().map(search::at_bound);
    let validation = data.validation.as_ref();
    let skipped = validation.map(|validation| deeper::skipped(&validation.deeper));
    let sentences = sentences.into_iter().flatten().chain(at_bounds);
    let sentences = sentences.chain(data.notices.iter().cloned());
    let sentences = sentences.chain(skipped.unwrap_or_default());
    let exact = validation.and_then(|validation| validation.exact.as_ref());
    let sentences = exact.map(exactly).into_iter().chain(sentences);
    let sentences = sentences.chain(importance::plainly(data));
    let settings = validation.and_then(|validation| settings::sentence(&validation.settings));
    (settings.into_iter())
        .chain(sentences)
        .chain(data.unmeasured.map(deeper::unmeasured))
        .map(Block::Text)
        .collect()
}

/// The exact expected scores, and their share of perfect play.
fn exactly(exact: &ExactScores) -> String {
    let share = |score: f64| grouped(100.0 * score / exact.perfect, 1);
    format!(
        "Exactly, without games: the tuned weights have {} points, {} % of perfect play ({}); the start weights have {}, {} %.",
        grouped(exact.tuned, 2),
        share(exact.tuned),
        grouped(exact.perfect, 2),
        grouped(exact.start, 2),
        share(exact.start)
    )
}

/// Sentences for statisticians about a search that has ended: its stages, its signal and noise.
pub(super) fn about_search(data: &RunData) -> Vec<Block> {
    let last = last(data);
    let sentences = [
        selection(data).map(|selection| search::selection(selection, is_loss(data))),
        last.and_then(search::signal),
        last.and_then(|_| search::first_steps(&data.generations)),
        data.importance.as_ref().map(importance::limits),
    ];
    sentences.into_iter().flatten().map(Block::Text).collect()
}

/// Tables of the start and tuned weights on the hold-out seeds.
pub(super) fn hold_out(data: &RunData) -> Vec<Table> {
    let Some(validation) = &data.validation else {
        return Vec::new();
    };
    let sets = [&validation.start, &validation.tuned];
    let is_capped = sets.iter().any(|set| set.capped() > Some(0));
    let objective = &validation.objective;
    let measure = mean_loss(objective).unwrap_or_else(|| validation.start.measure().to_owned());
    // Results that do not depend on the seed have no noise.
    let has_noise = sets.iter().any(|set| is_noisy(set));
    let mean = if has_noise {
        format!("{measure} ± standard error")
    } else {
        measure
    };
    let shown = |value| compact(objective.shown(value));
    let rows = sets.map(|set| {
        let error = set.error().filter(|_| has_noise).map(compact);
        let error = error.map_or_else(String::new, |error| format!(" ± {error}"));
        let mean_and_error = shown(set.mean) + &error;
        let mut row = vec![
            ("weights", set.weights.clone()),
            ("games", count(set.games)),
            (&mean, mean_and_error),
            ("median", shown(set.median)),
        ];
        match set.numbers() {
            Some(numbers) => row.extend(
                numbers
                    .iter()
                    .filter(|(name, _)| objective.loss.as_ref() != Some(*name))
                    .map(|(name, mean)| (name.as_str(), compact(*mean))),
            ),
            None => row.push(("moves a game", compact(set.mean_moves))),
        }
        if let Some(Outcomes {
            wins,
            draws,
            losses,
        }) = set.outcomes()
        {
            row.extend(
                [("won", wins), ("drawn", draws), ("lost", losses)]
                    .map(|(name, games)| (name, count(games))),
            );
        }
        if is_capped {
            let capped = set.capped().unwrap_or(0);
            row.push(("games at the board’s limit", count(capped)));
        }
        row
    });
    let title = if validation.settings.is_empty() {
        "Hold-out games"
    } else {
        "Hold-out games at all settings together"
    };
    vec![Table::new(title, rows), reached(sets)]
}

/// Whether the mean of games has an error beyond rounding.
fn is_noisy(set: &GameSummary) -> bool {
    let rounding = 1e-9 * set.mean.abs();
    set.error().is_some_and(|error| error > rounding)
}

/// Table of both at each setting of a player with several.
pub(super) fn at_settings(data: &RunData) -> Option<Table> {
    let validation = data.validation.as_ref()?;
    let table = Table::new("At each setting", settings::rows(&validation.settings));
    let level = confidence(validation.look_number());
    Some(table.noted(format!(
        "Mean score; all intervals hold together with {level} confidence."
    )))
}

/// Table of both at other search depths.
fn deeper(data: &RunData) -> Option<Table> {
    let validation = data.validation.as_ref()?;
    let name = &validation.objective.name;
    let table = Table::new("Other search depths", deeper::rows(&validation.deeper));
    Some(table.noted(format!("{name}; the first of the hold-out seeds.")))
}

/// The comparisons of the earlier looks at the search.
fn earlier(data: &RunData) -> Table {
    let row = |validation: &Validation| {
        let objective = &validation.objective;
        let difference = &objective.difference;
        let level = confidence(validation.look_number());
        let interval = objective.shown_interval().map(|ends| {
            let [low, high] = ends.map(compact);
            format!("{low} to {high} ({level})")
        });
        vec![
            ("look", count(validation.look_number())),
            ("start", compact(objective.shown(objective.start))),
            ("tuned", compact(objective.shown(objective.tuned))),
            ("tuned - start", compact(objective.shown(difference.mean))),
            ("interval", interval.unwrap_or("none".into())),
            ("verdict", difference.verdict.name().replace('-', " ")),
        ]
    };
    let note = "What the hold-out games showed before the search went on with more budget; each look had other games. \
                looks/ has the weights and games.";
    Table::new("Earlier looks at this search", data.earlier.iter().map(row)).noted(note)
}

/// The share of games that reached each tile or a larger one.
fn reached(sets: [&GameSummary; 2]) -> Table {
    let tiles = sets.iter().flat_map(|set| set.max_tile().keys());
    let mut tiles: Vec<u32> = tiles.copied().filter(|tile| *tile > 0).collect();
    tiles.sort_unstable();
    tiles.dedup();
    let row = |tile: &u32| {
        let power = as_power(*tile).map_or(String::new(), |power| format!(" = {power}"));
        let [start, tuned] = sets.map(|set| share_reaching(set, *tile));
        let tile = format!("{tile}{power}");
        vec![("tile", tile), ("start", start), ("tuned", tuned)]
    };
    let note =
        "Share of games whose largest tile was this one or a larger one, with 95 % interval.";
    Table::new("Tiles reached", tiles.iter().rev().map(row)).noted(note)
}

fn share_reaching(set: &GameSummary, tile: u32) -> String {
    let total: u32 = set.max_tile().values().sum();
    if total == 0 {
        return "–".to_owned();
    }
    let reached = share(set.reaching(tile), total, 1);
    let percent = [reached.share, reached.low, reached.high];
    let [share, low, high] = percent.map(|share| grouped(share * 100.0, 1));
    format!("{share} % ({low} to {high})")
}

/// Start and tuned value of every parameter, the most changed one first.
fn parameters(data: &RunData) -> Table {
    let row = |(index, parameter): (usize, &Parameter)| {
        let tuned = data.tuned.as_ref().and_then(|values| values.get(index));
        let is_category = !parameter.choices.is_empty();
        let scale = match parameter.scale {
            _ if parameter.fixed => "fixed",
            _ if is_category => "choices",
            Scale::Linear => "linear",
            Scale::Log => "log",
        };
        let bound = |bound| Some(compact(bound)).filter(|_| !parameter.fixed && !is_category);
        let shown = |value: f64| match parameter.choice(value) {
            Some(choice) => choice.to_owned(),
            None => compact(value),
        };
        vec![
            ("parameter", parameter.name.clone()),
            ("start", shown(parameter.start)),
            (
                "tuned",
                match tuned {
                    Some(_) if data.inactive.contains(&index) => "not active".to_owned(),
                    Some(value) => shown(*value),
                    None => "–".to_owned(),
                },
            ),
            ("min", bound(parameter.min).unwrap_or_default()),
            ("max", bound(parameter.max).unwrap_or_default()),
            ("scale", scale.to_owned()),
        ]
    };
    let rows = by_change(data).into_iter().map(row);
    let (title, order) = match data.tuned {
        Some(_) if rows.len() > 1 => (
            "Parameters, start and tuned",
            "The most changed one first. ",
        ),
        Some(_) => ("Parameters, start and tuned", ""),
        None => ("Parameters", ""),
    };
    let note = format!("{order}Rounded to four digits; tuned.toml holds the exact values.");
    Table::new(title, rows).noted(note)
}

/// How much each parameter matters, the most important one first.
fn effects(data: &RunData) -> Table {
    let all = data.importance.iter().flat_map(|all| &all.parameters);
    let row = |one: &ParameterImportance| {
        let [effect, interval, by_luck] = importance::cells(one);
        vec![
            ("parameter", data.parameters[one.index].name.clone()),
            ("change of the fitness", effect),
            ("95 % interval", interval),
            ("by luck", by_luck),
        ]
    };
    let note = "Over the middle four fifths of the values that the search tried. By luck: a parameter without any effect \
                exceeds this in 5 % of such searches.";
    Table::new("How much each parameter matters", all.map(row)).noted(note)
}

/// The generations; of many, the first and the last few.
fn generations(data: &RunData) -> Table {
    let all = &data.generations;
    let cells = |row| generation(data.diagnostics, row, is_loss(data));
    if all.len() <= MOST_GENERATIONS {
        return Table::new("Generations", all.iter().map(cells));
    }
    let first = cells(&all[0]);
    let gap = first.iter().map(|(name, _)| (*name, "⋮".to_owned()));
    let rows = [first.clone(), gap.collect()].into_iter();
    let last = all[all.len() - LAST_GENERATIONS..].iter().map(cells);
    Table::new("Generations", rows.chain(last)).noted(format!(
        "The first and the last {LAST_GENERATIONS} generations of {}; charts/fitness.csv has them all.",
        count(all.len() as u64)
    ))
}

fn generation(
    diagnostics: &[Diagnostic],
    row: &GenerationRow,
    is_loss: bool,
) -> Vec<(&'static str, String)> {
    let value = |value| search::as_read(value, is_loss);
    let signal = row.known_signal();
    let mut cells = vec![
        ("generation", count(row.generation)),
        ("restart", count(row.restart)),
        ("candidates", count(row.population)),
        ("games each", count(row.games)),
        ("best", value(row.best)),
        ("mean", value(row.mean)),
        ("worst", value(row.worst)),
        ("noise", compact(row.shown_noise())),
        ("signal", signal.map_or("–".to_owned(), percent)),
    ];
    let diagnostics = diagnostics.iter().zip(&row.diagnostics);
    cells.extend(diagnostics.map(|(one, (_, value))| (one.label, compact(*value))));
    cells
}

/// The files of the weights and of the campaign, and commands to continue with: those of every run, and `more`.
/// `has_games` says whether `play` can show the games.
pub(super) fn files(has_games: bool, more: Option<String>) -> Vec<Block> {
    let commands = [
        "`tiletune replay RUN` plays the hold-out games again and compares all digits",
        "`tiletune play --run RUN --hold-out tuned` shows a hold-out game",
        "`tiletune verify RUN` checks every file",
    ];
    let commands = commands
        .into_iter()
        .filter(|text| has_games || !text.contains(" play "));
    let about = "The recommended weights (the tuned ones if the hold-out games show that they are better than the start \
                 weights, else the start weights), the tuned weights, the campaign as it was written, and the same with \
                 all defaults. RUN stands for this run, by its path or its name in `results`:";
    vec![
        Block::Heading("Files and commands".to_owned()),
        Block::Files(vec![
            "best.toml",
            "tuned.toml",
            "config.toml",
            "resolved.toml",
        ]),
        Block::Text(about.to_owned()),
        Block::List(commands.map(str::to_owned).chain(more).collect()),
    ]
}

/// Facts such as version and times, closed.
pub(super) fn facts(data: &RunData) -> Option<Block> {
    let seeds = [
        ("Campaign seed", data.seed),
        ("Hold-out seed", data.hold_out_seed),
    ];
    let seeds = seeds.map(|(label, seed)| (label.to_owned(), seed.to_string()));
    let facts = data.facts.iter().cloned().chain(seeds);
    let title = "Facts: seeds, version, processor, times";
    Block::details(title, vec![Block::Pairs(facts.collect())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_tuning::results::example;

    use crate::chart::{CHARTS, render};
    use crate::report::html;
    use crate::report::tests::text_of;
    use tiletune_tuning::results::Endings;

    fn page(data: &RunData) -> String {
        let charts = render(CHARTS, data).expect("the charts can be drawn");
        html(&data.name, &report(data, &charts))
    }

    #[test]
    fn what_users_write_is_escaped() {
        let mut data = example::run(3, 5, 20);
        let evil = "<script>alert('x')</script> & \"y\"";
        data.name = evil.to_owned();
        data.why = evil.to_owned();
        data.player = evil.to_owned();
        data.objective = evil.to_owned();
        data.parameters[0].name = evil.to_owned();
        data.facts = vec![(evil.to_owned(), evil.to_owned())];
        let page = page(&data);
        assert!(!page.contains("<script"));
        assert!(page.contains("&lt;script&gt;alert('x')&lt;/script&gt; &amp; &quot;y&quot;"));
    }

    #[test]
    fn the_page_holds_every_chart_and_fetches_nothing() {
        let data = example::run(6, 40, 300);
        let charts = render(CHARTS, &data).expect("the charts can be drawn");
        let page = html(&data.name, &report(&data, &charts));
        for chart in &charts {
            assert!(page.contains(&format!("aria-label=\"{}\"", chart.title)));
            assert!(page.contains(&format!("href=\"charts/{}.csv\"", chart.name)));
            assert!(page.contains(chart.about));
        }
        assert_eq!(page.matches("<svg").count(), charts.len());
        for outside in ["http", "src=", "url(", "@import", "<script", "<link"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn the_words_of_the_page_are_the_recorded_ones() {
        let mut data = example::run(2, 22, 12);
        let links = render(CHARTS, &data).expect("the charts can be drawn");
        let mut charts = links[..1].to_vec();
        charts[0].svg.clear();
        let page = |data: &RunData, charts: &[Rendered]| html(&data.name, &report(data, charts));
        insta::assert_snapshot!("campaign", text_of(&page(&data, &charts)));
        data = example::between_two(2, 3, 12);
        insta::assert_snapshot!("campaign_between_two", text_of(&page(&data, &[])));
    }

    #[test]
    fn odd_runs_have_reports() {
        for (name, data) in example::odd_runs() {
            let page = page(&data);
            assert!(
                page.ends_with("</html>\n") && !page.contains("NaN"),
                "{name}"
            );
        }
    }

    #[test]
    fn many_generations_are_cut_and_it_says_so() {
        let table = generations(&example::run(2, 300, 10));
        assert_eq!(table.rows.len(), 2 + LAST_GENERATIONS);
        assert_eq!(table.rows[1][0], "⋮");
        assert!(table.note.unwrap().contains("generations of 300"));
        let table = generations(&example::run(2, 20, 10));
        assert_eq!((table.rows.len(), table.note), (20, None));
    }

    #[test]
    fn generations_of_what_is_minimised_have_its_sign() {
        let mut data = example::run(2, 3, 10);
        let column = |data: &RunData, name: &str| {
            let table = generations(data);
            let at = table.header.iter().position(|one| one == name).unwrap();
            let values = table.rows.iter().map(|row| row[at].clone());
            values.collect::<Vec<_>>()
        };
        let names = ["best", "mean", "worst", "noise"];
        let before = names.map(|name| column(&data, name));
        for row in &mut data.generations {
            for value in [&mut row.best, &mut row.mean, &mut row.worst] {
                *value = -*value;
            }
        }
        let objective = data.validation.as_mut().map(|one| &mut one.objective);
        objective.unwrap().loss = Some("loss".to_owned());
        assert_eq!(names.map(|name| column(&data, name)), before);
    }

    #[test]
    fn games_between_two_have_points() {
        let tables = hold_out(&example::between_two(2, 3, 8));
        assert!(tables[0].header.contains(&"drawn".to_owned()));
        assert_eq!(tables[0].rows[0][5..], ["4", "2", "2"]);
        assert!(tables[1].rows.is_empty());
    }

    #[test]
    fn shares_count_larger_tiles_too() {
        let mut data = example::run(2, 3, 10);
        if let Some(validation) = &mut data.validation {
            validation.start.endings = Endings::Scores {
                max_tile: [(512, 6), (1024, 3), (2048, 1)].into(),
                capped: 0,
            };
        }
        let rows = &hold_out(&data)[1].rows;
        let share = |tile: &str| {
            let row = rows.iter().find(|row| row[0].starts_with(tile));
            row.unwrap()[1].clone()
        };
        assert!(share("1024 = 2¹⁰").starts_with("40.0 % ("));
        assert!(share("2048 = 2¹¹").starts_with("10.0 % ("));
    }
}
