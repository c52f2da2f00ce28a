//! A game between two players, from the opening of its seed to its record.

use crate::games::connect_four::rules::{Rules, Side, Turn};
use crate::random::{GameRng, Players, Stream, derive, fold};
use crate::record::{GameRecord, GameResult, Outcome};
use crate::stop::Stop;

/// Chooses the moves of one side.
pub trait Policy {
    /// The cell into which the stone of the side to move falls, as one bit. The game must not be over. After a
    /// request to stop, the answer can be any cell, because the caller discards it.
    fn choose(&mut self, turn: Turn) -> u64;

    /// Number of positions evaluated so far by the static evaluation.
    fn leaf_evaluations(&self) -> u64 {
        0
    }
}

/// The content of a game's seed: an opening, and the side of the player under test. Seeds that differ only in
/// the last bit are the two games of one opening. The bit above it selects an opening book.
///
/// There are few openings (some tens of thousands with eight stones on 7 rows and 6 columns), and most players
/// are deterministic, so different seeds can give the same game. The two books therefore separate training from
/// all other games: an opening and its mirror image are in exactly one of the books.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Number of the opening in its book.
    pub number: u64,
    /// The opening book: 0 or 1.
    pub book: u64,
    /// The side of the player under test. Player 1 is to move after the opening.
    pub side: Side,
}

/// Largest number of stones of an opening. On small boards an opening has a quarter of the cells.
const MOST_STONES: u32 = 8;

/// Number of random openings that are tried until one is accepted.
const MOST_TRIES: u32 = 1000;

impl Opening {
    /// The opening and the side of a seed.
    pub fn of_seed(seed: u64) -> Self {
        let side = if Players::moves_first(seed) {
            Side::First
        } else {
            Side::Second
        };
        Opening {
            number: seed >> 2,
            book: seed >> 1 & 1,
            side,
        }
    }

    /// The position after the opening: random stones, equally many of both players (together eight on 7 rows
    /// and 6 columns), with player 1 to move. Openings are drawn at random until one is in the book and quiet.
    /// Quiet means: no player has won, player 1 cannot win at once, and player 1 has a move after which player
    /// 2 cannot win at once. On small boards there can be no such opening. The first quiet opening of the other
    /// book is then used, or else the empty board.
    pub fn position(&self, rules: &Rules) -> Turn {
        // An even number, so that both players have equally many stones.
        let stones = (rules.number_of_cells() / 4).min(MOST_STONES) & !1;
        let mut rng = GameRng::new(derive(self.number, Stream::Opening, 0, 0));
        let drawn = std::iter::repeat_with(|| {
            (0..stones).fold(Turn::START, |turn, _| {
                turn.after(random_stone(rules, turn, &mut rng))
            })
        });
        let quiet = drawn.take(MOST_TRIES as usize);
        let mut quiet = quiet.filter(|turn| is_quiet(rules, *turn)).peekable();
        let first = quiet.peek().copied();
        let of_book = quiet.find(|turn| book_of(rules, *turn) == self.book);
        of_book.or(first).unwrap_or(Turn::START)
    }
}

/// The book of a position. A position and its mirror image have the same book.
fn book_of(rules: &Rules, turn: Turn) -> u64 {
    let sides = [turn.position.own, turn.position.other];
    let [own, other] = sides.min(sides.map(|stones| rules.mirrored(stones)));
    fold(own, other) & 1
}

fn is_quiet(rules: &Rules, turn: Turn) -> bool {
    let position = turn.position;
    let winning = rules.completions(position.own, position) & rules.playable(position);
    !rules.is_over(position) && winning == 0 && rules.safe_moves(position) != 0
}

/// A uniformly random move. The board must not be full.
pub fn random_stone(rules: &Rules, turn: Turn, rng: &mut GameRng) -> u64 {
    let mut playable = rules.playable(turn.position);
    for _ in 0..rng.below(playable.count_ones()) {
        // Removes the lowest cell.
        playable &= playable - 1;
    }
    playable & playable.wrapping_neg()
}

/// A game in progress.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    rules: Rules,
    turn: Turn,
    side: Side,
    moves: u32,
}

impl Match {
    /// The start of the game of `seed`, after its opening.
    pub fn new(rules: Rules, seed: u64) -> Self {
        let opening = Opening::of_seed(seed);
        Match {
            rules,
            turn: opening.position(&rules),
            side: opening.side,
            moves: 0,
        }
    }

    /// A game from the empty board, with the player under test on this side.
    pub fn from_the_start(rules: Rules, side: Side) -> Self {
        Match::from_turn(rules, Turn::START, side)
    }

    /// A game from a given position, with the player under test on this side.
    pub fn from_turn(rules: Rules, turn: Turn, side: Side) -> Self {
        Match {
            rules,
            turn,
            side,
            moves: 0,
        }
    }

    /// The rules of the board.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The position and who is to move.
    pub fn turn(&self) -> Turn {
        self.turn
    }

    /// Side of the player under test.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Number of stones of both players since the opening.
    pub fn moves(&self) -> u32 {
        self.moves
    }

    /// The result for the player under test; `None` while the game is in progress.
    pub fn outcome(&self) -> Option<Outcome> {
        // Only the side that moved last can have won.
        let last = self.turn.to_move.opponent();
        if self.rules.is_won(self.turn.stones_of(last)) {
            Some(if last == self.side {
                Outcome::Win
            } else {
                Outcome::Loss
            })
        } else if self.turn.position.stones() == self.rules.cells() {
            Some(Outcome::Draw)
        } else {
            None
        }
    }

    /// Drops a stone of the side to move into the cell `stone`, given as one bit.
    ///
    /// # Panics
    /// If a stone cannot fall into that cell.
    pub fn play(&mut self, stone: u64) {
        let playable = self.rules.playable(self.turn.position);
        assert!(
            stone.is_power_of_two() && stone & playable != 0,
            "illegal {stone:#x} on {:?}",
            self.turn
        );
        self.turn = self.turn.after(stone);
        self.moves += 1;
    }

    /// The record of the game. A game in progress counts as a draw.
    pub fn record(&self, seed: u64, leaf_evaluations: u64) -> GameRecord {
        GameRecord {
            seed,
            result: GameResult::Outcome(self.outcome().unwrap_or(Outcome::Draw)),
            moves: self.moves,
            leaf_evaluations,
        }
    }
}

/// Plays the game of `seed` to its end: `player` is the player under test. Returns `None` if `stop` is
/// requested before the end.
///
/// # Panics
/// If a player chooses an illegal move, which is an error in its code.
pub fn play(
    rules: Rules,
    seed: u64,
    player: &mut (impl Policy + ?Sized),
    opponent: &mut (impl Policy + ?Sized),
    stop: Stop,
) -> Option<GameRecord> {
    let mut game = Match::new(rules, seed);
    while game.outcome().is_none() {
        let turn = game.turn();
        let stone = if turn.to_move == game.side() {
            player.choose(turn)
        } else {
            opponent.choose(turn)
        };
        game.play(stop.complete(stone)?);
    }
    Some(game.record(seed, player.leaf_evaluations()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::rules::Bitboards;
    use crate::games::connect_four::rules::samples::RULES;
    use crate::games::connect_four::search::RandomStones;
    use std::collections::HashSet;

    #[test]
    fn openings_are_quiet_and_differ() {
        for [rows, columns, connect] in RULES {
            let rules = Rules::new(rows, columns, connect).unwrap();
            for number in 0..300 {
                let [first, second] = [0, 1].map(|side| Opening::of_seed(2 * number + side));
                assert_eq!(first.book, number % 2);
                assert_eq!((first.side, second.side), (Side::First, Side::Second));
                let turn = first.position(&rules);
                assert_eq!(turn, second.position(&rules));
                assert!(is_quiet(&rules, turn));
                assert_eq!(turn.to_move, Side::First);
                let [own, other] =
                    [turn.position.own, turn.position.other].map(|stones| stones.count_ones());
                assert!(own == other && own > 0, "{rules:?}");
            }
        }
        let rules = Rules::published();
        let [one, other] = [0, 2].map(|book| {
            let seeds = (0..2000).map(|number| 4 * number + book);
            let openings = seeds.map(|seed| Opening::of_seed(seed).position(&rules));
            openings.map(|turn| turn.position).collect::<HashSet<_>>()
        });
        assert!(one.len() > 1800, "{}", one.len());
        let mirrored = |position: &Bitboards| Bitboards {
            own: rules.mirrored(position.own),
            other: rules.mirrored(position.other),
        };
        assert!(one.is_disjoint(&other));
        assert!(one.is_disjoint(&other.iter().map(mirrored).collect()));
    }

    #[test]
    fn random_games_end_as_their_last_position_says() {
        for [rows, columns, connect] in RULES {
            let rules = Rules::new(rows, columns, connect).unwrap();
            let mut ends = HashSet::new();
            for seed in 0..400 {
                let [mut one, mut other] = [1, 2].map(|k| RandomStones::new(rules, k * seed));
                let record = play(rules, seed, &mut one, &mut other, Stop::never()).unwrap();
                assert_eq!(record.seed, seed);
                assert!(record.moves < rules.number_of_cells());
                ends.insert(record.outcome());
            }
            assert!(ends.contains(&Some(Outcome::Win)) && ends.contains(&Some(Outcome::Loss)));
        }
    }
}
