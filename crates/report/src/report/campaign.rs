//! The report of a campaign: the verdict on its weights, what its search promised, hold-out games, parameters,
//! generations.

use super::block::{Block, Table, charts, paragraphs};
use super::{deeper, search, sentence};
use crate::chart::Rendered;
use crate::number::{as_power, compact, count, grouped, percent};
use tiletune_engine::heuristic::Scale;
use tiletune_tuning::results::{GameSummary, GenerationRow, Parameter, RunData};
use tiletune_tuning::stats::intervals::{Interval, share_interval};

/// Longer runs show their first and their last generations.
const MOST_GENERATIONS: usize = 20;
const LAST_GENERATIONS: usize = 10;

/// The report with all that a page shows.
pub fn report(data: &RunData, drawn: &[Rendered]) -> Vec<Block> {
    let mut blocks = vec![player(data)];
    blocks.extend(paragraphs(&data.why));
    blocks.extend(results(data));
    blocks.extend(generations(data).block());
    blocks.extend(charts(drawn));
    blocks.extend(files(true));
    blocks.extend(facts(data));
    blocks
}

/// The results: what a terminal shows, too.
pub fn results(data: &RunData) -> Vec<Block> {
    let tables = hold_out(data).into_iter().chain(deeper(data));
    let tables = tables.chain([parameters(data)]).filter_map(Table::block);
    [Block::Verdict(sentence(data))]
        .into_iter()
        .chain(about_search(data))
        .chain(tables)
        .collect()
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

/// What the search promised, its signal and noise, and the values at a bound, a sentence each; the search has
/// ended.
pub fn about_search(data: &RunData) -> Vec<Block> {
    let validation = data.validation.as_ref();
    let last = data.generations.last().filter(|_| data.tuned.is_some());
    let selection = validation.and_then(|validation| validation.selection.as_ref());
    let first_steps = last.and_then(|_| search::first_steps(&data.generations));
    let sentences = [
        selection.map(search::selection),
        last.and_then(search::signal),
        first_steps,
    ];
    let at_bounds = data.at_bounds.iter().map(search::at_bound);
    let skipped = validation.map(|validation| deeper::skipped(&validation.deeper));
    let sentences = sentences.into_iter().flatten().chain(at_bounds);
    let sentences = sentences.chain(data.notices.iter().cloned());
    let sentences = sentences.chain(skipped.unwrap_or_default());
    sentences
        .chain(data.unmeasured.clone())
        .map(Block::Text)
        .collect()
}

/// What start and tuned weights did on the hold-out seeds.
pub(super) fn hold_out(data: &RunData) -> Vec<Table> {
    let Some(validation) = &data.validation else {
        return Vec::new();
    };
    let sets = [&validation.start, &validation.tuned];
    let capped = sets.iter().any(|set| set.capped() > Some(0));
    let mean = format!("{} ± standard error", validation.start.measure());
    let mut header = vec!["weights", "games", &mean, "median"];
    match validation.start.numbers() {
        Some(numbers) => header.extend(numbers.keys().map(String::as_str)),
        None => header.push("moves a game"),
    }
    if validation.start.outcomes().is_some() {
        header.extend(["won", "drawn", "lost"]);
    }
    if capped {
        header.push("games at the board’s limit");
    }
    let rows = sets.map(|set| {
        let mut row = vec![
            set.weights.clone(),
            count(set.games),
            format!("{} ± {}", compact(set.mean), compact(set.standard_error)),
            compact(set.median),
        ];
        match set.numbers() {
            Some(numbers) => row.extend(numbers.values().map(|mean| compact(*mean))),
            None => row.push(compact(set.mean_moves)),
        }
        if let Some(outcomes) = set.outcomes() {
            row.extend([outcomes.wins, outcomes.draws, outcomes.losses].map(count));
        }
        if capped {
            row.push(count(set.capped().unwrap_or(0)));
        }
        row
    });
    let games = Table::new("Hold-out games", &header, rows.to_vec());
    vec![games, reached(sets)]
}

/// What they did at other search depths.
fn deeper(data: &RunData) -> Option<Table> {
    let validation = data.validation.as_ref()?;
    let name = &validation.objective.name;
    let rows = deeper::rows(&validation.deeper);
    let table = Table::new("Other search depths", deeper::HEADER, rows);
    Some(table.noted(format!("{name}; the first of the hold-out seeds.")))
}

/// The share of games that reached each tile or a larger one.
fn reached(sets: [&GameSummary; 2]) -> Table {
    let tiles = sets.iter().flat_map(|set| set.max_tile().keys());
    let mut tiles: Vec<u32> = tiles.copied().filter(|tile| *tile > 0).collect();
    tiles.sort_unstable();
    tiles.dedup();
    let row = |tile: &u32| {
        let power = as_power(*tile).map_or(String::new(), |power| format!(" = {power}"));
        let shares = sets.iter().map(|set| share_reaching(set, *tile));
        [format!("{tile}{power}")]
            .into_iter()
            .chain(shares)
            .collect()
    };
    let rows = tiles.iter().rev().map(row).collect();
    let note =
        "Share of games whose largest tile was this one or a larger one, with 95 % interval.";
    Table::new("Tiles reached", ["tile", "start", "tuned"], rows).noted(note)
}

fn share_reaching(set: &GameSummary, tile: u32) -> String {
    let total: u32 = set.max_tile().values().sum();
    if total == 0 {
        return "–".to_owned();
    }
    let reached = f64::from(set.reaching(tile));
    let Interval { low, high } = share_interval(reached, total.into());
    let percent = [reached / f64::from(total), low, high];
    let [share, low, high] = percent.map(|share| grouped(share * 100.0, 1));
    format!("{share} % ({low} to {high})")
}

/// Start and tuned value of every parameter.
fn parameters(data: &RunData) -> Table {
    let row = |(index, parameter): (usize, &Parameter)| {
        let tuned = data.tuned.as_ref().and_then(|values| values.get(index));
        let scale = match parameter.scale {
            _ if parameter.fixed => "fixed",
            Scale::Linear => "linear",
            Scale::Log => "logarithmic",
        };
        let bounds = [parameter.min, parameter.max];
        let [min, max] = bounds.map(|bound| match parameter.fixed {
            true => String::new(),
            false => compact(bound),
        });
        vec![
            parameter.name.clone(),
            compact(parameter.start),
            tuned.map_or("–".to_owned(), |value| compact(*value)),
            min,
            max,
            scale.to_owned(),
        ]
    };
    let rows = data.parameters.iter().enumerate().map(row).collect();
    let header = ["parameter", "start", "tuned", "min", "max", "scale"];
    let note = "Rounded to four digits; best.toml holds the exact values.";
    Table::new("Parameters", header, rows).noted(note)
}

/// The generations, or the first and the last few of many.
fn generations(data: &RunData) -> Table {
    let all = &data.generations;
    let known = [
        "generation",
        "restart",
        "candidates",
        "games each",
        "best",
        "mean",
        "worst",
        "noise",
        "signal",
    ];
    let own = data.diagnostics.iter().map(|diagnostic| diagnostic.label);
    let header: Vec<&str> = known.into_iter().chain(own).collect();
    if all.len() <= MOST_GENERATIONS {
        return Table::new("Generations", header, all.iter().map(generation).collect());
    }
    let gap = vec!["⋮".to_owned(); header.len()];
    let last = all[all.len() - LAST_GENERATIONS..].iter().map(generation);
    let rows = [generation(&all[0]), gap].into_iter().chain(last).collect();
    Table::new("Generations", header, rows).noted(format!(
        "The first and the last {LAST_GENERATIONS} generations of {}; charts/fitness.csv has them all.",
        count(all.len() as u64)
    ))
}

fn generation(row: &GenerationRow) -> Vec<String> {
    let counts = [row.generation, row.restart, row.population, row.games].map(count);
    let fitness = [row.best, row.mean, row.worst, row.noise].map(compact);
    let signal = [row.known_signal().map_or("–".to_owned(), percent)];
    let diagnostics = row.diagnostics.iter().map(|(_, value)| compact(*value));
    let values = fitness.into_iter().chain(signal).chain(diagnostics);
    counts.into_iter().chain(values).collect()
}

/// The files of the weights and of the campaign, and the commands that go on from them. `has_games` says whether
/// `play` can show its games.
pub(super) fn files(has_games: bool) -> Vec<Block> {
    let commands = [
        "`tiletune replay best.toml` plays the hold-out games again and compares all digits",
        "`tiletune play --run . --hold-out tuned` shows a hold-out game",
        "`tiletune verify .` checks every file",
    ];
    let commands = commands
        .into_iter()
        .filter(|text| has_games || !text.contains(" play "));
    let about = "The recommended weights, the campaign as it was written, and the same with all defaults. In the run \
                 directory:";
    vec![
        Block::Heading("Files and commands".to_owned()),
        Block::Files(vec!["best.toml", "config.toml", "resolved.toml"]),
        Block::Text(about.to_owned()),
        Block::List(commands.map(str::to_owned).collect()),
    ]
}

/// Version, times and the like.
pub(super) fn facts(data: &RunData) -> Vec<Block> {
    let seeds = [
        ("Campaign seed", data.seed),
        ("Hold-out seed", data.hold_out_seed),
    ];
    let seeds = seeds.map(|(label, seed)| (label.to_owned(), seed.to_string()));
    let facts = data.facts.iter().cloned().chain(seeds);
    vec![
        Block::Heading("Facts".to_owned()),
        Block::Pairs(facts.collect()),
    ]
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
