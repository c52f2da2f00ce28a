//! Reads the tables of a campaign's run directory and prints them. Without an argument, it makes a
//! small run in a temporary folder first.
//!
//! ```sh
//! cargo run --release --example read_run [RUN]
//! ```

use std::error::Error;
use std::path::{Path, PathBuf};

use tiletune::Session;
use tiletune::run::{plan_of, tables};
use tiletune::stats::games::results;
use tiletune::stats::summary::{mean, median};
use tiletune::{Campaign, Control, Local, NullObserver, Progress, Run, RunDirectory, Source};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let root = match std::env::args_os().nth(1) {
        Some(given) => PathBuf::from(given),
        None => small_run(folder.path().join("run"))?,
    };
    // The directory can be read while another process writes it.
    let directory = RunDirectory::open(&root)?;
    let campaign: Campaign = plan_of(&directory)?;
    let names = campaign.space.names();
    println!("{}: {}", campaign.config.name, campaign.player.describe());

    println!("\ngeneration  mean fitness  best candidate  its median game  step size");
    for generation in 0..directory.complete_generations()? {
        let part = |table| directory.generation_part(table, generation);
        // Each table can be read as records, or as a data frame of polars.
        let row = directory.read_generation(generation, &names)?;
        let candidates = tables::read_candidates(&part(&tables::CANDIDATES), &names)?;
        let games = tables::read_games(&part(&tables::TRAIN))?;
        let best = candidates
            .iter()
            .max_by(|a, b| a.fitness.total_cmp(&b.fitness));
        let best = best.ok_or("a generation without candidates")?;
        // The games of candidate after candidate, each in the order of the seeds.
        let first = best.candidate as usize * row.games as usize;
        let of_best = games.get(first..first + row.games as usize);
        let median = median(&results(of_best.ok_or("games are missing")?));
        println!(
            "{generation:>10}  {:>12.0}  {:>14.0}  {median:>15.0}  {:>9.3}",
            row.mean,
            best.fitness,
            row.diagnostic("sigma").unwrap_or_default()
        );
    }

    let path = directory.generation_part(&tables::TRAIN, 0);
    let frame = tables::frame(&path)?;
    println!("\n{} games in {}", frame.height(), path.display());
    println!("columns: {:?}", frame.get_column_names());
    let moves = frame.column("moves")?.as_materialized_series().mean();
    println!("mean number of moves: {:.1}", moves.unwrap_or_default());

    // Everything that the charts and the report show.
    let data = tiletune::campaign::load(&campaign, &directory)?;
    for (set, games) in [
        ("start", data.hold_out_start),
        ("tuned", data.hold_out_tuned),
    ] {
        println!(
            "{set} weights: {} hold-out games, mean {:.0}",
            games.len(),
            mean(&results(&games))
        );
    }
    Ok(())
}

/// A campaign of a second or two.
fn small_run(root: PathBuf) -> Result<PathBuf, Box<dyn Error>> {
    let text = r#"
        why = "an example: something to read"
        name = "small"
        seed = 0
        player = { name = "expectimax", depth = 0 }
        evaluation = { games = 50 }
        optimizer = { population = 6 }
        budget = { generations = 5 }
        validation = { games = 200 }
        parameters = { empty = {}, merges = {} }
    "#;
    let source = Source::new("read_run.rs", text);
    let campaign = Campaign::resolve(&source, Path::new(""))?;
    let local = Local::new(campaign.player.clone(), None)?;
    let run = Run::begin(
        &campaign,
        &source.text,
        &root,
        Session::now(local.threads()),
    )?;
    let (progress, mut observer) = (Progress::default(), NullObserver);
    run.execute(
        &campaign,
        &local,
        &mut Control::new(&progress, &mut observer),
    )?;
    Ok(root)
}
