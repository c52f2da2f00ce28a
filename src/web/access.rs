//! Who may ask: the rules for the headers `Host` and `Origin`, and the token.
//!
//! A page of another site can make a browser send requests to this machine. Its name can even be made to point here
//! (DNS rebinding). So a request must name this server as its host, and one that carries an origin must come from a
//! page of this server. Pages of listed sites and browser extensions reach two paths only: that for advice, and the one
//! of the original 3+3 program if it is served, which its game may ask, too.

use std::fmt;
use std::net::SocketAddr;

use super::original;

/// The secret of every request if the address is not one of this machine alone.
#[derive(Clone)]
pub struct Token(String);

/// The path for advice.
const ADVICE: &str = "/api/advise";

/// The cookie that holds the token in a browser.
pub(super) const COOKIE: &str = "tiletune-token";

impl Token {
    /// The shortest token that is accepted.
    const SHORTEST: usize = 16;

    /// The token in the contents of a file, without white space around it.
    ///
    /// # Errors
    /// If it is too short, or has characters that an address cannot hold.
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

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Whether this is the token. The time depends on its length only.
    pub(super) fn is(&self, given: &str) -> bool {
        let (own, given) = (self.0.as_bytes(), given.as_bytes());
        let differences = own.iter().zip(given);
        let differences = differences.fold(0, |all, (one, other)| {
            std::hint::black_box(all | (one ^ other))
        });
        own.len() == given.len() && differences == 0
    }
}

/// Without the token itself.
impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("Token")
    }
}

/// Who may ask.
pub(super) struct Access {
    pub(super) address: SocketAddr,
    pub(super) origins: Vec<String>,
    pub(super) bridge: bool,
    pub(super) token: Option<Token>,
}

/// Where a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    /// A page of this server, or no page.
    Here,
    /// A listed site or an extension, at a shared path.
    Elsewhere,
}

impl Access {
    /// Whether a request may have this `Host`. With a token any host is allowed: a browser that was led here under
    /// another name has no cookie for it.
    pub(super) fn allows_host(&self, host: &str) -> bool {
        let port = self.address.port();
        let named = |name: &str| host == format!("{name}:{port}") || port == 80 && host == name;
        self.token.is_some() || ["127.0.0.1", "localhost", "[::1]"].into_iter().any(named)
    }

    /// Where a request with these headers comes from; `None` if it is refused.
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

    /// Whether listed sites and extensions reach this path.
    pub(super) fn is_shared(&self, path: &str) -> bool {
        path == ADVICE || self.is_bridged(path)
    }
}

/// Whether an origin is that of a browser extension, which no page can pretend to have.
fn is_extension(origin: &str) -> bool {
    let schemes = [
        "chrome-extension://",
        "moz-extension://",
        "safari-web-extension://",
    ];
    schemes.into_iter().any(|scheme| origin.starts_with(scheme))
}

/// An origin as browsers send it.
///
/// # Errors
/// If the text is none: it has a scheme and a host, perhaps a port, and nothing else.
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
