//! The state of the laboratory: heuristics that are ready for new weights, and the work in progress of each page.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use tokio::sync::{Semaphore, oneshot};

use super::cache::Cache;
use super::player_cache::WeightsVersion;
use super::settings::Limits;
use crate::heuristic::weights::Weights;
use crate::lock::locked;
use crate::player::{PlayerConfig, PlayerSpec};

/// Number of cached heuristics. Each has the values of its terms on all lines, a few megabytes.
const PREPARED: usize = 8;
/// Number of pages whose work is known. The work of the one that has asked longest ago ends when another page comes.
const CLIENTS: usize = 64;

pub(super) struct LabState {
    pub(super) prepared: Cache<Prepared>,
    pub(super) clients: Clients,
    /// A permit for each stream of games at a time.
    pub(super) streams: Arc<Semaphore>,
}

impl LabState {
    pub(super) fn new(limits: Limits) -> Self {
        LabState {
            prepared: Cache::new(PREPARED),
            clients: Clients::default(),
            streams: Arc::new(Semaphore::new(limits.streams)),
        }
    }
}

/// A player with its heuristic and the weights to begin with, all of them.
pub(super) struct Prepared {
    /// The player, the version of its weights and the text of its file, as they were asked for.
    pub(super) key: PreparedKey,
    pub(super) spec: PlayerSpec,
    pub(super) weights: Weights,
}

pub(super) type PreparedKey = (PlayerConfig, Option<WeightsVersion>, Option<String>);

/// The work in progress by the names that pages chose. New work of a name ends its older work.
#[derive(Default)]
pub(super) struct Clients(Mutex<VecDeque<(String, oneshot::Sender<Infallible>)>>);

impl Clients {
    pub(super) fn begin(&self, name: String) -> Overtaken {
        let (sender, receiver) = oneshot::channel();
        let mut clients = locked(&self.0);
        clients.retain(|(other, sender)| *other != name && !sender.is_closed());
        // A dropped sender ends its work.
        if clients.len() >= CLIENTS {
            clients.pop_front();
        }
        clients.push_back((name, sender));
        Overtaken(receiver)
    }
}

/// Waits until newer work of the same name begins.
pub(super) struct Overtaken(oneshot::Receiver<Infallible>);

impl Overtaken {
    pub(super) async fn wait(&mut self) {
        let _ = (&mut self.0).await;
    }

    #[cfg(test)]
    fn is_overtaken(&mut self) -> bool {
        matches!(self.0.try_recv(), Err(oneshot::error::TryRecvError::Closed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_work_of_a_page_ends_the_older_one() {
        let clients = Clients::default();
        let mut one = clients.begin("a".into());
        let mut other = clients.begin("b".into());
        assert!(!one.is_overtaken() && !other.is_overtaken());
        let mut newer = clients.begin("a".into());
        assert!(one.is_overtaken() && !other.is_overtaken() && !newer.is_overtaken());
        let mut many: Vec<Overtaken> = (0..CLIENTS).map(|n| clients.begin(n.to_string())).collect();
        assert!(other.is_overtaken() && newer.is_overtaken());
        assert!(!many.iter_mut().any(Overtaken::is_overtaken));
        drop(many);
        drop(clients.begin("c".into()));
        assert_eq!(locked(&clients.0).len(), 1, "ended work is forgotten");
    }
}
