//! The DevTools protocol of Chromium, as far as it is needed: the list of targets over HTTP, and calls to
//! one target over a WebSocket. This module must not know what a page shows.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use tungstenite::{HandshakeError, Message, WebSocket};

use super::Error;
use crate::stop::Stop;

/// Polling interval of a request to stop.
const GLANCE: Duration = Duration::from_millis(100);

/// Timeout of an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Timeout of connecting and writing on this machine.
const LOCAL: Duration = Duration::from_secs(1);

/// The largest answer over HTTP, in bytes.
const LARGEST_ANSWER: usize = 1 << 24;

/// Something that can be debugged: a page, a worker, the browser's own windows.
#[derive(Clone, Debug, Deserialize)]
pub struct Target {
    /// Its name in the protocol.
    pub id: String,
    /// Its kind; a tab is a `page`.
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub title: String,
    /// Its address.
    #[serde(default)]
    pub url: String,
    /// Where it takes calls.
    #[serde(default, rename = "webSocketDebuggerUrl")]
    pub socket: String,
}

/// All targets of the Chromium at a port of this machine.
///
/// # Errors
/// If nothing answers there, or no Chromium; or if a stop was requested.
pub fn targets(port: u16, stop: Stop) -> Result<Vec<Target>, Error> {
    let body = get(port, "/json/list", stop)?;
    serde_json::from_str(&body).map_err(|error| Error::NotChromium {
        port,
        reason: format!("its list of pages cannot be read: {error}"),
    })
}

/// The body of the answer to a request without headers of its own.
fn get(port: u16, path: &str, stop: Stop) -> Result<String, Error> {
    let no_browser = |error: std::io::Error| Error::NoBrowser {
        port,
        reason: error.to_string(),
    };
    let other = |reason: &str| Error::NotChromium {
        port,
        reason: reason.to_owned(),
    };
    let mut stream = connect(port).map_err(no_browser)?;
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    let written = stream.write_all(request.as_bytes());
    written.map_err(no_browser)?;
    let mut answer = Vec::new();
    let begun = Instant::now();
    loop {
        if stop.is_requested() {
            return Err(Error::Stopped);
        }
        let mut part = [0; 8192];
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(read) => answer.extend_from_slice(&part[..read]),
            Err(error) if is_wait(error.kind()) && begun.elapsed() < PATIENCE => {}
            Err(_) if answer.is_empty() => return Err(other("it does not answer over HTTP")),
            Err(_) => break,
        }
        let is_complete = body(&answer).is_some_and(|(length, body)| Some(body.len()) >= length);
        if is_complete || answer.len() > LARGEST_ANSWER {
            break;
        }
    }
    if !answer.starts_with(b"HTTP/1.1 200") {
        let first = answer.split(|&byte| byte == b'\r').next();
        let first = String::from_utf8_lossy(first.unwrap_or_default());
        let first: String = first.chars().take(60).collect();
        return Err(other(&format!("GET {path} is answered by `{first}`")));
    }
    let (_, body) = body(&answer).ok_or_else(|| other("its answer has no end"))?;
    Ok(String::from_utf8_lossy(body).into_owned())
}

/// The length of the body that a header names, and the body as far as it is there. `None` before the end of
/// the header; a header without a length has the length `None`, which no body reaches.
fn body(answer: &[u8]) -> Option<(Option<usize>, &[u8])> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let header = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
    let length = header
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"));
    let length = length.and_then(|length| length.trim().parse().ok());
    Some((length.or(Some(usize::MAX)), &answer[end + 4..]))
}

fn connect(port: u16) -> std::io::Result<TcpStream> {
    let address = (Ipv4Addr::LOCALHOST, port).into();
    let stream = TcpStream::connect_timeout(&address, LOCAL)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(GLANCE))?;
    stream.set_write_timeout(Some(LOCAL))?;
    Ok(stream)
}

/// A connection to one target.
pub struct DevTools<'a> {
    socket: WebSocket<TcpStream>,
    port: u16,
    last: u64,
    patience: Duration,
    stop: Stop<'a>,
}

impl<'a> DevTools<'a> {
    /// Connects to a target of the Chromium at a port. A request to `stop` ends a call that waits.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn open(port: u16, target: &Target, stop: Stop<'a>) -> Result<Self, Error> {
        let other = |reason: String| Error::NotChromium { port, reason };
        // The path only: the host of the address is whatever the browser believes it to be.
        let path = target.socket.strip_prefix("ws://");
        let path = path.and_then(|rest| rest.find('/').map(|slash| &rest[slash..]));
        let path = path.ok_or_else(|| other(format!("`{}` takes no calls", target.url)))?;
        let stream = connect(port).map_err(|error| Error::NoBrowser {
            port,
            reason: error.to_string(),
        })?;
        let address = format!("ws://127.0.0.1:{port}{path}");
        let begun = Instant::now();
        let mut opened = tungstenite::client(address.as_str(), stream);
        let socket = loop {
            match opened {
                Ok((socket, _)) => break socket,
                Err(_) if stop.is_requested() => return Err(Error::Stopped),
                // Interrupted by a signal: give its handler a moment to request the stop.
                Err(HandshakeError::Failure(tungstenite::Error::Io(error)))
                    if error.kind() == ErrorKind::Interrupted =>
                {
                    std::thread::sleep(GLANCE);
                    return if stop.is_requested() {
                        Err(Error::Stopped)
                    } else {
                        Err(other(error.to_string()))
                    };
                }
                Err(HandshakeError::Interrupted(waiting)) if begun.elapsed() < PATIENCE => {
                    opened = waiting.handshake();
                }
                Err(error) => return Err(other(error.to_string())),
            }
        };
        Ok(DevTools {
            socket,
            port,
            last: 0,
            patience: PATIENCE,
            stop,
        })
    }

    /// Waits this long for each answer from now on.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Calls a method and waits for its result. Events that come in the meantime are dropped.
    ///
    /// # Errors
    /// If the browser refuses, does not answer in time, closes the target or ends; or if a stop was
    /// requested.
    pub fn call(&mut self, method: &'static str, parameters: Value) -> Result<Value, Error> {
        self.last += 1;
        let call = json!({ "id": self.last, "method": method, "params": parameters });
        let sent = self.socket.send(Message::text(call.to_string()));
        sent.map_err(|error| self.failure(&error))?;
        let begun = Instant::now();
        loop {
            if self.stop.is_requested() {
                return Err(Error::Stopped);
            }
            let mut answer = match self.socket.read() {
                Ok(Message::Text(text)) => self.parsed(text.as_str())?,
                Ok(Message::Close(_)) => return Err(self.closed()),
                Ok(_) => continue,
                Err(tungstenite::Error::Io(error)) if is_wait(error.kind()) => {
                    if begun.elapsed() > self.patience {
                        let seconds = self.patience.as_secs();
                        return Err(Error::Silent { seconds });
                    }
                    continue;
                }
                Err(error) => return Err(self.failure(&error)),
            };
            if answer["method"] == "Inspector.targetCrashed" {
                let what = "the page has crashed";
                return Err(Error::Closed { what });
            }
            if answer["id"] == self.last {
                return match answer["error"]["message"].as_str() {
                    Some(message) => Err(Error::Refused {
                        method,
                        message: message.to_owned(),
                    }),
                    None => Ok(answer["result"].take()),
                };
            }
        }
    }

    /// The value of an expression in the page; if it is a promise, of what it is resolved to.
    ///
    /// # Errors
    /// See [`DevTools::call`]; and if the script fails.
    pub fn evaluate(&mut self, expression: &str) -> Result<Value, Error> {
        let parameters = json!({
            "expression": expression,
            "returnByValue": true,
            "awaitPromise": true,
        });
        let mut answer = self.call("Runtime.evaluate", parameters)?;
        let failure = &answer["exceptionDetails"];
        if failure.is_object() {
            let thrown = failure["exception"]["description"].as_str();
            let text = thrown.or(failure["text"].as_str()).unwrap_or("no message");
            return Err(Error::Script(text.to_owned()));
        }
        Ok(answer["result"]["value"].take())
    }

    fn parsed(&self, text: &str) -> Result<Value, Error> {
        serde_json::from_str(text).map_err(|error| Error::NotChromium {
            port: self.port,
            reason: format!("a message is no JSON: {error}"),
        })
    }

    fn failure(&self, error: &tungstenite::Error) -> Error {
        match error {
            tungstenite::Error::Capacity(_) | tungstenite::Error::Utf8(_) => Error::NotChromium {
                port: self.port,
                reason: error.to_string(),
            },
            _ => self.closed(),
        }
    }

    /// The connection has ended: with the page, if the browser still answers.
    fn closed(&self) -> Error {
        let what = match targets(self.port, self.stop) {
            Ok(_) => "the page was closed",
            Err(Error::Stopped) => return Error::Stopped,
            Err(_) => "Chromium has ended",
        };
        Error::Closed { what }
    }
}

/// Whether a read has found nothing yet.
fn is_wait(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}
