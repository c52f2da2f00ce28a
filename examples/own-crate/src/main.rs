//! The whole command line of tiletune for a game of your own: `cargo run --release -- tune`.

mod player;
mod rules;

use std::process::ExitCode;
use tiletune::Catalogue;

fn main() -> ExitCode {
    tiletune::cli::run(Catalogue::new([&rules::STACKS], [&player::STACKER]))
}
