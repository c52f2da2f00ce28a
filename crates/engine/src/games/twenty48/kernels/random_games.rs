//! Games with uniformly random legal moves. All eight boards are slid at once without table look-ups, each in a
//! different direction.

use std::arch::x86_64::*;

use crate::games::twenty48::kernels::BatchedGame;
use crate::games::twenty48::kernels::eight::{Eight, Lanes, any_bit, below, next_bits, play_all};

/// See [`crate::games::twenty48::kernels::RandomKernel`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn play(games: &mut [BatchedGame], four_below: u64) {
    play_all(games, four_below, |eight| choose(eight));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
fn choose(eight: &mut Eight) -> (__m512i, u8) {
    let boards = eight.boards.load();
    let legal = legal_moves(boards);
    let direction = draw(&mut eight.choices, legal);
    let over = _mm512_testn_epi64_mask(legal, legal);
    let moved = slid(boards, direction);
    (_mm512_mask_mov_epi64(moved, over, boards), over)
}

/// The legal moves of each board as bits: bit 0 is up, 1 down, 2 left, 3 right.
#[target_feature(enable = "avx512f")]
#[inline]
fn legal_moves(boards: __m512i) -> __m512i {
    let tiles = any_bit(boards);
    // The next cell away from the wall, and whether its tile differs.
    let [below, right] = [
        _mm512_srli_epi64::<16>(boards),
        _mm512_srli_epi64::<4>(boards),
    ];
    let [below_differs, right_differs] =
        [below, right].map(|others| any_bit(_mm512_xor_si512(boards, others)));
    let [below, right] = [
        _mm512_srli_epi64::<16>(tiles),
        _mm512_srli_epi64::<4>(tiles),
    ];
    let rows = _mm512_set1_epi64(0x0000_1111_1111_1111);
    let columns = _mm512_set1_epi64(0x0111_0111_0111_0111);
    // A move towards the wall needs a tile in the next cell, and here either no tile or an equal one. A move
    // away from the wall needs a tile here, and in the next cell either no tile or an equal one.
    // Truth tables: 0x4C is b & !(a & c), 0x70 is a & !(b & c).
    let up = _mm512_ternarylogic_epi64::<0x4C>(tiles, below, below_differs);
    let down = _mm512_ternarylogic_epi64::<0x70>(tiles, below, below_differs);
    let left = _mm512_ternarylogic_epi64::<0x4C>(tiles, right, right_differs);
    let right = _mm512_ternarylogic_epi64::<0x70>(tiles, right, right_differs);
    let legal = _mm512_maskz_set1_epi64(_mm512_test_epi64_mask(up, rows), 1);
    [
        (_mm512_test_epi64_mask(down, rows), 2),
        (_mm512_test_epi64_mask(left, columns), 4),
        (_mm512_test_epi64_mask(right, columns), 8),
    ]
    .into_iter()
    .fold(legal, |legal, (mask, bit)| {
        _mm512_mask_or_epi64(legal, mask, legal, _mm512_set1_epi64(bit))
    })
}

/// A random direction for each board, drawn like `Random`: among the untried directions, until one is legal.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn draw(choices: &mut [Lanes; 4], legal: __m512i) -> __m512i {
    let three = _mm512_set1_epi64(3);
    // Two bits for each untried direction. The shift is twice the drawn index.
    let mut untried = _mm512_set1_epi64(0b11_10_01_00);
    let mut direction = _mm512_setzero_si512();
    let mut drawing = 0xFF;
    for count in [4, 3, 2, 1] {
        let bits = next_bits(choices, drawing);
        let pick = below(bits, _mm512_set1_epi64(count));
        let at = _mm512_add_epi64(pick, pick);
        let drawn = _mm512_and_si512(_mm512_srlv_epi64(untried, at), three);
        direction = _mm512_mask_mov_epi64(direction, drawing, drawn);
        let is_legal = _mm512_sllv_epi64(_mm512_set1_epi64(1), drawn);
        drawing &= _mm512_testn_epi64_mask(is_legal, legal);
        // The first draw has no early exit: nearly always at least one game must draw again.
        if count < 4 && drawing == 0 {
            break;
        }
        let last = _mm512_srl_epi64(untried, _mm_cvtsi64_si128(2 * count - 2));
        let last = _mm512_sllv_epi64(_mm512_and_si512(last, three), at);
        let others = _mm512_andnot_si512(_mm512_sllv_epi64(three, at), untried);
        untried = _mm512_or_si512(others, last);
    }
    direction
}

/// Repeats sixteen bytes four times.
const fn four_times(bytes: [u8; 16]) -> [u8; 64] {
    let mut all = [0; 64];
    let mut at = 0;
    while at < 64 {
        all[at] = bytes[at % 16];
        at += 1;
    }
    all
}

#[repr(C, align(64))]
struct Bytes([u8; 64]);

impl Bytes {
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load(&self) -> __m512i {
        // SAFETY: 64 bytes are read from an array of 64.
        unsafe { _mm512_load_si512(self.0.as_ptr().cast()) }
    }
}

/// For up, down, left and right: which cell goes to each place when the board is turned so that the move goes
/// to the left. Each turn is its own inverse.
static TURNS: Bytes = Bytes({
    let mut table = [0; 64];
    let mut cell = 0;
    while cell < 16 {
        let (row, column) = (cell / 4, cell % 4);
        table[cell] = (4 * column + row) as u8;
        table[16 + cell] = (4 * (3 - column) + 3 - row) as u8;
        table[32 + cell] = cell as u8;
        table[48 + cell] = (4 * row + 3 - column) as u8;
        cell += 1;
    }
    table
});

/// Marks a place without a cell.
const NOTHING: u8 = 0x80;

/// Closes the gaps of a row: which cell goes to each place. The index has one bit for each cell that contains a
/// tile.
static CLOSED: Bytes = Bytes({
    let mut table = [NOTHING; 64];
    let mut tiles = 0;
    while tiles < 16 {
        let (mut cell, mut place) = (0, 4 * tiles);
        while cell < 4 {
            if tiles >> cell & 1 == 1 {
                table[place] = cell as u8;
                place += 1;
            }
            cell += 1;
        }
        tiles += 1;
    }
    table
});

/// Merges a row without gaps. The index has one bit for each cell that equals the next cell. The first table
/// has a 1 for each cell that becomes a merged tile of the next rank. The second table says which cell goes to
/// each place.
const fn merges() -> [[u8; 64]; 2] {
    let (mut raised, mut places) = ([0; 64], [NOTHING; 64]);
    let mut equal = 0;
    while equal < 8 {
        let (mut cell, mut place) = (0, 4 * equal);
        while cell < 4 {
            places[place] = cell as u8;
            let merges = equal >> cell & 1;
            raised[4 * equal + cell] = merges as u8;
            cell += 1 + merges;
            place += 1;
        }
        equal += 1;
    }
    [raised, places]
}

static RAISED: Bytes = Bytes(merges()[0]);
static MERGED: Bytes = Bytes(merges()[1]);

/// For each byte: the index of the first cell of its row.
static ROWS: Bytes = Bytes(four_times([
    0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12,
]));

/// Slides each board in its direction, which must be legal.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn slid(boards: __m512i, direction: __m512i) -> __m512i {
    // One byte for each cell, sixteen bytes for each board. The first vector has boards 0, 2, 4, 6, the second
    // 1, 3, 5, 7.
    let low = _mm512_set1_epi8(0xF);
    let first = _mm512_and_si512(boards, low);
    let second = _mm512_and_si512(_mm512_srli_epi64::<4>(boards), low);
    let cells = [
        _mm512_unpacklo_epi8(first, second),
        _mm512_unpackhi_epi8(first, second),
    ];
    let halves = _mm512_setr_epi64(0, 1, 0, 1, 0, 1, 0, 1);
    let direction = _mm512_add_epi64(direction, direction);
    let turns = [
        _mm512_unpacklo_epi64(direction, direction),
        _mm512_unpackhi_epi64(direction, direction),
    ]
    .map(|at| _mm512_permutexvar_epi64(_mm512_add_epi64(at, halves), TURNS.load()));
    let pairs = [0, 1].map(|at| {
        let turned = _mm512_shuffle_epi8(cells[at], turns[at]);
        let back = _mm512_shuffle_epi8(slid_left(turned), turns[at]);
        _mm512_maddubs_epi16(back, _mm512_set1_epi16(0x1001))
    });
    _mm512_packus_epi16(pairs[0], pairs[1])
}

/// Slides every row to the left. There is one byte for each cell.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn slid_left(cells: __m512i) -> __m512i {
    let by_row = |bytes, weights| {
        let pairs = _mm512_maddubs_epi16(bytes, weights);
        _mm512_madd_epi16(pairs, _mm512_set1_epi16(1))
    };
    let chosen = |table: &Bytes, index| _mm512_permutexvar_epi32(index, table.load());
    let moved = |cells, places| _mm512_shuffle_epi8(cells, _mm512_add_epi8(places, ROWS.load()));
    let bits = _mm512_set1_epi32(0x0804_0201);
    let tiles = by_row(_mm512_min_epu8(cells, _mm512_set1_epi8(1)), bits);
    let closed = moved(cells, chosen(&CLOSED, tiles));
    let next = _mm512_srli_epi32::<8>(closed);
    let equal = _mm512_mask_cmpeq_epi8_mask(_mm512_test_epi8_mask(next, next), closed, next);
    let equal = by_row(_mm512_maskz_set1_epi8(equal, 1), bits);
    let raised = _mm512_add_epi8(closed, chosen(&RAISED, equal));
    moved(raised, chosen(&MERGED, equal))
}
