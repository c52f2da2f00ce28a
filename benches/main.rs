//! Rules, tables, searches and a campaign, timed. Each search stands beside the textbook version of
//! itself where there is one, and its work is asserted, so that a faster number for less work is
//! seen.
//!
//! `cargo bench` runs it; a name after `--` selects. A file a subject; what they share is in
//! [`setup`].

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
