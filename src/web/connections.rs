//! Limits on connections: their number, the time to send a request, and the idle time.
//!
//! A connection whose request is being answered keeps its place. A connection that must still send a request, or a part
//! of it, can lose its place: when all places are taken, the one that has waited longest is closed. So connections that
//! send nothing, or send very slowly, or do not know the token, cannot lock out others.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{Instant, Sleep, sleep, timeout};

use super::settings::Limits;

/// Time that every connection has for its request, for any number of connections.
const GRACE: Duration = Duration::from_secs(1);

/// An answer is complete if nothing was written for this time. Open streams write more often.
const QUIET: Duration = Duration::from_secs(20);

/// A listener that limits its connections.
pub(super) struct LimitedListener {
    listener: TcpListener,
    places: Arc<Places>,
}

impl LimitedListener {
    pub(super) fn new(listener: TcpListener, limits: Limits) -> Self {
        let places = Arc::new(Places {
            limits,
            taken: Mutex::default(),
            given_back: Notify::new(),
        });
        LimitedListener { listener, places }
    }
}

impl Listener for LimitedListener {
    type Io = LimitedConnection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (LimitedConnection, SocketAddr) {
        loop {
            let (stream, address) = Listener::accept(&mut self.listener).await;
            // `None` means that the peer has too many connections.
            let Some(place) = self.places.take(address.ip()).await else {
                continue;
            };
            // An answer is written as a whole, so it must not be delayed.
            let _ = stream.set_nodelay(true);
            let connection = LimitedConnection {
                stream,
                moved: Instant::now(),
                expires: Box::pin(sleep(self.places.limits.request)),
                place: Arc::new(place),
            };
            return (connection, address);
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// The activity of a connection.
#[derive(Clone, Copy, Debug)]
enum ConnectionPhase {
    /// It waits for a request, or for the rest of one, since this time.
    Reading(Instant),
    /// Its request is allowed and is being processed.
    Asked,
    /// An answer is being written. The time is that of the last write.
    Answered(Instant),
}

impl ConnectionPhase {
    /// The time since which the connection may be closed for another one; `None` if it may not.
    fn waits_since(self) -> Option<Instant> {
        match self {
            ConnectionPhase::Reading(since) => Some(since),
            ConnectionPhase::Asked => None,
            ConnectionPhase::Answered(last) => (last.elapsed() >= QUIET).then_some(last),
        }
    }
}

/// A connection with a place.
struct Taken {
    peer: IpAddr,
    phase: ConnectionPhase,
    is_ended: bool,
    /// Wakes the task that reads and writes the connection.
    waker: Option<Waker>,
}

/// The places for connections.
struct Places {
    limits: Limits,
    taken: Mutex<BTreeMap<u64, Taken>>,
    given_back: Notify,
}

impl Places {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Taken>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place. `None` if the peer has too many connections.
    async fn take(self: &Arc<Self>, peer: IpAddr) -> Option<Place> {
        loop {
            match self.try_take(peer) {
                Ok(place) => return Some(place),
                Err(Full::OfPeer) => return None,
                // `make_room` does not close connections younger than `GRACE`, so try again after that time.
                Err(Full::All) => drop(timeout(GRACE, self.given_back.notified()).await),
            }
        }
    }

    fn try_take(self: &Arc<Self>, peer: IpAddr) -> Result<Place, Full> {
        let mut taken = self.lock();
        // All users of this machine have the same address, and so do the users of a tunnel.
        let of_peer = taken.values().filter(|other| other.peer == peer).count();
        if !peer.is_loopback() && of_peer >= self.limits.connections_of_peer {
            // This connection is refused, but a later one of the peer may find a place.
            make_room(&mut taken, |other| other.peer == peer);
            return Err(Full::OfPeer);
        }
        if taken.len() >= self.limits.connections {
            make_room(&mut taken, |_| true);
            return Err(Full::All);
        }
        let number = taken.last_key_value().map_or(0, |(last, _)| last + 1);
        let connection = Taken {
            peer,
            phase: ConnectionPhase::Reading(Instant::now()),
            is_ended: false,
            waker: None,
        };
        taken.insert(number, connection);
        let places = Arc::clone(self);
        Ok(Place { number, places })
    }
}

/// The reason why there is no place.
enum Full {
    All,
    OfPeer,
}

/// Closes the connection that has waited longest, among those that `may_end` allows, but no connection that is younger
/// than [`GRACE`].
fn make_room(taken: &mut BTreeMap<u64, Taken>, may_end: impl Fn(&Taken) -> bool) {
    let waiting = taken.values_mut().filter(|other| may_end(other));
    let waiting = waiting.filter_map(|other| Some((other.phase.waits_since()?, other)));
    let longest = waiting.min_by_key(|(since, _)| *since);
    if let Some((since, longest)) = longest
        && since.elapsed() >= GRACE
    {
        longest.is_ended = true;
        if let Some(waker) = longest.waker.take() {
            waker.wake();
        }
    }
}

/// The place of a connection.
struct Place {
    number: u64,
    places: Arc<Places>,
}

impl Place {
    fn with<T>(&self, change: impl FnOnce(&mut Taken) -> T) -> Option<T> {
        self.places.lock().get_mut(&self.number).map(change)
    }

    /// Records that something was read.
    fn read(&self) {
        self.with(|own| {
            if let ConnectionPhase::Answered(_) = own.phase {
                own.phase = ConnectionPhase::Reading(Instant::now());
            }
        });
    }

    /// Records that something was written. The answer to a refused request does not change the phase.
    fn written(&self) {
        self.with(|own| {
            if let ConnectionPhase::Asked | ConnectionPhase::Answered(_) = own.phase {
                own.phase = ConnectionPhase::Answered(Instant::now());
            }
        });
    }

    /// The time at which the connection is closed if nothing more is read or written. `moved` is the time of the last
    /// read or write. Parts of a request do not extend the time for the request.
    fn end(&self, moved: Instant) -> Instant {
        let limits = &self.places.limits;
        match self.with(|own| own.phase) {
            Some(ConnectionPhase::Reading(since)) => since + limits.request,
            _ => moved + limits.idle,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.lock().remove(&self.number);
        self.places.given_back.notify_one();
    }
}

/// The connection of a request, for `guard`.
#[derive(Clone)]
pub(super) struct Peer(Arc<Place>);

impl Peer {
    /// Records that the request is allowed.
    pub(super) fn asked(&self) {
        self.0.with(|own| own.phase = ConnectionPhase::Asked);
    }
}

impl Connected<IncomingStream<'_, LimitedListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, LimitedListener>) -> Self {
        Peer(Arc::clone(&stream.io().place))
    }
}

/// A connection that is closed if sending a request takes too long, if it is idle for too long, or if another
/// connection needs its place.
pub(super) struct LimitedConnection {
    stream: TcpStream,
    place: Arc<Place>,
    /// Time of the last read or write.
    moved: Instant,
    expires: Pin<Box<Sleep>>,
}

impl LimitedConnection {
    /// The result of a read or write. A pending one becomes an error when the connection is closed.
    fn limited<T>(
        &mut self,
        given: Poll<io::Result<T>>,
        context: &mut Context,
        note: impl FnOnce(&Place),
    ) -> Poll<io::Result<T>> {
        if given.is_ready() {
            self.moved = Instant::now();
            note(&self.place);
            return given;
        }
        let is_ended = self.place.with(|own| {
            own.waker = Some(context.waker().clone());
            own.is_ended
        });
        if is_ended.unwrap_or(true) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        loop {
            let end = self.place.end(self.moved);
            if end <= Instant::now() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            // The phase may have changed since the timer was set.
            if self.expires.deadline() != end {
                self.expires.as_mut().reset(end);
            }
            if self.expires.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
        }
    }
}

impl AsyncRead for LimitedConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context,
        buffer: &mut ReadBuf,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.limited(read, context, Place::read)
    }
}

impl AsyncWrite for LimitedConnection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limited(written, context, Place::written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context,
        buffers: &[io::IoSlice],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.limited(written, context, Place::written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
