//! The options of the game: the board and the random tiles. Players that can play variations take them.

use crate::field_error::FieldError;
use crate::games::sliding::Shape;
use crate::games::twenty48::rules::{Spawn, Variation};
use crate::player::{OptionKind, OptionScope, OptionValue, Options, PlayerOption};

/// The size of the board.
pub const BOARD: PlayerOption = of_board(
    "board",
    "Rows and columns of the board, 2 to 4 each",
    OptionKind::Text {
        default: "4x4",
        form: "ROWSxCOLUMNS",
        can_be_table: false,
        read: |value| match value {
            OptionValue::Text(text) => text
                .parse::<Shape>()
                .map(|shape| shape.to_string())
                .map_err(|error| error.to_string()),
            other => Err(format!(
                "{other} is not a board: write rows x columns as a text, such as \"3x4\""
            )),
        },
    },
);

/// The random tiles.
pub const SPAWN: PlayerOption = of_board(
    "spawn",
    "Random tiles with their probabilities",
    OptionKind::Text {
        default: "2:0.9,4:0.1",
        form: "TILE:PROBABILITY,..",
        can_be_table: true,
        read: |value| match value {
            OptionValue::Text(text) => text
                .parse::<Spawn>()
                .map(|spawn| spawn.to_string())
                .map_err(|error| error.to_string()),
            OptionValue::Table(table) => of_table(table).map(|spawn| spawn.to_string()),
            other => Err(format!(
                "{other} is not a list of tiles with their probabilities, such as \"2:0.9,4:0.1\""
            )),
        },
    },
);

/// Number of tiles at the start.
pub const FIRST_TILES: PlayerOption = of_board(
    "first_tiles",
    "Number of random tiles at the start",
    OptionKind::Whole {
        default: Variation::USUAL_FIRST_TILES,
        most: 16,
    },
);

const fn of_board(key: &'static str, about: &'static str, kind: OptionKind) -> PlayerOption {
    PlayerOption {
        scope: OptionScope::Board,
        is_stored_at_default: false,
        ..PlayerOption::new(key, about, kind)
    }
}

/// Reads `{ "2" = 0.9, "4" = 0.1 }`.
fn of_table(table: &toml::Table) -> Result<Spawn, String> {
    let tile = |(tile, probability): (&String, &toml::Value)| {
        let number = match probability {
            toml::Value::Integer(whole) => Some(*whole as f64),
            toml::Value::Float(number) => Some(*number),
            _ => None,
        };
        let number = number.ok_or_else(|| {
            format!("the probability of {tile} is {probability}: it must be a number from 0 to 1")
        })?;
        let tile = tile
            .parse()
            .map_err(|_| format!("`{tile}` is not a tile"))?;
        Ok((tile, number))
    };
    let tiles: Result<Vec<(u64, f64)>, String> = table.iter().map(tile).collect();
    Spawn::new(tiles?).map_err(|error| error.to_string())
}

/// The rules that the options describe, which must be checked.
pub fn variation(options: &Options) -> Variation {
    let spawn = options.text(&SPAWN).parse().unwrap_or(Spawn::USUAL);
    Variation::new(shape(options), spawn, options.whole(&FIRST_TILES))
}

/// The size of the board.
pub fn shape(options: &Options) -> Shape {
    options.text(&BOARD).parse().unwrap_or(Shape::STANDARD)
}

/// Checks that the first tiles fit on the board.
///
/// # Errors
/// If they do not.
pub(super) fn check(options: &Options) -> Result<(), FieldError> {
    let (first, cells) = (
        options.whole(&FIRST_TILES),
        shape(options).number_of_cells(),
    );
    if !(1..=cells).contains(&(first as usize)) {
        let message = format!(
            "first_tiles {first} is out of range: 1 to {cells} on a board of {}",
            shape(options)
        );
        return Err(FieldError::new([FIRST_TILES.key], message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::player::{Catalogue, PlayerConfig};

    fn described(text: &str) -> Result<String, String> {
        let config: PlayerConfig = toml::from_str(text).unwrap();
        let player = Catalogue::builtin().player(&config);
        let player = player.map_err(|error| error.to_string())?;
        let again = Catalogue::builtin().player(&player.config());
        assert!(again.unwrap() == player);
        Ok(player.describe())
    }

    #[test]
    fn boards_and_spawns_are_options_that_are_silent_at_their_defaults() {
        let player = "name = 'expectimax'\n";
        for (options, expected) in [
            (
                "board = '4x4'\nspawn = '4:0.1,2:0.9'\nfirst_tiles = 2",
                "expectimax, depth 1",
            ),
            ("board = '3x4'", "expectimax, depth 1, board 3x4"),
            (
                "spawn = { '2' = 0.8, '4' = 0.2 }\nfirst_tiles = 3",
                "expectimax, depth 1, spawn 2:0.8,4:0.2, first_tiles 3",
            ),
            ("spawn = { '2' = 1 }", "expectimax, depth 1, spawn 2:1"),
        ] {
            assert_eq!(described(&format!("{player}{options}")).unwrap(), expected);
        }
        let same = |options: &str| {
            let config: PlayerConfig = toml::from_str(&format!("{player}{options}")).unwrap();
            Catalogue::builtin().player(&config).unwrap().full_config()
        };
        assert_eq!(same("board = '4x4'"), same(""));
        assert!(
            same("")
                .options
                .iter()
                .all(|(key, _)| key != "board" && key != "spawn")
        );
    }

    #[test]
    fn other_boards_and_spawns_are_refused_with_the_way_out() {
        for (text, said) in [
            ("board = '5x5'", "docs/external.md"),
            ("board = 5", "write rows x columns as a text"),
            ("board = 'big'", "write rows x columns"),
            ("spawn = '2:0.8'", "add up to 0.8"),
            ("spawn = { '2' = 'often' }", "must be a number from 0 to 1"),
            ("spawn = { 'two' = 1 }", "`two` is not a tile"),
            ("spawn = 4", "is not a list of tiles"),
            ("board = '3x4'\nendgames = true", "leave `endgames` out"),
            ("spawn = '2:1'\nendgames = true", "leave `endgames` out"),
            ("first_tiles = 0", "1 to 16 on a board of 4x4"),
            ("board = '2x2'\nfirst_tiles = 5", "1 to 4 on a board of 2x2"),
        ] {
            let error = described(&format!("name = 'expectimax'\n{text}")).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
        let error = described("name = 'snake'\nboard = '3x4'").unwrap_err();
        let said =
            "player `snake` plays on the usual board only; players that take board: expectimax";
        assert!(error.contains(said), "{error}");
    }
}
