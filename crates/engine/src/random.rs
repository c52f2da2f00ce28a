//! Seeds and random numbers.
//!
//! Every seed of the program is derived here from a tagged tuple, so that two purposes cannot share
//! a stream by accident. Every game has its own Xoshiro256++ generator. This module must not know
//! the rules of a game.

use std::hash::{BuildHasher, RandomState};

/// The purpose of a seed. The number is part of the derivation, so a number must never be reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Stream {
    /// Games of one generation of a campaign: `(generation, game)`.
    Train = 1,
    /// Games that compare the finalists of a search or series: `(0, game)`.
    Race = 2,
    /// The seed of the hold-out games. It is recorded, so that the hold-out games can be replayed.
    HoldOut = 3,
    /// Games of `evaluate --seed`, and hold-out games: `(0, game)`.
    Evaluate = 4,
    /// Random choices of a player. They are separate from the random tiles or openings of the game.
    Player = 5,
    /// The optimizer's own sampling.
    Optimizer = 6,
    /// Bootstrap resampling.
    Bootstrap = 7,
    /// Games of the time estimate before a campaign.
    Calibration = 8,
    /// Games of the fingerprint.
    Fingerprint = 9,
    /// Openings of games between two players.
    Opening = 10,
    /// Positions that an exact solver analyses to measure a player: `(position, game)`.
    Yardstick = 11,
    /// Games of a comparison: `(seeds, game)`. Players with the same first number play games with common seeds.
    Compare = 12,
    /// Seeds of the campaigns that a run executes: `(number, 0)`.
    Child = 13,
    /// Games that check whether a parameter has an effect: `(0, game)`.
    Effect = 14,
    /// The choice of recorded games for a spot check: `(number of the sample, number of the choice)`.
    Sample = 15,
    /// Seeds of the hold-out games of a search that went on with a larger budget: `(number of the look, 0)`.
    Look = 16,
    /// Games of the start weights at the beginning of a campaign: `(0, game)`.
    Start = 17,
}

const GOLDEN_GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

impl Stream {
    /// True for streams whose games select weights. Games of these streams never share openings with games of
    /// the other streams.
    pub fn is_training(self) -> bool {
        matches!(self, Stream::Train | Stream::Race | Stream::Calibration)
    }
}

/// One step of SplitMix64 (Steele, Lea, Flood 2014): adds the golden gamma and mixes the bits.
fn split_mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(GOLDEN_GAMMA);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The seed of the tuple `(seed, stream, first, second)`. One step of SplitMix64 mixes each element into the
/// state of the elements before it. A plain `seed ^ index` would be wrong: neighbouring seeds would then play
/// the same games in another order.
pub fn derive(seed: u64, stream: Stream, first: u64, second: u64) -> u64 {
    [stream as u64, first, second]
        .into_iter()
        .fold(split_mix(seed), fold)
}

/// Mixes one more value into a hash or seed.
pub fn fold(state: u64, value: u64) -> u64 {
    split_mix(state ^ value)
}

/// The number of players of a game. It determines how the seeds of games are derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Players {
    /// One player against chance. Every game has its own seed.
    One,
    /// Two players. Each opening is played twice, once from each side: the seeds of two consecutive games
    /// differ only in the last bit. The last bit is 1 if the player under test moves second. The bit above it
    /// is the opening book: 0 in training, 1 in all other games.
    Two,
}

impl Players {
    /// The seed of one game of a stream, counted from 0.
    pub fn game_seed(self, seed: u64, stream: Stream, first: u64, game: u64) -> u64 {
        match self {
            Players::One => derive(seed, stream, first, game),
            Players::Two => {
                let book = u64::from(!stream.is_training());
                // Bits 0 and 1 of the derived seed are replaced by the side and the book.
                derive(seed, stream, first, game / 2) & !3 | (book << 1) | (game % 2)
            }
        }
    }

    /// For two players: true if the player under test makes the first move after the opening of this seed.
    pub fn moves_first(seed: u64) -> bool {
        seed & 1 == 0
    }

    /// For two players: the number of the opening of this seed, including the bit of its book. Equal numbers
    /// mean equal openings.
    pub fn opening(seed: u64) -> u64 {
        seed >> 1
    }

    /// For two players: the index of the opponent for this seed, from 0 to `count` - 1. The index follows from
    /// the opening, so both games of an opening have the same opponent.
    pub fn opponent(seed: u64, count: usize) -> usize {
        ((seed >> 2) % count as u64) as usize
    }

    /// The number of games, rounded up to whole pairs if each opening is played from both sides.
    pub fn whole(self, games: u32) -> u32 {
        match self {
            Players::One => games,
            Players::Two => games.next_multiple_of(2),
        }
    }

    /// The seeds of `count` games of a stream, in order.
    pub fn game_seeds(self, seed: u64, stream: Stream, first: u64, count: u64) -> Vec<u64> {
        (0..count)
            .map(|game| self.game_seed(seed, stream, first, game))
            .collect()
    }
}

/// Largest number of settings between which the games of a player are divided.
pub const MOST_SETTINGS: usize = 16;

/// The seed of a game at a setting of a player with several: its last four bits are the number of the setting.
pub fn at_setting(seed: u64, setting: usize) -> u64 {
    seed & !(MOST_SETTINGS as u64 - 1) | setting as u64
}

/// The number of the setting at which the game of a seed is played, if the seed is one of [`at_setting`].
pub fn setting_of(seed: u64) -> usize {
    (seed % MOST_SETTINGS as u64) as usize
}

/// A seed that is shown to users and written into files. It has 53 bits, so that TOML, JSON and
/// JavaScript represent it exactly.
pub fn shown_seed(seed: u64, stream: Stream) -> u64 {
    derive(seed, stream, 0, 0) >> 11
}

/// A random seed of 53 bits, different at each call, for a run whose file gives no seed.
pub fn drawn_seed() -> u64 {
    // The hasher of a `RandomState` has keys from the random numbers of the system.
    RandomState::new().hash_one(GOLDEN_GAMMA) >> 11
}

/// The seed of a campaign inside another run, by the number of the campaign in that run. It has 53 bits, like
/// [`shown_seed`].
pub fn child_seed(seed: u64, number: u64) -> u64 {
    derive(seed, Stream::Child, number, 0) >> 11
}

/// The seed of the hold-out games at a later look at a search: 2 for the second one, and so on. It has 53 bits, like
/// [`shown_seed`].
pub fn look_seed(seed: u64, look: u32) -> u64 {
    derive(seed, Stream::Look, look.into(), 0) >> 11
}

/// The random stream of one game (Xoshiro256++, Blackman and Vigna 2019). Its state is readable, so
/// that a kernel can continue the stream.
#[derive(Clone, Debug)]
pub struct GameRng([u64; 4]);

impl GameRng {
    /// The generator of a seed. Four steps of SplitMix64 fill the state, as its authors recommend.
    pub fn new(seed: u64) -> Self {
        let at = |number: u64| split_mix(seed.wrapping_add(number.wrapping_mul(GOLDEN_GAMMA)));
        Self([0, 1, 2, 3].map(at))
    }

    /// The state of the generator.
    pub fn state(&self) -> [u64; 4] {
        self.0
    }

    /// The next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.0;
        let bits = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (e, f) = (c ^ a, d ^ b);
        self.0 = [a ^ f, b ^ e, e ^ b << 17, f.rotate_left(45)];
        bits
    }

    /// Uniform in `0..bound` by multiply and shift over 32 bits; the bias is below `bound / 2^32`.
    pub fn below(&mut self, bound: u32) -> u32 {
        scale_to(self.bits() >> 32, bound)
    }
}

/// Maps 32 uniform random bits to `0..bound` (Lemire 2019, without the rejection step).
pub fn scale_to(bits: u64, bound: u32) -> u32 {
    ((bits * u64::from(bound)) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};
    use std::collections::HashSet;

    #[test]
    fn streams_generations_and_games_do_not_share_seeds() {
        let mut seen = HashSet::new();
        for seed in 0..20 {
            for stream in [
                Stream::Train,
                Stream::Race,
                Stream::Evaluate,
                Stream::Compare,
            ] {
                for generation in 0..20 {
                    for game in 0..20 {
                        assert!(seen.insert(derive(seed, stream, generation, game)));
                    }
                }
            }
        }
    }

    #[test]
    fn an_opening_is_played_from_both_sides() {
        let seeds = Players::Two.game_seeds(7, Stream::Train, 3, 5);
        let sides: Vec<u64> = seeds.iter().map(|seed| seed & 1).collect();
        assert_eq!(sides, [0, 1, 0, 1, 0]);
        let openings: HashSet<u64> = seeds.iter().map(|seed| seed >> 1).collect();
        assert_eq!(openings.len(), 3);
        assert!(seeds.iter().all(|seed| seed & 2 == 0));
        let hold_out = Players::Two.game_seeds(7, Stream::Evaluate, 3, 5);
        assert!(hold_out.iter().all(|seed| seed & 2 == 2));
        assert_eq!(
            (seeds[0] >> 1, seeds[2] >> 1),
            (seeds[1] >> 1, seeds[3] >> 1)
        );
    }

    #[test]
    fn derivation_is_frozen() {
        // Do not change this number: it would change all recorded games.
        assert_eq!(derive(0, Stream::Train, 0, 0), 15_114_123_258_453_576_503);
        assert_eq!(
            derive(2048, Stream::Evaluate, 3, 5),
            8_209_422_226_066_512_790
        );
        assert_eq!(derive(2048, Stream::Compare, 0, 7), 338_846_955_330_700_675);
        assert!(!Stream::Compare.is_training());
    }

    #[test]
    fn a_stream_is_that_of_the_published_generator() {
        for seed in [0, 1, 2048, u64::MAX] {
            let mut published = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut rng = GameRng::new(seed);
            for _ in 0..1000 {
                assert_eq!(rng.bits(), published.next_u64());
            }
        }
    }

    #[test]
    fn below_is_uniform() {
        let mut rng = GameRng::new(7);
        let mut counts = [0u32; 15];
        for _ in 0..150_000 {
            counts[rng.below(15) as usize] += 1;
        }
        // Chi-square with 14 degrees of freedom; 36.1 is its 99.9 % point.
        let chi_square: f64 = counts
            .iter()
            .map(|&count| (f64::from(count) - 10_000.0).powi(2) / 10_000.0)
            .sum();
        assert!(chi_square < 36.1, "chi-square {chi_square}");
    }

    #[test]
    fn drawn_seeds_differ_and_survive_a_double() {
        let drawn: HashSet<u64> = (0..100).map(|_| drawn_seed()).collect();
        assert_eq!(drawn.len(), 100);
        assert!(drawn.iter().all(|&seed| seed == seed as f64 as u64));
    }

    #[test]
    fn shown_seeds_survive_a_double() {
        for seed in 0..1000 {
            let shown = shown_seed(seed, Stream::HoldOut);
            assert_eq!(shown, shown as f64 as u64);
            let child = child_seed(seed, 1);
            assert_eq!(child, child as f64 as u64);
            assert!(child != child_seed(seed, 2) && child != shown);
            let look = look_seed(seed, 2);
            assert_eq!(look, look as f64 as u64);
            assert!(look != look_seed(seed, 3) && look != shown && look != child_seed(seed, 2));
        }
    }
}
