//! Limits on connections: how many there are, how long one may take to send a request, and how long it may be idle.
//!
//! A connection whose request is being answered keeps its place. One that has still to send a request, or a part of
//! it, has none of its own: when all places are taken, the one that has waited longest makes room. So connections
//! that send nothing, or a byte now and then, keep nobody out, nor do those that do not know the token.

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

/// Time that every connection has for its request, however many there are.
const GRACE: Duration = Duration::from_secs(1);

/// A connection has been answered if nothing was written for this time. An open stream is written more often.
const QUIET: Duration = Duration::from_secs(20);

/// A listener whose connections are limited.
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
            // Else too many are of this peer.
            let Some(place) = self.places.take(address.ip()).await else {
                continue;
            };
            // An answer is written at once; it must not wait for more of it.
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

/// What a connection does.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// It waits for a request, or the rest of one, since then.
    Reading(Instant),
    /// Its request may be answered.
    Asked,
    /// An answer is being written; the last part of it at that time.
    Answered(Instant),
}

impl Phase {
    /// Since when the connection could make room for another one.
    fn waits_since(self) -> Option<Instant> {
        match self {
            Phase::Reading(since) => Some(since),
            Phase::Asked => None,
            Phase::Answered(last) => (last.elapsed() >= QUIET).then_some(last),
        }
    }
}

/// A connection that has a place.
struct Taken {
    peer: IpAddr,
    phase: Phase,
    is_ended: bool,
    /// What reads and writes it.
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

    /// A place as soon as there is one; `None` if the peer has too many connections.
    async fn take(self: &Arc<Self>, peer: IpAddr) -> Option<Place> {
        loop {
            match self.try_take(peer) {
                Ok(place) => return Some(place),
                Err(Full::OfPeer) => return None,
                Err(Full::All) => drop(timeout(GRACE, self.given_back.notified()).await),
            }
        }
    }

    fn try_take(self: &Arc<Self>, peer: IpAddr) -> Result<Place, Full> {
        let mut taken = self.lock();
        // All users of this machine are one peer, and so are those of a tunnel.
        let of_peer = taken.values().filter(|other| other.peer == peer).count();
        if !peer.is_loopback() && of_peer >= self.limits.connections_of_peer {
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
            phase: Phase::Reading(Instant::now()),
            is_ended: false,
            waker: None,
        };
        taken.insert(number, connection);
        let places = Arc::clone(self);
        Ok(Place { number, places })
    }
}

/// Why there is no place.
enum Full {
    All,
    OfPeer,
}

/// Ends the connection that has waited longest of some of them, but none that has just come.
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

    /// Notes that something was read.
    fn read(&self) {
        self.with(|own| {
            if let Phase::Answered(_) = own.phase {
                own.phase = Phase::Reading(Instant::now());
            }
        });
    }

    /// Notes that something was written. The answer to a request that is refused changes nothing.
    fn written(&self) {
        self.with(|own| {
            if let Phase::Asked | Phase::Answered(_) = own.phase {
                own.phase = Phase::Answered(Instant::now());
            }
        });
    }

    /// When the connection ends, if it reads and writes nothing more and its last byte moved at that time. Parts of
    /// a request give it no more time.
    fn end(&self, moved: Instant) -> Instant {
        let limits = &self.places.limits;
        match self.with(|own| own.phase) {
            Some(Phase::Reading(since)) => since + limits.request,
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

/// The connection of a request, for the guard.
#[derive(Clone)]
pub(super) struct Peer(Arc<Place>);

impl Peer {
    /// Notes that the request may be answered.
    pub(super) fn asked(&self) {
        self.0.with(|own| own.phase = Phase::Asked);
    }
}

impl Connected<IncomingStream<'_, LimitedListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, LimitedListener>) -> Self {
        Peer(Arc::clone(&stream.io().place))
    }
}

/// A connection that ends when it takes too long to send a request, was idle for too long, or makes room.
pub(super) struct LimitedConnection {
    stream: TcpStream,
    place: Arc<Place>,
    /// When something was last read or written.
    moved: Instant,
    expires: Pin<Box<Sleep>>,
}

impl LimitedConnection {
    /// What a read or write has given, or an error if it waits for longer than the connection may.
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
            // What the connection does may have changed since.
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
