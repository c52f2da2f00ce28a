//! The workers, runs and queues of a NATS server, from the messages of a few seconds.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use async_nats::jetstream;
use futures_util::StreamExt;

use super::connection::{ConnectError, Server, runtime};
use super::messages::{Heartbeat, RunState};
use super::nats::stream_name;
use crate::stop::Stop;

/// The active workers and runs, and the number of queued tasks of each build.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Overview {
    /// The workers by name.
    pub workers: BTreeMap<String, Heartbeat>,
    /// The runs by id.
    pub runs: BTreeMap<String, RunState>,
    /// Number of queued tasks of each build.
    pub queues: BTreeMap<String, u64>,
}

/// Polling interval of the stop request.
const TICK: Duration = Duration::from_millis(50);

/// Collects messages for this time. `None` after a stop request.
///
/// # Errors
/// If the server cannot be reached or refuses the credentials.
pub fn overview(
    server: &Server,
    time: Duration,
    stop: Stop,
) -> Result<Option<Overview>, ConnectError> {
    let runtime = runtime()?;
    let seen = runtime.block_on(async {
        let stopped = async {
            while !stop.is_requested() {
                tokio::time::sleep(TICK).await;
            }
        };
        tokio::select! {
            seen = listen(server, time) => seen.map(Some),
            () = stopped => Ok(None),
        }
    });
    // A DNS lookup cannot be stopped, so the runtime does not wait for it.
    runtime.shutdown_background();
    seen
}

fn unreachable(error: impl ToString) -> ConnectError {
    ConnectError::Unreachable(error.to_string())
}

async fn listen(server: &Server, time: Duration) -> Result<Overview, ConnectError> {
    let client = server
        .connect(|options| options.name("tiletune cluster"))
        .await?;
    let subscribe =
        async |subject: &'static str| client.subscribe(subject).await.map_err(unreachable);
    let mut beats = subscribe("tiletune.worker.>").await?;
    let mut states = subscribe("tiletune.run.>").await?;
    let mut overview = Overview::default();
    let end = tokio::time::sleep(time);
    tokio::pin!(end);
    loop {
        tokio::select! {
            Some(message) = beats.next() => {
                if let Ok(beat) = serde_json::from_slice::<Heartbeat>(&message.payload) {
                    overview.workers.insert(beat.worker.clone(), beat);
                }
            }
            Some(message) = states.next() => {
                if let Ok(state) = serde_json::from_slice::<RunState>(&message.payload) {
                    overview.runs.insert(state.run.clone(), state);
                }
            }
            () = &mut end => break,
        }
    }
    overview.workers.retain(|_, beat| !beat.ends);
    let builds = overview.workers.values().map(|beat| &beat.build);
    let builds = builds.chain(overview.runs.values().map(|run| &run.build));
    let builds: BTreeSet<String> = builds.cloned().collect();
    let context = jetstream::new(client.clone());
    for build in builds {
        if let Ok(stream) = context.get_stream(stream_name(&build)).await {
            let tasks = stream.cached_info().state.messages;
            overview.queues.insert(build, tasks);
        }
    }
    Ok(overview)
}
