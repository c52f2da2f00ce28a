//! Pages in a real Chromium. Without one the tests say that they are skipped;
//! `TILETUNE_BROWSER_TESTS=required` makes them fail instead. `TILETUNE_CHROMIUM` names the browser.

#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/growing.rs"]
mod growing;
#[path = "../common/schema.rs"]
mod schema;

mod accessibility;
mod bridge;
mod chromium;
mod game;
mod grids;
mod lab;
mod long_run;
mod losses;
mod pages;
mod play;
mod server;
mod speed;
mod steer;
mod turns;
mod watch;
