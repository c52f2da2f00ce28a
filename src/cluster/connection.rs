//! Address and credentials of the NATS server of a cluster. This module must not know the content of messages.

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::{Client, ConnectErrorKind, ConnectOptions, ServerAddr};
use percent_encoding::percent_decode_str;
use tokio::runtime::Runtime;

use crate::plain_file;

/// Connection timeout.
const CONNECT: Duration = Duration::from_secs(5);

/// Reconnection delay.
const RECONNECT: Duration = Duration::from_millis(250);

/// Smallest accepted limit of the server on the size of a message: the usual default.
pub(super) const LEAST_PAYLOAD: usize = 1 << 20;

/// A NATS server, or several of one NATS cluster.
#[derive(Clone, Debug)]
pub struct Server {
    /// Its URLs, separated by commas. They may contain a token, or user and password.
    pub urls: String,
    /// Credentials that are not in the URL.
    pub credentials: Option<Credentials>,
    /// A file with additional certificates of authorities (PEM).
    pub authorities: Option<PathBuf>,
    /// Files with the certificate of this client and its key (PEM), for servers that require one.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// The way in which a user authenticates.
#[derive(Clone, Debug)]
pub enum Credentials {
    TokenFile(PathBuf),
    /// A credentials file: a JWT and the seed of its key.
    CredentialsFile(PathBuf),
    /// A file with the seed of an nkey.
    NkeyFile(PathBuf),
}

/// The reason why a connection failed.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The URL or the credentials are wrong.
    #[error("{0}")]
    Refused(String),
    /// The server cannot be reached now.
    #[error("{0}")]
    Unreachable(String),
}

/// Replaces the characters that a token of a subject must not contain. Letters, digits, `-` and `_` remain.
pub(super) fn token(text: &str) -> String {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    text.chars()
        .map(|letter| if is_allowed(letter) { letter } else { '_' })
        .collect()
}

/// A single-threaded runtime on this thread.
pub(super) fn runtime() -> Result<Runtime, ConnectError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.map_err(|error| ConnectError::Unreachable(format!("cannot start a runtime: {error}")))
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

    /// Connection options with the credentials.
    async fn options(&self, addresses: &[ServerAddr]) -> Result<ConnectOptions, ConnectError> {
        let mut options = ConnectOptions::new()
            .connection_timeout(CONNECT)
            .reconnect_delay_callback(|_| RECONNECT)
            .ping_interval(Duration::from_secs(10));
        // A user without a password is a token.
        let in_url = addresses.iter().find_map(|address| {
            let user = address.username()?;
            Some((decoded(user), address.password().map(decoded)))
        });
        options = match in_url {
            Some((user, Some(password))) => options.user_and_password(user, password),
            Some((token, None)) => options.token(token),
            None => options,
        };
        if let Some(path) = &self.authorities {
            expect(path, "CERTIFICATE-----")?;
            options = options
                .add_root_certificates(path.clone())
                .require_tls(true);
        }
        if let Some((certificate, key)) = &self.certificate {
            expect(certificate, "CERTIFICATE-----")?;
            expect(key, "PRIVATE KEY-----")?;
            options = options
                .add_client_certificate(certificate.clone(), key.clone())
                .require_tls(true);
        }
        Ok(match &self.credentials {
            None => options,
            Some(Credentials::TokenFile(path)) => options.token(read(path)?.trim().to_owned()),
            Some(Credentials::NkeyFile(path)) => options.nkey(seed(path, &read(path)?)?),
            Some(Credentials::CredentialsFile(path)) => {
                let options = options.credentials(&read(path)?);
                options.map_err(|error| {
                    ConnectError::Refused(format!("{}: {error}", path.display()))
                })?
            }
        })
    }

    pub(super) async fn connect(
        &self,
        with: impl FnOnce(ConnectOptions) -> ConnectOptions,
    ) -> Result<Client, ConnectError> {
        let addresses = self.addresses()?;
        let options = with(self.options(&addresses).await?);
        let shown = self.shown();
        let has_user = addresses.iter().any(|address| address.username().is_some());
        let has_credentials = has_user || self.credentials.is_some();
        let client = options.connect(addresses).await.map_err(|error| {
            let refused = |what: &str| ConnectError::Refused(format!("{shown} {what}"));
            match error.kind() {
                ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication
                    if !has_credentials =>
                {
                    refused("asks for credentials, and none are given")
                }
                ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                    refused("refuses the credentials")
                }
                ConnectErrorKind::ServerParse => refused("is no NATS server"),
                ConnectErrorKind::Tls => refused(&about_tls(&error.to_string())),
                _ if is_about_tls(&error.to_string()) => refused(&about_tls(&error.to_string())),
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

fn read(path: &Path) -> Result<String, ConnectError> {
    let text = plain_file::read_text(path);
    text.map_err(|error| ConnectError::Refused(format!("{}: {error}", path.display())))
}

/// Checks that a file contains a PEM block with this label.
fn expect(path: &Path, label: &str) -> Result<(), ConnectError> {
    let is_there = read(path)?.contains(label);
    let what = label.trim_end_matches('-').to_lowercase();
    is_there
        .then_some(())
        .ok_or_else(|| ConnectError::Refused(format!("{}: no {what} in it (PEM)", path.display())))
}

/// The nkey seed in a file: the first line that has the form of a user's seed.
fn seed(path: &Path, text: &str) -> Result<String, ConnectError> {
    let is_seed = |line: &&str| {
        let is_base32 = |letter| matches!(letter, b'A'..=b'Z' | b'2'..=b'7');
        line.starts_with("SU") && line.len() == 58 && line.bytes().all(is_base32)
    };
    let seed = text.lines().map(str::trim).find(is_seed);
    let none = || {
        let path = path.display();
        ConnectError::Refused(format!(
            "{path}: no seed of a user's nkey, which begins with SU"
        ))
    };
    seed.map(str::to_owned).ok_or_else(none)
}

/// Whether a connection failed because of TLS. The client reports this only in the text of its errors.
fn is_about_tls(error: &str) -> bool {
    let signs = [
        "certificate",
        "fatal alert",
        "tls handshake",
        "corrupt message",
    ];
    signs.iter().any(|sign| error.contains(sign))
}

/// The reason why a TLS connection failed, and the options that help.
fn about_tls(error: &str) -> String {
    let error = error.strip_prefix("IO error: ").unwrap_or(error);
    format!(
        "cannot be reached by TLS ({error}): --nats-ca names the authority of its certificate, --nats-cert and \
         --nats-key are for a server that asks for a certificate"
    )
}

/// Percent-decodes a part of a URL.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
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
            certificate: None,
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
        let right = format!("SU{}", "A2".repeat(28));
        let seed = |text: &str| seed(Path::new("file"), text).map_err(|error| error.to_string());
        let text = format!("-----BEGIN USER NKEY SEED-----\n{right}\n------END\n");
        assert_eq!(seed(&text), Ok(right.clone()));
        assert_eq!(seed(&format!("{right}\n")), Ok(right.clone()));
        let wrong = Err("file: no seed of a user's nkey, which begins with SU".to_owned());
        for text in [
            "",
            "SUABC",
            &right.to_lowercase(),
            &right.replace("SU", "SA"),
        ] {
            assert_eq!(seed(text), wrong);
        }
    }

    #[test]
    fn letters_of_urls_are_decoded() {
        assert_eq!(decoded("p%40s%3as%2Fx"), "p@s:s/x");
        assert_eq!(decoded("100%"), "100%");
        assert_eq!(decoded("%zz%4"), "%zz%4");
        assert_eq!(decoded("%C3%A9"), "é");
    }
}
