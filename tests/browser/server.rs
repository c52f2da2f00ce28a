//! A running `tiletune serve`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::Value;

use super::common::tiletune;

/// The server; it ends when this is dropped.
pub struct Server {
    child: Child,
    /// Its address, without a slash at the end.
    pub origin: String,
}

impl Server {
    /// Starts it on any free port.
    pub fn start(arguments: &[&str]) -> Self {
        let mut command = tiletune();
        command
            .args(["--json", "--quiet", "serve", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let origin = said["url"].as_str().unwrap().trim_end_matches('/');
        Server {
            origin: origin.to_owned(),
            child,
        }
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks and leaves the connection open.
    pub fn listen(&self, path: &str) -> TcpStream {
        let host = self.origin.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Waits for its end, and returns its exit code.
    pub fn ended(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// The whole answer to a request without a body, with the lines of further headers.
    pub fn get(&self, path: &str, headers: &str) -> String {
        let host = self.origin.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// The body of a file.
    pub fn file(&self, path: &str) -> String {
        let answer = self.get(path, "");
        let (header, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(header.starts_with("HTTP/1.1 200"), "{header}");
        body.to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
