//! Eight games, one in each 64-bit lane: their random tiles, and the loop that starts and ends games one by
//! one. Needs AVX-512.

use std::arch::x86_64::*;

use crate::games::twenty48::kernels::{BatchedGame, MOST_MOVES};

/// The low bit of every nibble.
const EACH: i64 = 0x1111_1111_1111_1111;

/// A board without a legal move, for lanes without a game.
const DEAD: u64 = 0x1212_2121_1212_2121;

/// One 64-bit number for each of the eight games.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub(super) struct Lanes([u64; 8]);

/// Eight games in progress.
#[derive(Default)]
pub(super) struct Eight {
    pub(super) boards: Lanes,
    pub(super) choices: [Lanes; 4],
    pub(super) leaves: Lanes,
    spawns: [Lanes; 4],
    fours: Lanes,
    moves: Lanes,
    /// Indices of the games.
    index: [usize; 8],
    /// One bit for each lane: 1 if it has a game in progress.
    active: u8,
}

impl Lanes {
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(super) fn load(&self) -> __m512i {
        // SAFETY: eight 64-bit numbers are read from an array of eight.
        unsafe { _mm512_load_si512(self.0.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(super) fn store(&mut self, lanes: __m512i) {
        // SAFETY: eight 64-bit numbers are written into an array of eight.
        unsafe { _mm512_store_si512(self.0.as_mut_ptr().cast(), lanes) }
    }

    pub(super) fn get(&self, lane: usize) -> u64 {
        self.0[lane]
    }

    pub(super) fn set(&mut self, lane: usize, value: u64) {
        self.0[lane] = value;
    }
}

/// Plays games, sixteen at a time. `choose` returns the boards after the moves, and one bit for each lane: 1 if
/// no move is legal.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
pub(super) fn play_all(
    games: &mut [BatchedGame],
    four_below: u64,
    choose: impl Fn(&mut Eight) -> (__m512i, u8),
) {
    let mut running = [Eight::default(), Eight::default()];
    let mut next = 0;
    for eight in &mut running {
        eight.begin(0xFF, games, &mut next);
    }
    while running.iter().any(|eight| eight.active != 0) {
        for eight in &mut running {
            let (moved, over) = choose(eight);
            let most = _mm512_set1_epi64(MOST_MOVES);
            let left = _mm512_cmpge_epi64_mask(eight.moves.load(), most);
            let ended = (over | left) & eight.active;
            if ended != 0 {
                eight.end(ended, over, games);
            }
            eight.advance(moved, four_below);
            if ended != 0 {
                eight.begin(ended, games, &mut next);
            }
        }
    }
}

impl Eight {
    /// Starts the next game in each of these lanes, if there is another game.
    #[cold]
    fn begin(&mut self, lanes: u8, games: &[BatchedGame], next: &mut usize) {
        for lane in (0..8).filter(|lane| lanes >> lane & 1 == 1) {
            let nothing = BatchedGame {
                board: DEAD,
                ..BatchedGame::default()
            };
            let is_one = *next < games.len();
            let game = games.get(*next).unwrap_or(&nothing);
            self.boards.0[lane] = game.board;
            for (to, from) in self.spawns.iter_mut().zip(game.spawns) {
                to.0[lane] = from;
            }
            for (to, from) in self.choices.iter_mut().zip(game.choices) {
                to.0[lane] = from;
            }
            self.fours.0[lane] = game.fours;
            self.moves.0[lane] = game.moves;
            self.leaves.0[lane] = game.leaves;
            self.index[lane] = *next;
            self.active = self.active & !(1 << lane) | u8::from(is_one) << lane;
            *next += usize::from(is_one);
        }
    }

    /// Stores the final states of the games in these lanes.
    #[cold]
    fn end(&self, lanes: u8, over: u8, games: &mut [BatchedGame]) {
        for lane in (0..8).filter(|lane| lanes >> lane & 1 == 1) {
            let game = &mut games[self.index[lane]];
            game.board = self.boards.0[lane];
            game.fours = self.fours.0[lane];
            game.moves = self.moves.0[lane];
            game.leaves = self.leaves.0[lane];
            game.is_over = over >> lane & 1 == 1;
        }
    }

    /// Sets the boards to those after the moves, and adds a random tile to each, like `Board::with_spawn`. The
    /// boards must not be empty.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    #[inline]
    fn advance(&mut self, moved: __m512i, four_below: u64) {
        let one = _mm512_set1_epi64(1);
        let each = _mm512_set1_epi64(EACH);
        let bits = next_bits(&mut self.spawns, 0xFF);
        let empty = _mm512_andnot_si512(any_bit(moved), each);
        let number = _mm512_mullo_epi64(empty, each);
        let count = _mm512_srli_epi64::<60>(number);
        let chosen = _mm512_add_epi64(below(bits, count), one);
        let differs = any_bit(_mm512_xor_si512(number, _mm512_mullo_epi64(chosen, each)));
        let cell = _mm512_andnot_si512(differs, empty);
        let lower = _mm512_and_si512(bits, _mm512_set1_epi64(0xFFFF_FFFF));
        let four_below = _mm512_set1_epi64(four_below.cast_signed());
        let is_four = _mm512_cmplt_epu64_mask(lower, four_below);
        let cell = _mm512_mask_slli_epi64::<1>(cell, is_four, cell);
        self.boards.store(_mm512_or_si512(moved, cell));
        let fours = self.fours.load();
        self.fours
            .store(_mm512_mask_add_epi64(fours, is_four, fours, one));
        self.moves.store(_mm512_add_epi64(self.moves.load(), one));
    }
}

/// Sets the low bit of every nibble with at least one set bit. The other bits of the result are undefined.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn any_bit(nibbles: __m512i) -> __m512i {
    let one = _mm512_srli_epi64::<1>(nibbles);
    let two = _mm512_srli_epi64::<2>(nibbles);
    let three = _mm512_srli_epi64::<3>(nibbles);
    // Truth table: 0xFE is a | b | c.
    _mm512_or_si512(_mm512_ternarylogic_epi64::<0xFE>(nibbles, one, two), three)
}

/// Like `scale_to` with the upper halves of random bits.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn below(bits: __m512i, bound: __m512i) -> __m512i {
    _mm512_srli_epi64::<32>(_mm512_mul_epu32(_mm512_srli_epi64::<32>(bits), bound))
}

/// The next 64 random bits of the generators in some lanes. The other generators do not advance.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn next_bits(state: &mut [Lanes; 4], lanes: u8) -> __m512i {
    let [a, b, c, d] = [0, 1, 2, 3].map(|at| state[at].load());
    let bits = _mm512_add_epi64(_mm512_rol_epi64::<23>(_mm512_add_epi64(a, d)), a);
    let e = _mm512_xor_si512(c, a);
    let f = _mm512_xor_si512(d, b);
    let after = [
        _mm512_xor_si512(a, f),
        _mm512_xor_si512(b, e),
        _mm512_xor_si512(e, _mm512_slli_epi64::<17>(b)),
        _mm512_rol_epi64::<45>(f),
    ];
    let before = [a, b, c, d];
    for at in 0..4 {
        state[at].store(_mm512_mask_mov_epi64(before[at], lanes, after[at]));
    }
    bits
}
