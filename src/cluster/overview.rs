//! What a NATS server carries of tiletune: workers, runs and queues, from what they say within a few seconds.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::jetstream;
use futures_util::StreamExt;

use super::connection::{ConnectError, Server};
use super::messages::{Beat, RunState};
use super::nats::stream_name;
use crate::stop::Stop;

/// Workers and runs that are heard, and the tasks in the queue of each build.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Overview {
    /// The workers by name.
    pub workers: BTreeMap<String, Beat>,
    /// The runs by id.
    pub runs: BTreeMap<String, RunState>,
    /// Tasks in the queue of each build.
    pub queues: BTreeMap<String, u64>,
}

/// Listens for this time.
///
/// # Errors
/// If the server cannot be reached or refuses the credentials.
pub fn overview(server: &Server, time: Duration, stop: Stop) -> Result<Overview, ConnectError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let unreachable = |error: String| ConnectError::Unreachable(error);
    let runtime = runtime.map_err(|error| unreachable(error.to_string()))?;
    runtime.block_on(async {
        let client = server
            .connect(|options| options.name("tiletune cluster"))
            .await?;
        let subscribe = async |subject: &'static str| {
            let subscribed = client.subscribe(subject).await;
            subscribed.map_err(|error| unreachable(error.to_string()))
        };
        let mut beats = subscribe("tiletune.worker.>").await?;
        let mut states = subscribe("tiletune.run.>").await?;
        let mut overview = Overview::default();
        let end = tokio::time::sleep(time);
        tokio::pin!(end);
        let mut ticks = tokio::time::interval(Duration::from_millis(50));
        loop {
            tokio::select! {
                Some(message) = beats.next() => {
                    if let Ok(beat) = serde_json::from_slice::<Beat>(&message.payload) {
                        overview.workers.insert(beat.worker.clone(), beat);
                    }
                }
                Some(message) = states.next() => {
                    if let Ok(state) = serde_json::from_slice::<RunState>(&message.payload) {
                        overview.runs.insert(state.run.clone(), state);
                    }
                }
                _ = ticks.tick() => if stop.is_requested() { break },
                () = &mut end => break,
            }
        }
        overview.workers.retain(|_, beat| !beat.ends);
        let builds = overview.workers.values().map(|beat| &beat.build);
        let builds = builds
            .chain(overview.runs.values().map(|run| &run.build))
            .cloned();
        let context = jetstream::new(client.clone());
        for build in builds.collect::<Vec<_>>() {
            if let Ok(stream) = context.get_stream(stream_name(&build)).await {
                overview
                    .queues
                    .insert(build, stream.cached_info().state.messages);
            }
        }
        Ok(overview)
    })
}
