//! Runs a campaign from code, prints every generation, and reads the outcome.
//!
//! ```sh
//! cargo run --release --example tune_from_code [RUN]
//! ```

use std::error::Error;
use std::path::{Path, PathBuf};

use tiletune::Session;
use tiletune::results::GenerationRow;
use tiletune::{Campaign, Control, Local, Observer, Progress, Run, Source};

/// Prints a line for each generation.
struct Printer;

impl Observer for Printer {
    fn generation_ends(&mut self, row: &GenerationRow) {
        let GenerationRow {
            generation,
            best,
            mean,
            ..
        } = row;
        let sigma = row.diagnostic("sigma").unwrap_or_default();
        println!("{generation:>10}  {best:>8.0}  {mean:>8.0}  {sigma:>9.3}");
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // The text of a campaign file can also be put together by the program.
    let mut text = String::from(
        r#"
        why = "an example: three weights without look-ahead"
        name = "from-code"
        seed = 7
        player = { name = "expectimax", depth = 0 }
        evaluation = { games = 100 }
        optimizer = { population = 8, sigma = 0.2 }
        budget = { generations = 12 }
        validation = { games = 500 }
        "#,
    );
    for key in ["empty", "merges", "monotonicity"] {
        text += &format!("[parameters.{key}]\n");
    }
    let source = Source::new("tune_from_code.rs", text);
    // Relative paths in the text begin in the current folder.
    let campaign = Campaign::resolve(&source, Path::new(""))?;

    // One thread per core. The results do not depend on their number.
    let local = Local::new(campaign.player.clone(), None)?;
    let folder = tempfile::tempdir()?;
    let given = std::env::args_os().nth(1).map(PathBuf::from);
    let root = given.unwrap_or_else(|| folder.path().join("run"));
    let run = Run::begin(
        &campaign,
        &source.text,
        &root,
        Session::now(local.threads()),
    )?;

    println!("generation      best      mean  step size");
    let (progress, mut observer) = (Progress::default(), Printer);
    let control = &mut Control::new(&progress, &mut observer);
    let outcome = run.execute(&campaign, &local, control)?;

    println!(
        "{} games; the search ended because {}",
        progress.games(),
        outcome.stopped_by
    );
    for (key, value) in outcome.recommendation.weights.iter() {
        println!("{key:>20} = {value:.3}");
    }
    if let Some(validation) = outcome.validation {
        let difference = validation.difference;
        println!("tuned - start: {:.0} points a game", difference.mean);
        if let Some([low, high]) = difference.interval() {
            println!("95 % interval {low:.0} to {high:.0}");
        }
        println!("verdict: {}", validation.verdict().name());
    }
    Ok(())
}
