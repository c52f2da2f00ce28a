//! A cache for a few expensive entries.

use std::sync::{Arc, Mutex};

use crate::lock::locked;

/// The entries, ordered by their last use. A new entry replaces the least recently used one.
pub(super) struct Cache<Entry> {
    capacity: usize,
    entries: Mutex<Vec<Arc<Entry>>>,
}

impl<Entry> Cache<Entry> {
    pub(super) fn new(capacity: usize) -> Self {
        Cache {
            capacity,
            entries: Mutex::default(),
        }
    }

    pub(super) fn find(&self, is_wanted: impl Fn(&Entry) -> bool) -> Option<Arc<Entry>> {
        let mut entries = locked(&self.entries);
        let place = entries.iter().position(|entry| is_wanted(entry))?;
        let found = entries.remove(place);
        entries.push(found.clone());
        Some(found)
    }

    pub(super) fn insert(&self, entry: Arc<Entry>) {
        let mut entries = locked(&self.entries);
        entries.push(entry);
        let surplus = entries.len().saturating_sub(self.capacity);
        entries.drain(..surplus);
    }

    pub(super) fn remove(&self, is_stale: impl Fn(&Entry) -> bool) {
        locked(&self.entries).retain(|entry| !is_stale(entry));
    }
}
