//! A connection to a server that loses and repeats messages.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// One of so many messages is lost, and one of so many is repeated.
const LOST: u64 = 60;
const REPEATED: u64 = 20;

/// The numbers of messages that were lost and repeated.
#[derive(Default)]
pub struct Counts {
    messages: AtomicU64,
    pub lost: AtomicU64,
    pub repeated: AtomicU64,
}

/// Carries connections to this port of this machine; returns the port to connect to.
pub fn disturb(server: u16) -> (u16, Arc<Counts>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let counts = Arc::<Counts>::default();
    let counted = counts.clone();
    thread::spawn(move || {
        for client in listener.incoming() {
            let (client, server) = (client.unwrap(), TcpStream::connect(("127.0.0.1", server)));
            let Ok(server) = server else { continue };
            let (mut answers, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            thread::spawn(move || {
                let _ = std::io::copy(&mut answers, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            });
            let counts = counted.clone();
            thread::spawn(move || {
                // An error is the end of the connection.
                let _ = carry(&client, &server, &counts);
                let _ = server.shutdown(Shutdown::Both);
            });
        }
    });
    (port, counts)
}

/// Carries what a client says, line by line, and the payload that a line announces.
fn carry(client: &TcpStream, mut server: &TcpStream, counts: &Counts) -> std::io::Result<()> {
    let mut client = BufReader::new(client);
    loop {
        let mut bytes = Vec::new();
        if client.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(());
        }
        let line = String::from_utf8_lossy(&bytes).into_owned();
        let mut words = line.split_whitespace();
        let command = words.next().unwrap_or_default();
        let mut copies = 1;
        if ["PUB", "HPUB"].contains(&command) {
            let subject = words.next().unwrap_or_default();
            let size: usize = words
                .next_back()
                .and_then(|size| size.parse().ok())
                .unwrap();
            let mut payload = vec![0; size + 2];
            client.read_exact(&mut payload)?;
            bytes.extend(payload);
            copies = counts.copies(subject);
        }
        for _ in 0..copies {
            server.write_all(&bytes)?;
        }
    }
}

impl Counts {
    fn copies(&self, subject: &str) -> usize {
        // A run that cannot make its stream does not begin.
        if subject.starts_with("$JS.API.STREAM")
            || subject.starts_with("$JS.API.CONSUMER.CREATE")
            || subject.starts_with("$JS.API.CONSUMER.DURABLE")
            || subject.starts_with("$JS.API.CONSUMER.INFO")
        {
            return 1;
        }
        let number = self.messages.fetch_add(1, Ordering::SeqCst);
        if number % LOST == 7 {
            self.lost.fetch_add(1, Ordering::SeqCst);
            0
        } else if number % REPEATED == 3 {
            self.repeated.fetch_add(1, Ordering::SeqCst);
            2
        } else {
            1
        }
    }
}
