//! `tiletune serve`: the local web server.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, exit};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::interrupt::{INTERRUPTED, handle};
use super::numbers::whole;
use super::run_path::RESULTS;
use super::{Context, Failure};
use crate::plain_file;
use crate::web::{Server, Settings, Token, origin};

/// What `tiletune serve` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct Address {
    /// The address of the pages.
    url: String,
}

#[derive(Args)]
#[command(after_help = "\
Pages: play a game or let a player play, ask for the values of a position, watch runs. The server ends with Ctrl-C.
Only programs of this machine can reach it, and of web pages only its own. With --listen other machines can; every \
request then needs the token of --token-file: open the printed address with ?token=... once, or send the header \
`Authorization: Bearer ...`. There is no encryption: across a network that you do not trust, use an SSH tunnel. \
Any program can ask:\n  curl -s http://127.0.0.1:8048/api/advise -H 'Content-Type: application/json' \\\n    \
-d '{\"player\":{\"name\":\"greedy\"},\"position\":{\"board\":[2,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}}'

--json: one object with the address, at the beginning.

Examples:
  tiletune serve --open
      in the browser of this machine
  tiletune serve --port 8048 --results results
      the runs of a folder
  tiletune serve --allow-start --open
      pages that also start, stop and continue runs")]
pub(super) struct Serve {
    /// Port; 0 for any free one.
    #[arg(long, default_value_t = 8048, value_parser = whole(0..=u16::MAX))]
    port: u16,
    /// Folder of runs and weights files. Nothing outside of it is served.
    #[arg(long, value_name = "DIR", default_value = RESULTS)]
    results: PathBuf,
    /// Site whose pages may ask for advice, such as https://example.org; can be given several times.
    #[arg(long, value_name = "URL", value_parser = origin)]
    allow_origin: Vec<String>,
    /// Let the pages start, stop and continue runs, as processes that outlive the page. The printed address contains a
    /// token that every request needs.
    #[arg(long, conflicts_with = "listen")]
    allow_start: bool,
    /// Open the address in a browser.
    #[arg(long)]
    open: bool,
    /// Answer the requests of the original 3+3 userscript, too (its port is 13333).
    #[arg(long)]
    bridge: bool,
    /// Address of this machine at which others can reach it, such as 0.0.0.0.
    #[arg(long, value_name = "ADDR", requires = "token_file")]
    listen: Option<IpAddr>,
    /// File with the token that every request must know.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl Serve {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let listen = self.listen.unwrap_or(Ipv4Addr::LOCALHOST.into());
        let address = SocketAddr::new(listen, self.port);
        let token = match &self.token_file {
            Some(path) => Some(token(path)?),
            None if self.allow_start => Some(Token::drawn()),
            None => None,
        };
        let program = self.allow_start.then(program).transpose()?;
        let server = Server::bind(Settings {
            address,
            origins: self.allow_origin,
            bridge: self.bridge,
            catalogue: context.catalogue.clone(),
            kinds: context.kinds,
            token: token.clone(),
            start: program,
            ..Settings::new(&self.results)
        });
        let server = server.map_err(|error| {
            Failure::Failed(format!(
                "cannot listen at {address}: {error}; choose another --port"
            ))
        })?;
        let mut url = url(server.address());
        if self.allow_start && self.token_file.is_none() {
            let token = token.as_ref().map_or("", Token::text);
            url += &format!("?token={token}");
        }
        if !self.results.is_dir() {
            let folder = self.results.display();
            context.message(format!(
                "{folder}: no such folder yet; there are no runs to show"
            ));
        }
        let closer = server.closer();
        let was_interrupted = AtomicBool::new(false);
        handle(move || {
            if was_interrupted.swap(true, Ordering::SeqCst) {
                exit(INTERRUPTED.into());
            }
            closer.close();
        })?;
        context.print(
            || Address { url: url.clone() },
            || format!("serving {url} (end with Ctrl-C)"),
        )?;
        if self.open {
            open(&url, context);
        }
        let failed = |error| Failure::Failed(format!("cannot serve: {error}"));
        server.run().map_err(failed)
    }
}

/// The path of this program.
fn program() -> Result<PathBuf, Failure> {
    let failed = |error| {
        Failure::Failed(format!(
            "cannot find this program, which --allow-start starts: {error}"
        ))
    };
    std::env::current_exe().map_err(failed)
}

/// Reads the token from a file.
fn token(path: &Path) -> Result<Token, Failure> {
    let wrong = |reason: String| Failure::Usage(format!("{}: {reason}", path.display()));
    let contents = plain_file::read_text(path).map_err(|error| wrong(error.to_string()))?;
    Token::new(&contents).map_err(wrong)
}

/// The URL for a browser on this machine.
fn url(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("http://localhost:{}/", address.port())
    } else {
        format!("http://{address}/")
    }
}

/// Opens a URL in the user's browser, if there is one.
fn open(url: &str, context: Context) {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null());
    if let Err(error) = command.stderr(Stdio::null()).spawn() {
        context.message(format!(
            "cannot open a browser ({program}: {error}); open {url} yourself"
        ));
    }
}
