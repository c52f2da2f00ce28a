//! Games with the weights of a page, and the same games with the weights that it began with. The results grow while the
//! games are played.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::begin;
use super::setting::Setting;
use crate::player::{Player, PlayerSpec, Players};
use crate::random;
use crate::record::GameRecord;
use crate::results::Verdict;
use crate::stats::bootstrap::{Resampling, mean_interval};
use crate::stats::difference::{FEWEST_OBSERVATIONS, paired_difference};
use crate::stats::games::{PlayedScores, results};
use crate::stats::summary::mean;
use crate::stop::Stop;
use crate::web::app::App;
use crate::web::feed::{self, Feed};
use crate::web::refusal::Refusal;
use crate::web::request::Body;

/// Largest number of games of each weights.
const MOST_GAMES: u32 = 1_000;
/// A result is sent about so often.
const INTERVAL: Duration = Duration::from_millis(400);
/// Largest number of games between two results.
const MOST_TOGETHER: usize = 64;
/// Bootstrap resamples of an interval.
const RESAMPLES: u32 = 2_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GamesRequest {
    /// The name of the page. It has one stream of games at a time.
    client: String,
    setting: Setting,
    /// Number of games of each weights.
    games: u32,
    /// Seed of the games, as in `evaluate`.
    #[serde(default = "one")]
    seed: u64,
}

fn one() -> u64 {
    1
}

/// The results so far. Each interval is for this number of games: it contains the true value in 95 % of cases if one
/// looks once.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct LabGames {
    /// Number of games of each weights so far.
    games: u32,
    /// Number of games that were asked for.
    of: u32,
    /// Whether no more games follow.
    is_last: bool,
    /// With the weights of the page.
    now: Mean,
    /// With the weights that it began with, on the same seeds.
    start: Mean,
    /// The mean of `now` minus `start` over the seeds.
    difference: Mean,
    /// What the difference shows: `better`, `worse`, `no difference shown`; null before there are enough games.
    verdict: Option<&'static str>,
}

/// A mean and its interval.
#[derive(Serialize, JsonSchema)]
struct Mean {
    mean: f64,
    /// 95 %; null if there are too few different results.
    interval: Option<[f64; 2]>,
}

pub(super) async fn games(
    State(app): State<Arc<App>>,
    Body(request): Body<GamesRequest>,
) -> Result<Response, Refusal> {
    let GamesRequest { games, .. } = request;
    if !(2..=MOST_GAMES).contains(&games) {
        let message = format!("games {games} is out of range: 2 to {MOST_GAMES}");
        return Err(Refusal::wrong(message));
    }
    let overtaken = begin(&app, &request.client, "games")?;
    let (streams, closing) = (Arc::clone(&app.lab.streams), app.closing.clone());
    feed::stream(&streams, closing, overtaken, move |stop, feed| {
        let prepared = request.setting.prepared(&app)?;
        let spec = &prepared.spec;
        if spec.players() != Players::One {
            let message = "games of two players are compared by `tiletune compare`";
            return Err(Refusal::wrong(message));
        }
        let changed = request.setting.changed(&prepared)?;
        let built = [&changed, &prepared.weights].map(|weights| spec.build(weights));
        let [now, start] = built;
        let players = [now.map_err(Refusal::wrong)?, start.map_err(Refusal::wrong)?];
        let seeds = seeds(spec, request.seed, games);
        play(&players, &seeds, stop, feed);
        Ok(())
    })
}

/// The seeds of `tiletune evaluate --seed`.
fn seeds(spec: &PlayerSpec, seed: u64, games: u32) -> Vec<u64> {
    let stream = random::Stream::Evaluate;
    spec.players().game_seeds(seed, stream, 0, games.into())
}

/// Plays the games of both players, a few at a time, and sends the results after each few.
fn play(players: &[Box<dyn Player>; 2], seeds: &[u64], stop: Stop, feed: &Feed) {
    let mut played = [Vec::new(), Vec::new()];
    let mut together = 1;
    while played[0].len() < seeds.len() {
        let done = played[0].len();
        let next = &seeds[done..seeds.len().min(done + together)];
        let round = Instant::now();
        let Some(records) = of_both(players, next, stop) else {
            return;
        };
        for (played, records) in played.iter_mut().zip(records) {
            played.extend(records);
        }
        let is_last = played[0].len() == seeds.len();
        let results = LabGames::new(&played, seeds.len(), is_last);
        if !feed.send("games", &results) || is_last {
            return;
        }
        let rate = next.len() as f64 / round.elapsed().as_secs_f64().max(1e-3);
        let wanted = (rate * INTERVAL.as_secs_f64()) as usize;
        together = wanted.clamp(1, (2 * together).min(MOST_TOGETHER));
    }
}

/// The games of some seeds of both players, each on a thread of its own.
fn of_both(
    [now, start]: &[Box<dyn Player>; 2],
    seeds: &[u64],
    stop: Stop,
) -> Option<[Vec<GameRecord>; 2]> {
    std::thread::scope(|scope| {
        let other = scope.spawn(|| start.play_many(seeds, stop));
        let now = now.play_many(seeds, stop);
        Some([now?, other.join().ok()??])
    })
}

impl LabGames {
    fn new(played: &[Vec<GameRecord>; 2], of: usize, is_last: bool) -> Self {
        let scores = PlayedScores::of(played.iter().flatten());
        let values = played
            .each_ref()
            .map(|games| results(&scores.counted(games)));
        let [now, start] = &values;
        let resampling = Resampling::new(RESAMPLES, 1);
        let difference = paired_difference(now, start, resampling);
        let [of_now, of_start] = values.each_ref().map(|values| Mean {
            mean: mean(values),
            interval: mean_interval(values, resampling).map(|interval| interval.ends()),
        });
        let is_enough = difference.observations >= FEWEST_OBSERVATIONS;
        LabGames {
            games: now.len() as u32,
            of: of as u32,
            is_last,
            now: of_now,
            start: of_start,
            verdict: is_enough.then_some(match difference.verdict {
                Verdict::Better => "better",
                Verdict::Worse => "worse",
                _ => "no difference shown",
            }),
            difference: Mean {
                mean: difference.mean,
                interval: difference
                    .low
                    .zip(difference.high)
                    .map(|(low, high)| [low, high]),
            },
        }
    }
}
