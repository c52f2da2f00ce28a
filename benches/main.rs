//! Times of rules, tables, searches and a campaign. Searches are beside their textbook versions
//! where these exist. The work of a search is asserted, so that a faster time for less work fails.
//!
//! `cargo bench` runs all benchmarks; a name after `--` selects some. There is one file for each
//! subject, and [`setup`] has what they share.

mod campaign;
mod connect_four;
mod expectimax;
mod heuristic;
mod minimax;
mod rules;
mod setup;
mod snake;
mod three_plus_three;

fn main() {
    divan::main();
}
