//! The part of Chromium's DevTools protocol that is needed: the list of targets over HTTP, and calls to one target over
//! a WebSocket. This module must not know the content of a page.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use tungstenite::{HandshakeError, Message, WebSocket};

use super::Error;
use crate::stop::Stop;

/// Polling interval of the stop request.
const GLANCE: Duration = Duration::from_millis(100);

/// Timeout of an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Timeout of connecting and writing on this machine.
const LOCAL: Duration = Duration::from_secs(1);

/// The largest answer over HTTP, in bytes.
const LARGEST_ANSWER: usize = 1 << 24;

/// A target of debugging: a page, a worker, or a window of the browser.
#[derive(Clone, Debug, Deserialize)]
pub struct Target {
    /// Its id in the protocol.
    pub id: String,
    /// Its kind; a tab is a `page`.
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub title: String,
    /// Its address.
    #[serde(default)]
    pub url: String,
    /// The WebSocket address for calls.
    #[serde(default, rename = "webSocketDebuggerUrl")]
    pub socket: String,
    /// Of a frame of another site, the id of the target that it is in.
    #[serde(default, rename = "parentId")]
    pub parent: Option<String>,
}

/// A frame inside of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its id in the protocol. It stays the same when the frame is loaded again.
    pub id: String,
    /// Its address.
    pub url: String,
}

/// The frames below a node of the answer to `Page.getFrameTree`.
fn frames_below(tree: &Value, found: &mut Vec<Frame>) {
    for child in tree["childFrames"].as_array().into_iter().flatten() {
        let text = |key: &str| child["frame"][key].as_str().unwrap_or_default().to_owned();
        found.push(Frame {
            id: text("id"),
            url: text("url"),
        });
        frames_below(child, found);
    }
}

/// All targets of the Chromium at a port of this machine.
///
/// # Errors
/// If no Chromium answers there, or if a stop was requested.
pub fn targets(port: u16, stop: Stop) -> Result<Vec<Target>, Error> {
    let body = get(port, "/json/list", stop)?;
    serde_json::from_str(&body).map_err(|error| Error::NotChromium {
        port,
        reason: format!("its list of pages cannot be read: {error}"),
    })
}

/// The body of the answer to a GET request without special headers.
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
        let answer: String = first.chars().take(60).collect();
        return Err(Error::NoList { port, answer });
    }
    let (_, body) = body(&answer).ok_or_else(|| other("its answer has no end"))?;
    Ok(String::from_utf8_lossy(body).into_owned())
}

/// The length of the body according to its header, and the received part of the body. `None` before the end of the
/// header. Without a length in the header the length is `None`, which is never reached.
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
    /// The contexts of scripts with their frames, newest last.
    contexts: Vec<(u64, String)>,
}

impl<'a> DevTools<'a> {
    /// Connects to a target of the Chromium at a port. A stop request ends a waiting call.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn open(port: u16, target: &Target, stop: Stop<'a>) -> Result<Self, Error> {
        let other = |reason: String| Error::NotChromium { port, reason };
        // Only the path is used: the host of the address is that which the browser assumes, so it can be wrong.
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
                // A signal interrupted the call. Its handler needs a moment to request the stop.
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
            contexts: Vec::new(),
            stop,
        })
    }

    /// Sets the timeout of all following answers.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Calls a method and waits for its result. Events in the meantime are dropped.
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
            match answer["method"].as_str() {
                Some("Inspector.targetCrashed") => {
                    let what = "the page has crashed";
                    return Err(Error::Closed { what });
                }
                Some("Page.javascriptDialogOpening") => self.accept_dialog()?,
                Some(event) => self.note_context(event, &answer["params"]),
                None => {}
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

    /// From now on the dialogs of the page (`alert`, `confirm`) are accepted, as its scripts wait for them.
    ///
    /// # Errors
    /// See [`DevTools::call`].
    pub fn accept_dialogs(&mut self) -> Result<(), Error> {
        self.call("Page.enable", json!({})).map(drop)
    }

    fn accept_dialog(&mut self) -> Result<(), Error> {
        // No answer has this id. A dialog that is gone needs none.
        let call = json!({ "id": 0, "method": "Page.handleJavaScriptDialog", "params": { "accept": true } });
        let sent = self.socket.send(Message::text(call.to_string()));
        sent.map_err(|error| self.failure(&error))
    }

    /// The frames of the page, without those of other sites: these are targets of their own.
    ///
    /// # Errors
    /// See [`DevTools::call`].
    pub fn frames(&mut self) -> Result<Vec<Frame>, Error> {
        let answer = self.call("Page.getFrameTree", json!({}))?;
        let mut found = Vec::new();
        frames_below(&answer["frameTree"], &mut found);
        if !found.is_empty() {
            // From now on the browser names the contexts of scripts, those that are there first.
            self.call("Runtime.enable", json!({}))?;
        }
        Ok(found)
    }

    /// Keeps which context of scripts belongs to which frame.
    fn note_context(&mut self, event: &str, parameters: &Value) {
        match event {
            "Runtime.executionContextCreated" => {
                let context = &parameters["context"];
                let frame = context["auxData"]["frameId"].as_str();
                let is_of_page = context["auxData"]["isDefault"] == true;
                if let (Some(id), Some(frame), true) = (context["id"].as_u64(), frame, is_of_page) {
                    self.contexts.push((id, frame.to_owned()));
                }
            }
            "Runtime.executionContextDestroyed" => {
                let gone = parameters["executionContextId"].as_u64();
                self.contexts.retain(|(id, _)| Some(*id) != gone);
            }
            "Runtime.executionContextsCleared" => self.contexts.clear(),
            _ => {}
        }
    }

    /// The value of an expression in the page. For a promise, the resolved value.
    ///
    /// # Errors
    /// See [`DevTools::call`]; and if the script fails.
    pub fn evaluate(&mut self, expression: &str) -> Result<Value, Error> {
        self.evaluate_in(None, expression)
    }

    /// The same in a frame of [`DevTools::frames`], or in the page itself.
    ///
    /// # Errors
    /// See [`DevTools::evaluate`]; and if the frame is gone or is being loaded.
    pub fn evaluate_in(&mut self, frame: Option<&str>, expression: &str) -> Result<Value, Error> {
        const METHOD: &str = "Runtime.evaluate";
        let mut parameters = json!({
            "expression": expression,
            "returnByValue": true,
            "awaitPromise": true,
        });
        if let Some(frame) = frame {
            let context = self.contexts.iter().rev().find(|(_, of)| of == frame);
            let Some((context, _)) = context else {
                // The events of a new context come with the next answer.
                self.call(METHOD, json!({ "expression": "0" }))?;
                let message = "the frame is gone, or it is being loaded".to_owned();
                return Err(Error::Refused {
                    method: METHOD,
                    message,
                });
            };
            parameters["contextId"] = json!(context);
        }
        let mut answer = self.call(METHOD, parameters)?;
        let failure = &answer["exceptionDetails"];
        if failure.is_object() {
            let thrown = failure["exception"]["description"].as_str();
            let text = thrown.or(failure["text"].as_str()).unwrap_or("no message");
            // The lines after the first one are the places in the script.
            let text = text.lines().next().unwrap_or_default();
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

    /// The error of a closed connection: the page was closed if the browser still answers.
    fn closed(&self) -> Error {
        let what = match targets(self.port, self.stop) {
            Ok(_) => "the page was closed",
            Err(Error::Stopped) => return Error::Stopped,
            Err(_) => "Chromium has ended",
        };
        Error::Closed { what }
    }
}

/// Whether a read has no data yet.
fn is_wait(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}
