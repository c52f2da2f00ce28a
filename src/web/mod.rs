//! A local web server with pages to play, to get advice and to follow runs. `docs/web.md` describes pages and routes.
//!
//! - [`Settings`], [`Limits`]: what is served, to whom, and the limits
//! - `access`, `guard`, `original`: which requests are allowed
//! - `connections`: the number of connections, their time for a request, and their idle time
//! - `request`, `refusal`: parsing of bodies, errors as JSON
//! - `assets`: the files of the pages
//! - `games`, `advice`, `weights`, `fitting`, `runs`, `pruned`, `bridge`: the routes, one file for each subject
//! - `lab`, `lab_state`: the laboratory, and its state
//! - `losses`: where a player loses against perfect play
//! - `followed`: the state of runs
//! - `searches`, `players`, `player_cache`, `preparations`: searches in progress, requested players, their cache, and what
//!   they compute before their first move
//! - `steer`, `processes`, `writer`: runs that pages start and stop
//! - `feed`: events of work that lasts as long as a page listens
//!
//! Rules, searches and runs come from the library. This module must not know a rule of a game. Only `steer` starts
//! a process or writes into the results folder, and only with `--allow-start`. `preparations` and `losses` keep solutions
//! in the folder of the cache. It must not answer a page of another site, unless the settings name that site.

mod access;
mod advice;
mod app;
mod assets;
mod bridge;
mod cache;
mod candidate;
mod connections;
mod feed;
mod fitting;
mod followed;
mod games;
mod guard;
mod lab;
mod lab_state;
mod losses;
mod original;
mod player_cache;
mod players;
mod preparations;
mod processes;
mod pruned;
mod refusal;
mod request;
mod runs;
mod searches;
mod settings;
mod steer;
#[cfg(test)]
mod tests;
mod weights;
mod writer;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use tokio::sync::watch;

pub use access::{Token, origin};
pub use settings::{Limits, Settings};

use app::App;

/// Time for open requests to end when the server is closed.
const GRACE: Duration = Duration::from_millis(1000);

/// Additional time for searches to stop after that.
const LAST_GRACE: Duration = Duration::from_millis(500);

/// A server that listens at its address.
pub struct Server {
    settings: Settings,
    listener: TcpListener,
    address: SocketAddr,
    closing: watch::Sender<bool>,
}

/// Closes a server. It can be used from any thread.
#[derive(Clone)]
pub struct Closer(watch::Sender<bool>);

impl Closer {
    /// Makes [`Server::run`] return within two seconds. Open streams end, and searches are stopped.
    pub fn close(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Listens at the address of the settings; port 0 chooses a free port.
    ///
    /// # Errors
    /// If the address is not available, or other machines can reach it and there is no token.
    pub fn bind(settings: Settings) -> io::Result<Self> {
        if !settings.address.ip().is_loopback() && settings.token.is_none() {
            let message = "an address that other machines can reach needs a token";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let is_guarded = settings.address.ip().is_loopback() && settings.token.is_some();
        if settings.start.is_some() && !is_guarded {
            let message = "only pages of this machine that know a token may start runs";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let listener = TcpListener::bind(settings.address)?;
        listener.set_nonblocking(true)?;
        Ok(Server {
            settings,
            address: listener.local_addr()?,
            listener,
            closing: watch::Sender::new(false),
        })
    }

    /// The address with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A handle that closes the server.
    pub fn closer(&self) -> Closer {
        Closer(self.closing.clone())
    }

    /// Answers requests until the server is closed.
    ///
    /// # Errors
    /// If the system gives no threads or timers.
    pub fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let limits = self.settings.limits;
        let mut closing = self.closing.subscribe();
        let app = Arc::new(App::new(self.settings, self.address, closing.clone()));
        let listener = self.listener;
        let ended = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let listener = connections::LimitedListener::new(listener, limits);
            let mut asked = closing.clone();
            let until = async move { drop(asked.wait_for(|is_closing| *is_closing).await) };
            let service = router(app).into_make_service_with_connect_info::<connections::Peer>();
            let serving = axum::serve(listener, service).with_graceful_shutdown(until);
            let overdue = async move {
                drop(closing.wait_for(|is_closing| *is_closing).await);
                tokio::time::sleep(GRACE).await;
            };
            tokio::select! {
                ended = serving => ended,
                () = overdue => Ok(()),
            }
        });
        runtime.shutdown_timeout(LAST_GRACE);
        ended
    }
}

/// All routes behind the guard.
fn router(app: Arc<App>) -> Router {
    Router::new()
        .merge(assets::routes())
        .merge(games::routes())
        .merge(advice::routes())
        .merge(weights::routes())
        .merge(fitting::routes())
        .merge(lab::routes())
        .merge(losses::routes())
        .merge(runs::routes())
        .merge(pruned::routes())
        .merge(steer::routes())
        .merge(bridge::routes())
        .fallback(refusal::nothing_here)
        .method_not_allowed_fallback(refusal::other_method)
        .layer(from_fn_with_state(app.clone(), guard::guard))
        .with_state(app)
}
