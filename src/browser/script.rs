//! The script that runs in a page: the one for G. Cirulli's 2048 and pages made from it, the one for pages that show a grid of
//! numbers, or an adapter that a user writes for another page. This module must not call a browser.

use serde_json::json;

use crate::games::twenty48::rules::Direction;

/// The script for pages with the elements of G. Cirulli's game.
const PAGE: &str = include_str!("page.js");

/// The page adapter for pages that show their board as a grid of cells with numbers.
const GRID: &str = include_str!("grid.js");

/// Functions of both.
const COMMON: &str = include_str!("common.js");

/// What makes a script of the functions of an adapter.
const ADAPTER: &str = include_str!("adapter.js");

/// What is done before a page is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Press a key of a move.
    Press(Direction),
    /// Press the button that continues the game after the tile 2048.
    Resume,
    /// Begin another game.
    Restart,
}

/// The pages that a script knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// Those with the elements of G. Cirulli's game.
    Known,
    /// Those that show a grid of cells with numbers.
    Grids,
    /// Those of a page adapter.
    Adapter,
}

/// The script that reads and plays a page.
#[derive(Clone, Debug)]
pub struct Script {
    /// An expression: a function of key, frames and command.
    function: String,
    pages: Pages,
}

impl Script {
    /// The scripts of this program, in the order in which a page is asked.
    pub fn builtin() -> [Self; 2] {
        let known = Script {
            function: format!("(() => {{\n{COMMON}\nreturn (\n{PAGE}\n);\n}})()"),
            pages: Pages::Known,
        };
        let grids = Script {
            pages: Pages::Grids,
            ..Script::of_adapter(&format!("{COMMON}\n{GRID}"))
        };
        [known, grids]
    }

    /// The script of a page adapter: a text of JavaScript that declares the functions `read()`, `press(direction)` and, if
    /// the page can begin another game, `restart()` (docs/page-adapter.md).
    pub fn of_adapter(text: &str) -> Self {
        let named = ["read", "press", "restart"]
            .map(|name| format!("{name}: typeof {name} === \"function\" ? {name} : null"));
        let named = named.join(", ");
        // The text can end with a comment.
        let functions = format!("(() => {{\n{text}\n;return {{ {named} }};\n}})()");
        Script {
            function: format!("({ADAPTER})({functions})"),
            pages: Pages::Adapter,
        }
    }

    /// The pages that it knows.
    pub fn pages(&self) -> Pages {
        self.pages
    }

    /// The expression that does a command and reads the page after some frames of animation.
    pub(super) fn call(&self, command: Option<Command>, frames: u32) -> String {
        let (key, command) = match command {
            None => (None, None),
            Some(Command::Press(key)) => (Some(key.name()), None),
            Some(Command::Resume) => (None, Some("resume")),
            Some(Command::Restart) => (None, Some("restart")),
        };
        format!(
            "{}({}, {frames}, {})",
            self.function,
            json!(key),
            json!(command)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_names_key_and_command() {
        for script in Script::builtin() {
            let end = |command| {
                let call = script.call(command, 2);
                call[call.rfind('(').unwrap()..].to_owned()
            };
            assert_eq!(end(None), "(null, 2, null)");
            let press = Some(Command::Press(Direction::Left));
            assert_eq!(end(press), "(\"left\", 2, null)");
            assert_eq!(end(Some(Command::Restart)), "(null, 2, \"restart\")");
        }
    }

    #[test]
    fn an_adapter_may_end_with_a_comment() {
        let script = Script::of_adapter("function read() {} // nothing");
        assert_eq!(script.pages(), Pages::Adapter);
        assert!(script.call(None, 0).contains("// nothing\n;return {"));
    }
}
