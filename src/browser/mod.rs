//! Plays the game 2048 in a Chromium that was started elsewhere with remote debugging: [`protocol`] implements the
//! DevTools protocol, [`script`] is what runs in a page, [`find`] finds the game among the open pages and their frames,
//! [`page`] reads it and presses its keys, [`play`] plays one game and [`games`] several, with any player. This module must
//! not start or end a browser, and it must not know the command line.

mod answer;
mod error;
pub mod find;
pub mod games;
pub mod page;
pub mod play;
pub mod protocol;
mod rules;
pub mod script;

pub use answer::{BoardSource, PageBoard, PageState};
pub use error::Error;
