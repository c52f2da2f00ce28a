//! The players of gravity four in a row. What plays one side of a game is a `Contestant`; a player
//! of the catalogue is one of them with those that it plays against.
//!
//! [`advice`] holds the forms of positions and opinions, `playing` the game move by move, also
//! against a person.

mod playing;

use serde_json::Value;

use crate::games::connect_four::NAME;
use crate::games::connect_four::format::{Opinion, Position};
use crate::games::connect_four::heuristic::sum::StringValues;
use crate::games::connect_four::heuristic::{StringWorth, parameters};
use crate::games::connect_four::published::strings::search::{PublishedStrings, Version};
use crate::games::connect_four::rules;
use crate::games::connect_four::rules::{Game, Opening, Policy, Rules, Side, Turn};
use crate::games::connect_four::search::RandomStones;
use crate::games::connect_four::search::alpha_beta::{AlphaBeta, WIN, is_decided};
use crate::games::connect_four::search::perfect::Perfect;
use crate::heuristic::weights::Weights;
use crate::player::advice::NotAPosition;
use crate::player::config::{ConfigError, Opponents};
use crate::player::depth::Depth;
use crate::player::depth::Depths;
use crate::player::playing::Playing;
use crate::player::{Config, Entry, Player};
use crate::random::{Stream, derive};
use crate::record::GameRecord;
use playing::{Rival, Steps};

const DEPTHS: Depths = Depths {
    unit: "stones looked ahead",
    min: 1,
    adaptive: false,
    default: Depth::Fixed(2),
};

const OPTIONS: &[&str] = &["opponent", "opponent_depth", "rows", "columns", "connect"];

/// What the entries without weights have in common.
pub(in crate::games::connect_four) const WITHOUT_WEIGHTS: Entry = Entry {
    name: "",
    game: NAME,
    about: "",
    depths: None,
    options: OPTIONS,
    parameters: Vec::new,
    published: None,
    check: |_| Ok(()),
    sample: &[(None, 100)],
    build,
};

/// The player.
pub const STRINGS: Entry = Entry {
    name: "strings",
    about: "alpha-beta over the values of strings, for which a win ends the game (after \
            xmxoxo/connect4)",
    depths: Some(DEPTHS),
    parameters,
    published: Some(include_str!("../../../../configs/weights/strings.toml")),
    check: StringWorth::check,
    sample: &[(Some(1), 50), (Some(2), 50), (Some(5), 4)],
    ..WITHOUT_WEIGHTS
};

/// The player.
pub const PERFECT: Entry = Entry {
    name: "perfect",
    about: "solves the game to its end: never gives up a win or a draw; with fewer than twelve \
            stones on 7x6 or 6x7 that can take seconds to minutes a move",
    sample: &[(None, 1)],
    ..WITHOUT_WEIGHTS
};

/// The player.
pub const RANDOM: Entry = Entry {
    name: "random",
    about: "a uniformly chosen column that is not full",
    ..WITHOUT_WEIGHTS
};

/// The rules that a configuration asks for.
///
/// # Errors
/// If there is no such game.
pub(in crate::games::connect_four) fn rules(config: &Config) -> Result<Rules, ConfigError> {
    let usual = Rules::default();
    let rules = Rules::new(
        config.rows.unwrap_or(usual.rows()),
        config.columns.unwrap_or(usual.columns()),
        config.connect.unwrap_or(usual.connect()),
    );
    rules.map_err(|error| ConfigError {
        key: match error {
            rules::RulesError::Connect { .. } => "connect",
            _ => "rows",
        },
        message: error.to_string(),
    })
}

fn build(config: &Config, weights: &Weights) -> Box<dyn Player> {
    let rules = rules(config).unwrap_or_else(|error| unreachable!("checked before: {error}"));
    let opponents = config.opponents(&WITHOUT_WEIGHTS);
    let opponents = opponents.iter().flat_map(Opponents::names);
    Box::new(Duel {
        player: Contestant::new(rules, &config.name, config.depth, weights),
        opponents: opponents
            .map(|name| Contestant::new(rules, name, config.opponent_depth, &Weights::default()))
            .collect(),
    })
}

/// What plays one side: the same for all games.
struct Contestant {
    kind: Kind,
    worth: StringWorth,
    values: StringValues,
}

#[derive(Clone, Copy)]
enum Kind {
    Strings { depth: u8 },
    Published(Version),
    Perfect,
    Random,
}

/// What plays one side of one game.
trait Thinker: Policy {
    /// What it thinks of a position; chooses as [`Policy::choose`] does.
    fn opinion(&mut self, turn: Turn) -> Opinion;
}

impl Contestant {
    /// `name` is one of this game's players, for which `weights` fit.
    fn new(rules: Rules, name: &str, depth: Option<Depth>, weights: &Weights) -> Self {
        let kind = match name {
            "strings" => Kind::Strings {
                depth: DEPTHS.fixed(depth),
            },
            "strings-repository" => Kind::Published(Version::Repository),
            "strings-article" => Kind::Published(Version::Article),
            "perfect" => Kind::Perfect,
            "random" => Kind::Random,
            _ => unreachable!("`{name}` plays no gravity four: names are checked before"),
        };
        let worth = StringWorth::new(weights);
        Contestant {
            kind,
            worth,
            values: StringValues::new(rules, &worth),
        }
    }

    /// The same on another board.
    fn on(&self, rules: Rules) -> Self {
        Contestant {
            kind: self.kind,
            worth: self.worth,
            values: StringValues::new(rules, &self.worth),
        }
    }

    fn rules(&self) -> &Rules {
        self.values.rules()
    }

    /// For one game; `seed` is that of its lots.
    fn thinker(&self, seed: u64) -> Box<dyn Thinker + '_> {
        match self.kind {
            Kind::Strings { depth } => Box::new(Strings {
                values: &self.values,
                search: AlphaBeta::new(&self.values, depth),
            }),
            Kind::Published(version) => Box::new(Published {
                values: &self.values,
                player: PublishedStrings::new(&self.values, version),
            }),
            Kind::Perfect => Box::new(Solver {
                rules: self.rules(),
                search: Perfect::new(*self.rules()),
            }),
            Kind::Random => Box::new(RandomStones::new(*self.rules(), seed)),
        }
    }
}

/// The scores of player 1 and player 2.
fn scores(values: &StringValues, turn: Turn) -> [f64; 2] {
    Side::BOTH.map(|side| values.score(turn.stones_of(side), turn.position) as f64)
}

struct Strings<'a> {
    values: &'a StringValues,
    search: AlphaBeta<'a, StringValues>,
}

impl Policy for Strings<'_> {
    fn choose(&mut self, turn: Turn) -> u64 {
        self.search.choose(turn)
    }

    fn leaf_evaluations(&self) -> u64 {
        self.search.leaf_evaluations()
    }
}

impl Thinker for Strings<'_> {
    fn opinion(&mut self, turn: Turn) -> Opinion {
        let shown = |value: i64| match value {
            value if !is_decided(value) => value as f64,
            WIN.. => f64::INFINITY,
            _ => f64::NEG_INFINITY,
        };
        let opinion = Opinion::of_moves(self.values.rules(), turn, || {
            let values = self.search.column_values(turn.position).into_iter();
            let values = values.map(|value| value.map(shown)).collect();
            (self.search.best(turn.position), values)
        });
        opinion.with_evaluation(scores(self.values, turn))
    }
}

struct Published<'a> {
    values: &'a StringValues,
    player: PublishedStrings<'a>,
}

impl Policy for Published<'_> {
    fn choose(&mut self, turn: Turn) -> u64 {
        self.player.choose(turn)
    }

    fn leaf_evaluations(&self) -> u64 {
        self.player.leaf_evaluations()
    }
}

impl Thinker for Published<'_> {
    /// The program has values where the game is over, too.
    fn opinion(&mut self, turn: Turn) -> Opinion {
        let rules = self.values.rules();
        let mut values = vec![None; rules.columns() as usize];
        for (column, value) in self.player.ranking(turn) {
            values[column as usize] = Some(value as f64);
        }
        Opinion {
            chosen: (!rules.is_over(turn.position)).then(|| self.player.choose(turn)),
            values,
            evaluation: Some(scores(self.values, turn)),
        }
    }
}

struct Solver<'a> {
    rules: &'a Rules,
    search: Perfect,
}

impl Policy for Solver<'_> {
    fn choose(&mut self, turn: Turn) -> u64 {
        self.search.choose(turn)
    }
}

impl Thinker for Solver<'_> {
    fn opinion(&mut self, turn: Turn) -> Opinion {
        Opinion::of_moves(self.rules, turn, || {
            let scores = self.search.column_scores(turn.position).into_iter();
            let values = scores.map(|score| score.map(f64::from)).collect();
            (self.search.best(turn.position), values)
        })
    }
}

impl Thinker for RandomStones {
    fn opinion(&mut self, turn: Turn) -> Opinion {
        let rules = *self.rules();
        Opinion::of_moves(&rules, turn, || {
            let columns = 0..rules.columns();
            let open = columns.map(|column| rules.stone(turn.position, column).map(|_| 0.0));
            (self.choose(turn), open.collect())
        })
    }
}

/// A player with its opponents, of which every opening meets one.
struct Duel {
    player: Contestant,
    opponents: Vec<Contestant>,
}

impl Duel {
    fn rules(&self) -> Rules {
        *self.player.rules()
    }

    /// What plays the game that `seed` names, the player under test first; each draws its own lots.
    fn pair(&self, seed: u64) -> [Box<dyn Thinker + '_>; 2] {
        let count = self.opponents.len() as u64;
        let met = Opening::of_seed(seed).number % count;
        let lots = |of: u64| derive(seed, Stream::Player, of, 0);
        [
            self.player.thinker(lots(0)),
            self.opponents[met as usize].thinker(lots(1)),
        ]
    }
}

impl Player for Duel {
    fn play(&self, seed: u64) -> GameRecord {
        let [mut player, mut opponent] = self.pair(seed);
        rules::play(self.rules(), seed, &mut *player, &mut *opponent)
    }

    fn begin(&self, seed: u64) -> Box<dyn Playing + '_> {
        let [player, opponent] = self.pair(seed);
        let game = Game::new(self.rules(), seed);
        Box::new(Steps::new(seed, game, player, Rival::Thinker(opponent)))
    }

    fn begin_against_person(
        &self,
        seed: u64,
        person_begins: bool,
    ) -> Option<Box<dyn Playing + '_>> {
        let side = match person_begins {
            true => Side::Second,
            false => Side::First,
        };
        let [player, _] = self.pair(seed);
        let game = Game::from_the_start(self.rules(), side);
        Some(Box::new(Steps::new(seed, game, player, Rival::PERSON)))
    }

    fn advise(&self, position: &str) -> Result<Value, NotAPosition> {
        let position = Position::parse(position, &self.rules())?;
        let other;
        let player = if position.rules == self.rules() {
            &self.player
        } else {
            other = self.player.on(position.rules);
            &other
        };
        let mut thinker = player.thinker(position.seed);
        Ok(thinker.opinion(position.turn).answer(&position.rules))
    }
}

#[cfg(test)]
mod tests;
