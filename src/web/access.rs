//! The access rules: the headers `Host` and `Origin`, and the token.
//!
//! A page of another site can make a browser send requests to this machine. The name of that site can even resolve to
//! this machine (DNS rebinding). So a request must name this server as its host, and a request with an origin must come
//! from a page of this server. Pages of listed sites and browser extensions can access two paths only: the path for
//! advice, and the path of the original 3+3 program if it is served. The site of that game can access the second path,
//! too.

use std::fmt;
use std::net::SocketAddr;

use super::original;
use crate::random::drawn_seed;

/// The secret that every request must contain if other machines can reach the address.
#[derive(Clone)]
pub struct Token(String);

/// The path for advice.
const ADVICE: &str = "/api/advise";

/// The cookie that holds the token in a browser.
pub(super) const COOKIE: &str = "tiletune-token";

impl Token {
    /// Smallest accepted length.
    const SHORTEST: usize = 16;

    /// The token in the contents of a file, without surrounding white space.
    ///
    /// # Errors
    /// If it is too short, or contains characters that a URL cannot contain.
    pub fn new(contents: &str) -> Result<Self, String> {
        let token = contents.trim();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
        if token.len() >= Self::SHORTEST && token.chars().all(is_plain) {
            Ok(Token(token.to_owned()))
        } else {
            Err(format!(
                "a token has at least {} characters, all of them letters, digits, -, _, . or ~",
                Self::SHORTEST
            ))
        }
    }

    /// A token that nobody can guess: 159 random bits in three hexadecimal numbers.
    pub fn drawn() -> Self {
        let [one, two, three] = std::array::from_fn(|_| drawn_seed());
        Token(format!("{one:014x}{two:014x}{three:014x}"))
    }

    /// The secret.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether this is the token. The time of the comparison depends only on the length.
    pub(super) fn is(&self, given: &str) -> bool {
        let (own, given) = (self.0.as_bytes(), given.as_bytes());
        let differences = own.iter().zip(given);
        let differences = differences.fold(0, |all, (one, other)| {
            std::hint::black_box(all | (one ^ other))
        });
        own.len() == given.len() && differences == 0
    }
}

/// Does not show the secret.
impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("Token")
    }
}

/// The rules for requests.
pub(super) struct Access {
    pub(super) address: SocketAddr,
    pub(super) origins: Vec<String>,
    pub(super) bridge: bool,
    pub(super) token: Option<Token>,
}

/// The source of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    /// A page of this server, or a client without an origin.
    Here,
    /// A listed site or an extension, at a path that it can access.
    Elsewhere,
}

impl Access {
    /// Whether a request may have this `Host`. With a token any host is allowed, because a browser sends no cookie of
    /// this server to another host name.
    pub(super) fn allows_host(&self, host: &str) -> bool {
        let port = self.address.port();
        let named = |name: &str| host == format!("{name}:{port}") || port == 80 && host == name;
        self.token.is_some() || ["127.0.0.1", "localhost", "[::1]"].into_iter().any(named)
    }

    /// The source of a request with these headers; `None` if it is refused.
    pub(super) fn from(&self, host: &str, origin: Option<&str>, path: &str) -> Option<Caller> {
        let Some(origin) = origin else {
            return Some(Caller::Here);
        };
        if origin.strip_prefix("http://") == Some(host) {
            return Some(Caller::Here);
        }
        let is_bridged = self.is_bridged(path);
        let is_known = is_extension(origin) || self.origins.iter().any(|known| known == origin);
        let is_allowed = if is_bridged {
            is_known || origin == original::GAME_ORIGIN
        } else {
            is_known && path == ADVICE
        };
        is_allowed.then_some(Caller::Elsewhere)
    }

    fn is_bridged(&self, path: &str) -> bool {
        self.bridge && original::is_position(path)
    }

    /// Whether listed sites and extensions can access this path.
    pub(super) fn is_shared(&self, path: &str) -> bool {
        path == ADVICE || self.is_bridged(path)
    }
}

/// Whether an origin belongs to a browser extension. A page cannot forge such an origin.
fn is_extension(origin: &str) -> bool {
    let schemes = [
        "chrome-extension://",
        "moz-extension://",
        "safari-web-extension://",
    ];
    schemes.into_iter().any(|scheme| origin.starts_with(scheme))
}

/// Parses an origin in the form that browsers send.
///
/// # Errors
/// If the text is not an origin. An origin has a scheme, a host, and optionally a port.
pub fn origin(text: &str) -> Result<String, String> {
    let wrong = || {
        format!("`{text}` is not an origin such as https://example.org or http://localhost:8000")
    };
    let (scheme, host) = text
        .trim_end_matches('/')
        .split_once("://")
        .ok_or_else(wrong)?;
    let is_host = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    let is_fine =
        ["http", "https"].contains(&scheme) && !host.is_empty() && host.chars().all(is_host);
    if is_fine {
        Ok(format!("{scheme}://{}", host.to_ascii_lowercase()))
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_token() {
        let token = Token::new(" 0123456789abcdef\n").unwrap();
        assert!(token.is("0123456789abcdef"));
        for other in [
            "",
            "0123456789abcde",
            "0123456789abcdeF",
            "0123456789abcdef0",
        ] {
            assert!(!token.is(other), "{other}");
        }
        assert!(!format!("{token:?}").contains("0123"));
        for bad in ["short", "0123456789abcdef;", "0123456789 abcdef"] {
            assert!(Token::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn origins_are_scheme_and_host() {
        assert_eq!(
            origin("https://Example.org/").unwrap(),
            "https://example.org"
        );
        assert_eq!(origin("http://[::1]:80").unwrap(), "http://[::1]:80");
        for bad in [
            "null",
            "*",
            "https://",
            "https://a/b",
            "ftp://a",
            "https://a b",
        ] {
            assert!(origin(bad).is_err(), "{bad}");
        }
    }
}
