//! Where the NATS server of a cluster is, and how one proves to it who one is. This module must not know what
//! is sent.

use std::path::PathBuf;
use std::time::Duration;

use async_nats::{Client, ConnectErrorKind, ConnectOptions, ServerAddr};

/// A server that does not answer is given up after this time.
const CONNECT: Duration = Duration::from_secs(5);

/// A lost connection is tried again after this time.
const RECONNECT: Duration = Duration::from_millis(250);

/// Smallest limit of the server on the size of a message: that of a usual one.
const LEAST_PAYLOAD: usize = 1 << 20;

/// A NATS server, or several of one NATS cluster.
#[derive(Clone, Debug)]
pub struct Server {
    /// Its URLs, separated by commas. They may contain a token, or user and password.
    pub urls: String,
    /// Credentials that are not in the URL.
    pub credentials: Option<Credentials>,
    /// A file with further certificates of authorities (PEM).
    pub authorities: Option<PathBuf>,
}

/// What a server knows a user by.
#[derive(Clone, Debug)]
pub enum Credentials {
    /// A file with a token.
    TokenFile(PathBuf),
    /// A credentials file: a JWT and the seed of its key.
    CredentialsFile(PathBuf),
    /// A file with the seed of an nkey.
    NkeyFile(PathBuf),
}

/// A connection cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// What the user gave is wrong: URL or credentials.
    #[error("{0}")]
    Refused(String),
    /// There is no such server now.
    #[error("{0}")]
    Unreachable(String),
}

/// A text with letters, digits, `-` and `_` only, as the names of subjects need it.
pub(super) fn token(text: &str) -> String {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    text.chars()
        .map(|letter| if is_allowed(letter) { letter } else { '_' })
        .collect()
}

impl Server {
    /// The URLs without user, password and token.
    pub fn shown(&self) -> String {
        let shown = self.urls.split(',').map(|url| without_user(url.trim()));
        shown.collect::<Vec<_>>().join(",")
    }

    fn addresses(&self) -> Result<Vec<ServerAddr>, ConnectError> {
        let address = |url: &str| {
            let parsed = url.trim().parse::<ServerAddr>();
            parsed
                .map_err(|error| ConnectError::Refused(format!("`{}`: {error}", without_user(url))))
        };
        self.urls.split(',').map(address).collect()
    }

    /// Options with the credentials.
    async fn options(&self, addresses: &[ServerAddr]) -> Result<ConnectOptions, ConnectError> {
        let mut options = ConnectOptions::new()
            .connection_timeout(CONNECT)
            .reconnect_delay_callback(|_| RECONNECT)
            .ping_interval(Duration::from_secs(10));
        // A user without a password is a token; elsewhere the user stands in the URL.
        let in_url = addresses.iter().find_map(|address| {
            let user = address.username()?;
            Some((user.to_owned(), address.password().map(str::to_owned)))
        });
        options = match in_url {
            Some((user, Some(password))) => options.user_and_password(user, password),
            Some((token, None)) => options.token(token),
            None => options,
        };
        if let Some(path) = &self.authorities {
            read(path)?;
            options = options
                .add_root_certificates(path.clone())
                .require_tls(true);
        }
        Ok(match &self.credentials {
            None => options,
            Some(Credentials::TokenFile(path)) => options.token(read(path)?.trim().to_owned()),
            Some(Credentials::NkeyFile(path)) => options.nkey(seed(&read(path)?)),
            Some(Credentials::CredentialsFile(path)) => {
                let options = options.credentials(&read(path)?);
                options.map_err(|error| {
                    ConnectError::Refused(format!("{}: {error}", path.display()))
                })?
            }
        })
    }

    /// Connects.
    pub(super) async fn connect(
        &self,
        with: impl FnOnce(ConnectOptions) -> ConnectOptions,
    ) -> Result<Client, ConnectError> {
        let addresses = self.addresses()?;
        let options = with(self.options(&addresses).await?);
        let shown = self.shown();
        let client = options.connect(addresses).await.map_err(|error| {
            let refused = |what: &str| ConnectError::Refused(format!("{shown} {what}: {error}"));
            match error.kind() {
                ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                    refused("refuses the credentials")
                }
                ConnectErrorKind::ServerParse => refused("is no NATS server"),
                ConnectErrorKind::Tls => refused("has no certificate that is trusted here"),
                _ => ConnectError::Unreachable(format!("cannot connect to {shown}: {error}")),
            }
        })?;
        let payload = client.max_payload();
        if payload < LEAST_PAYLOAD {
            return Err(ConnectError::Refused(format!(
                "{shown} takes messages of at most {payload} bytes; max_payload must be at least {LEAST_PAYLOAD}"
            )));
        }
        Ok(client)
    }
}

fn read(path: &PathBuf) -> Result<String, ConnectError> {
    let text = std::fs::read_to_string(path);
    text.map_err(|error| ConnectError::Refused(format!("{}: {error}", path.display())))
}

/// The seed in the text of a file: the line that is no comment.
fn seed(text: &str) -> String {
    let mut lines = text.lines().map(str::trim);
    let seed = lines.find(|line| line.starts_with('S'));
    seed.unwrap_or(text.trim()).to_owned()
}

/// A URL without user, password and token.
fn without_user(url: &str) -> String {
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), url),
    };
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    format!("{scheme}{host}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(urls: &str) -> Server {
        Server {
            urls: urls.into(),
            credentials: None,
            authorities: None,
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        let shown = server("nats://me:pass@word@one:4222, tls://token@two,three").shown();
        assert_eq!(shown, "nats://one:4222,tls://two,three");
    }

    #[test]
    fn names_of_subjects_have_no_dots() {
        assert_eq!(token("0.1.0-78a9"), "0_1_0-78a9");
        assert_eq!(token("a b*>é"), "a_b___");
    }

    #[test]
    fn a_wrong_url_is_named_without_its_password() {
        let refused = server("http://me:secret@host")
            .addresses()
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("`http://host`") && !refused.contains("secret"),
            "{refused}"
        );
    }

    #[test]
    fn the_seed_is_found_beside_comments() {
        assert_eq!(
            seed("-----BEGIN USER NKEY SEED-----\nSUABC\n------END\n"),
            "SUABC"
        );
        assert_eq!(seed("SUABC\n"), "SUABC");
    }
}
