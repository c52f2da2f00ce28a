//! The weights that ship with the program: the files of `configs/weights`. This module must not read them.

use crate::ShippedWeights;

/// All of them. The name is that of the file without its player or game. `tuned` takes the first one of a depth, so for
/// each depth the strongest comes first.
pub const WEIGHTS: &[ShippedWeights] = &[
    ShippedWeights {
        name: "depth-0",
        text: include_str!("../configs/weights/expectimax-depth-0.toml"),
    },
    ShippedWeights {
        name: "depth-1",
        text: include_str!("../configs/weights/expectimax-depth-1.toml"),
    },
    ShippedWeights {
        name: "depth-2",
        text: include_str!("../configs/weights/expectimax-depth-2.toml"),
    },
    ShippedWeights {
        name: "depth-3",
        text: include_str!("../configs/weights/expectimax-depth-3.toml"),
    },
    ShippedWeights {
        name: "deep",
        text: include_str!("../configs/weights/expectimax-deep.toml"),
    },
    ShippedWeights {
        name: "adaptive",
        text: include_str!("../configs/weights/expectimax-adaptive.toml"),
    },
    ShippedWeights {
        name: "line-terms",
        text: include_str!("../configs/weights/expectimax-line-terms.toml"),
    },
    ShippedWeights {
        name: "published-form",
        text: include_str!("../configs/weights/expectimax-published-form.toml"),
    },
    ShippedWeights {
        name: "deep-tuned",
        text: include_str!("../configs/weights/expectimax-deep-tuned.toml"),
    },
    ShippedWeights {
        name: "reductions-tuned",
        text: include_str!("../configs/weights/expectimax-reductions-tuned.toml"),
    },
    ShippedWeights {
        name: "shapes-tuned",
        text: include_str!("../configs/weights/expectimax-shapes-tuned.toml"),
    },
    ShippedWeights {
        name: "sum-tuned",
        text: include_str!("../configs/weights/expectimax-sum-tuned.toml"),
    },
    ShippedWeights {
        name: "sum-16",
        text: include_str!("../configs/weights/expectimax-sum-16.toml"),
    },
    ShippedWeights {
        name: "late-base",
        text: include_str!("../configs/weights/expectimax-late-base.toml"),
    },
    ShippedWeights {
        name: "3x3",
        text: include_str!("../configs/weights/expectimax-3x3.toml"),
    },
    ShippedWeights {
        name: "2x4",
        text: include_str!("../configs/weights/expectimax-2x4.toml"),
    },
    ShippedWeights {
        name: "3x4",
        text: include_str!("../configs/weights/expectimax-3x4.toml"),
    },
    ShippedWeights {
        name: "depth-1",
        text: include_str!("../configs/weights/three-plus-three-depth-1.toml"),
    },
    ShippedWeights {
        name: "expectimax-tuned",
        text: include_str!("../configs/weights/three-plus-three-expectimax-tuned.toml"),
    },
    ShippedWeights {
        name: "strings-tuned",
        text: include_str!("../configs/weights/connect-four-strings-tuned.toml"),
    },
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::Source;
    use crate::config::shipped::{Wanted, all, find};
    use crate::config::weights_file::parse;
    use crate::player::Depth;

    fn catalogue() -> crate::Catalogue {
        crate::Catalogue::builtin().with_weights(WEIGHTS)
    }

    #[test]
    fn every_file_of_the_folder_ships_and_is_valid() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/weights");
        let files = std::fs::read_dir(folder).unwrap();
        let mut texts: Vec<String> = files
            .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
            .collect();
        texts.sort();
        let mut shipped: Vec<&str> = WEIGHTS.iter().map(|one| one.text).collect();
        shipped.sort_unstable();
        assert_eq!(shipped, texts);
        let mut known = Vec::new();
        for one in WEIGHTS {
            let (file, ..) = parse(&Source::new(one.name, one.text)).unwrap();
            let key = (one.name, file.game, file.player);
            assert!(!known.contains(&key), "{key:?}");
            known.push(key);
        }
        assert_eq!(
            all(&catalogue(), Wanted::default()).len(),
            WEIGHTS.len() + published()
        );
    }

    /// The number of players with published weights.
    fn published() -> usize {
        let catalogue = catalogue();
        let players = catalogue.players().iter();
        players.filter(|entry| entry.published.is_some()).count()
    }

    #[test]
    fn tuned_weights_are_those_of_the_nearest_depth() {
        let catalogue = catalogue();
        for (game, player, depth, name) in [
            ("2048", "expectimax", Depth::Fixed(0), "depth-0"),
            ("2048", "expectimax", Depth::Fixed(3), "depth-3"),
            ("2048", "expectimax", Depth::Fixed(6), "deep"),
            ("2048", "expectimax", Depth::Adaptive, "adaptive"),
            ("three-plus-three", "expectimax", Depth::Fixed(0), "depth-1"),
            (
                "three-plus-three",
                "expectimax",
                Depth::Fixed(2),
                "expectimax-tuned",
            ),
            ("connect-four", "strings", Depth::Fixed(4), "strings-tuned"),
        ] {
            let wanted = Wanted {
                game: Some(game),
                player: Some(player),
                depth: Some(depth),
                variation: None,
            };
            let found = find(&catalogue, "tuned", wanted).unwrap();
            assert_eq!(found.name, name, "{game} {player} {depth:?}");
            assert_eq!(
                (found.file.game.as_str(), found.file.player.as_str()),
                (game, player)
            );
        }
        let wanted = Wanted {
            player: Some("snake"),
            ..Wanted::default()
        };
        assert!(find(&catalogue, "tuned", wanted).is_none());
        assert!(find(&catalogue, "published", wanted).is_some());
    }
}
