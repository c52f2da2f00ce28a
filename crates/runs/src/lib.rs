//! Runs: their configuration, their directories, and every kind of run.
//!
//! | module | content |
//! |---|---|
//! | [`config`] | campaigns, experiments, comparisons and weights files: reading, defaults, checks |
//! | [`run`] | the lifecycle of every kind of run, and its directory |
//! | [`campaign`], [`series`], [`experiment`], [`compare`] | the kinds of run |
//! | [`prune`] | which terms of a heuristic can go |
//! | [`overview`] | the runs in a folder |
//! | [`export`] | weights for other programs |
//! | [`inventory`], [`plain_file`] | the list of the finished files of a run; reading files: regular ones, of a limited size |

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod inventory;
pub mod plain_file;

pub mod config;
pub mod export;

pub mod run;

pub mod campaign;
pub mod compare;
pub mod experiment;
pub mod series;

pub mod kinds;
pub mod prune;

pub mod overview;
