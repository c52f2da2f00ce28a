//! Pages in a real Chromium. Without one the tests say that they are skipped;
//! `TILETUNE_BROWSER_TESTS=required` makes them fail instead. `TILETUNE_CHROMIUM` names the browser.

#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;

mod bridge;
mod chromium;
mod game;
mod play;
mod server;
