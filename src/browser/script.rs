//! The script that runs in a page: the one for G. Cirulli's 2048 and pages made from it, or an adapter that a user writes
//! for another page. This module must not call a browser.

use serde_json::json;

use crate::games::twenty48::rules::Direction;

/// The script for pages with the elements of G. Cirulli's game.
const PAGE: &str = include_str!("page.js");

/// What makes such a script of the functions of an adapter.
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

/// The script that reads and plays a page.
#[derive(Clone, Debug)]
pub struct Script {
    /// An expression: a function of key, frames and command.
    function: String,
    is_adapter: bool,
}

impl Script {
    /// The script for pages with the elements of G. Cirulli's game.
    pub fn of_known_pages() -> Self {
        Script {
            function: PAGE.to_owned(),
            is_adapter: false,
        }
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
            is_adapter: true,
        }
    }

    /// Whether a user has written it.
    pub fn is_adapter(&self) -> bool {
        self.is_adapter
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
        let script = Script::of_known_pages();
        let end = |command| {
            let call = script.call(command, 2);
            call[call.rfind('(').unwrap()..].to_owned()
        };
        assert_eq!(end(None), "(null, 2, null)");
        assert_eq!(
            end(Some(Command::Press(Direction::Left))),
            "(\"left\", 2, null)"
        );
        assert_eq!(end(Some(Command::Restart)), "(null, 2, \"restart\")");
    }

    #[test]
    fn an_adapter_may_end_with_a_comment() {
        let script = Script::of_adapter("function read() {} // nothing");
        assert!(script.is_adapter());
        assert!(script.call(None, 0).contains("// nothing\n;return {"));
    }
}
