//! The engine of [tiletune](https://docs.rs/tiletune): games and players. A game is a pure function of game, player,
//! weights, options and seed. This crate must not tune, keep files or draw.
//!
//! The modules, in the order in which to read them:
//!
//! | module | content |
//! |---|---|
//! | [`record`] | the record of one game |
//! | [`player`] | what a game and a player are; the catalogue of both; options, positions, analyses |
//! | [`heuristic`] | tunable parameters and weights |
//! | [`expression`] | the grammar of terms and conditions |
//! | [`program`] | external programs: declared in a file, started as processes |
//! | [`games`] | the built-in games, one folder each, and the built-in catalogue |
//! | [`random`] | every seed and every random number of a game |
//! | [`stop`] | the request to end a computation early |
//! | [`simd`], [`field_error`], [`suggestion`] | small tools of the modules above |

#![warn(missing_docs)]
#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod expression;
pub mod field_error;
pub mod random;
pub mod record;
pub mod simd;
pub mod stop;
pub mod suggestion;

pub mod heuristic;
pub mod program;

pub mod player;

pub mod games;

#[doc(hidden)]
pub mod reference;
