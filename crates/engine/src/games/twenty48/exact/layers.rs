//! The positions that can be reached, as sorted lists of keys: a layer for each sum of tiles. A move keeps the sum and
//! a random tile increases it, so a layer leads only to layers of larger sums.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;

use super::grid::{Grid, sum_of_tiles};
use super::problem::Problem;
use crate::player::exact::{Phase, Progress, Work};

/// With fewer items, more threads are not worth their start.
const ITEMS_OF_A_THREAD: usize = 4096;

/// The results of a function for consecutive parts of a list, one for each thread.
pub(super) fn in_parts<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    of_part: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    let parts = threads.min(items.len().div_ceil(ITEMS_OF_A_THREAD)).max(1);
    if parts == 1 {
        return vec![of_part(items)];
    }
    let of_part = &of_part;
    std::thread::scope(|scope| {
        let parts = items.chunks(items.len().div_ceil(parts));
        let running: Vec<_> = parts
            .map(|part| scope.spawn(move || of_part(part)))
            .collect();
        running.into_iter().map(joined).collect()
    })
}

/// The results of a function for parts of a fixed length of a list, in their order. They do not depend on the number of
/// threads. `of_part` gets parts in any order.
pub(super) fn in_fixed_parts<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    of_part: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    let parts: Vec<&[T]> = items.chunks(ITEMS_OF_A_THREAD).collect();
    let next = AtomicUsize::new(0);
    let (parts, next, of_part) = (&parts, &next, &of_part);
    let work = move || {
        let mut results = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = parts.get(at) else {
                return results;
            };
            results.push((at, of_part(part)));
        }
    };
    let threads = threads.min(parts.len());
    let mut results = if threads <= 1 {
        work()
    } else {
        std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            running.into_iter().flat_map(joined).collect()
        })
    };
    results.sort_unstable_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The result of a thread; a panic goes on here.
fn joined<R>(thread: ScopedJoinHandle<R>) -> R {
    let result = thread.join();
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Sorts a list and removes what occurs twice.
fn as_set(mut list: Vec<u32>) -> Vec<u32> {
    list.sort_unstable();
    list.dedup();
    list
}

/// The union of sorted lists without duplicates.
fn union(mut lists: Vec<Vec<u32>>) -> Vec<u32> {
    while lists.len() > 1 {
        let mut merged = Vec::with_capacity(lists.len().div_ceil(2));
        let mut pairs = lists.into_iter();
        while let Some(one) = pairs.next() {
            merged.push(match pairs.next() {
                Some(other) => union_of_two(&one, &other),
                None => one,
            });
        }
        lists = merged;
    }
    lists.pop().unwrap_or_default()
}

fn union_of_two(one: &[u32], other: &[u32]) -> Vec<u32> {
    let mut all = Vec::with_capacity(one.len() + other.len());
    let (mut at, mut of_other) = (0, 0);
    while let (Some(&a), Some(&b)) = (one.get(at), other.get(of_other)) {
        all.push(a.min(b));
        at += usize::from(a <= b);
        of_other += usize::from(b <= a);
    }
    all.extend_from_slice(&one[at..]);
    all.extend_from_slice(&other[of_other..]);
    all.shrink_to_fit();
    all
}

/// The keys of the canonical boards after the moves from the boards of a layer, as a sorted list.
pub(super) fn afters<const ROWS: usize, const COLUMNS: usize>(
    grid: Grid<ROWS, COLUMNS>,
    keys: &[u32],
    sum: u32,
    threads: usize,
) -> Vec<u32> {
    union(in_parts(keys, threads, |keys| {
        let mut found = Vec::with_capacity(4 * keys.len());
        for &key in keys {
            let board = Grid::<ROWS, COLUMNS>::board(key, sum);
            for after in grid.afters(board).into_iter().flatten() {
                let canonical = Grid::<ROWS, COLUMNS>::canonical(after.board);
                found.push(Grid::<ROWS, COLUMNS>::key(canonical));
            }
        }
        as_set(found)
    }))
}

/// Calls a function with each empty cell of a board, as the low bit of its nibble.
#[inline(always)]
pub(super) fn each_empty<const ROWS: usize, const COLUMNS: usize>(
    board: u64,
    mut of: impl FnMut(u64),
) {
    let mut cells = Grid::<ROWS, COLUMNS>::empty_mask(board);
    while cells != 0 {
        of(cells & cells.wrapping_neg());
        cells &= cells - 1;
    }
}

/// The canonical positions that can be reached from the start: sum of tiles -> sorted keys. Positions in which the goal
/// is reached are left out. `None` if a stop is requested.
pub(super) fn reachable<const ROWS: usize, const COLUMNS: usize>(
    problem: &Problem,
    starts: &[(u64, f64)],
    work: &Work,
) -> Option<BTreeMap<u32, Vec<u32>>> {
    let grid = Grid::<ROWS, COLUMNS>::new();
    let mut layers = BTreeMap::new();
    // Sum -> sorted lists of keys whose union is the layer.
    let mut found: BTreeMap<u32, Vec<Vec<u32>>> = BTreeMap::new();
    for (start, _) in starts {
        if !problem.goal.is_reached(*start) {
            let key = Grid::<ROWS, COLUMNS>::key(Grid::<ROWS, COLUMNS>::canonical(*start));
            found
                .entry(sum_of_tiles(*start))
                .or_default()
                .push(vec![key]);
        }
    }
    let mut states = 0;
    while let Some((sum, lists)) = found.pop_first() {
        if work.stop.is_requested() {
            return None;
        }
        let keys = union(lists);
        let afters = afters(grid, &keys, sum, work.threads);
        for (rank, _) in problem.tiles() {
            let after_tile = in_parts(&afters, work.threads, |afters| {
                let mut found = Vec::with_capacity(4 * afters.len());
                for &key in afters {
                    let after = Grid::<ROWS, COLUMNS>::board(key, sum);
                    if problem.goal.is_reached(after) {
                        continue;
                    }
                    each_empty::<ROWS, COLUMNS>(after, |cell| {
                        let board = after | (cell * u64::from(rank));
                        if !problem.goal.is_reached(board) {
                            found.push(Grid::<ROWS, COLUMNS>::key(
                                Grid::<ROWS, COLUMNS>::canonical(board),
                            ));
                        }
                    });
                }
                as_set(found)
            });
            let after_tile = after_tile.into_iter().filter(|list| !list.is_empty());
            let lists: Vec<Vec<u32>> = after_tile.collect();
            if !lists.is_empty() {
                found.entry(sum + (1 << rank)).or_default().extend(lists);
            }
        }
        states += keys.len() as u64;
        (work.progress)(Progress {
            phase: Phase::Positions,
            states,
        });
        layers.insert(sum, keys);
    }
    Some(layers)
}
