//! Plays the game 2048 in a Chromium that was started elsewhere with remote debugging: [`protocol`] implements the
//! DevTools protocol, [`page`] reads the page of a game and presses its keys, [`play`] plays with any player. This
//! module must not start or end a browser, and it must not know the command line.

mod error;
pub mod page;
pub mod play;
pub mod protocol;

pub use error::Error;
