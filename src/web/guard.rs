//! The middleware before every route: it refuses requests that are not allowed, and adds the security headers to every
//! answer.

use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD,
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, HeaderName,
    ORIGIN, REFERRER_POLICY, SET_COOKIE, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::access::{self, Access, Caller};
use super::app::App;
use super::connections::Peer;
use super::refusal::Refusal;

const REQUESTED_NETWORK: HeaderName =
    HeaderName::from_static("access-control-request-private-network");
const ALLOWED_NETWORK: HeaderName = HeaderName::from_static("access-control-allow-private-network");
const READERS: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
// The browser's information about a request: the requesting site, the mode (for example navigation), and the
// destination.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const PURPOSE: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The headers of every answer. Scripts, styles, images and connections must come from this server, content types are
/// not guessed, and no other site can show these pages in a frame.
const HEADERS: [(HeaderName, &str); 5] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (READERS, "same-origin"),
    (CACHE_CONTROL, "no-cache"),
];

/// Largest number of bytes of an error of the framework.
const LONGEST_ERROR: usize = 4096;

/// An allowed request.
struct AllowedRequest {
    /// The other origin that may read the answer.
    origin: Option<HeaderValue>,
    is_preflight: bool,
    /// Whether the URL contained the token. The answer then sets the cookie.
    is_first: bool,
}

/// Refuses a request or passes it to its route.
pub(super) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let allowed = check(&app.access, &request);
    if let (Ok(_), Some(ConnectInfo(peer))) = (&allowed, request.extensions().get()) {
        Peer::asked(peer);
    }
    let mut answer = match &allowed {
        Err(refusal) => refusal.clone().into_response(),
        Ok(allowed) if allowed.is_preflight => preflight(request.headers()),
        Ok(_) => as_refusal(next.run(request).await).await,
    };
    let headers = answer.headers_mut();
    for (name, value) in HEADERS {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    if let Ok(AllowedRequest {
        origin: Some(origin),
        ..
    }) = &allowed
    {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(VARY, ORIGIN.into());
        headers.insert(READERS, HeaderValue::from_static("cross-origin"));
    }
    let is_first = allowed.is_ok_and(|allowed| allowed.is_first);
    if let Some(token) = app.access.token.as_ref().filter(|_| is_first) {
        let name = access::COOKIE;
        let cookie = format!("{name}={}; Path=/; HttpOnly; SameSite=Strict", token.text());
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            headers.insert(SET_COOKIE, cookie);
        }
    }
    answer
}

/// Converts text errors of the framework, for example about a path that is not UTF-8, to JSON errors.
async fn as_refusal(answer: Response) -> Response {
    let status = answer.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || is_json(answer.headers()) {
        return answer;
    }
    let text = to_bytes(answer.into_body(), LONGEST_ERROR).await;
    let text = text
        .ok()
        .and_then(|text| String::from_utf8(text.into()).ok());
    let text = text.filter(|text| !text.is_empty());
    Refusal::new(status, text.unwrap_or_else(|| status.to_string())).into_response()
}

fn check(access: &Access, request: &Request) -> Result<AllowedRequest, Refusal> {
    let headers = request.headers();
    let host = only(headers, &HOST).unwrap_or_default();
    if !access.allows_host(host) {
        let message = "this server has another name: use the address that it printed";
        return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, message));
    }
    // Several origins, or one that is not text, count as a foreign origin.
    let origin = if headers.contains_key(ORIGIN) {
        Some(only(headers, &ORIGIN).unwrap_or("null"))
    } else {
        None
    };
    let path = request.uri().path();
    if origin.is_none() && is_embedded_elsewhere(headers) && !access.is_shared(path) {
        let message = "pages of other sites may link to this server, but not embed what is here";
        return Err(Refusal::new(StatusCode::FORBIDDEN, message));
    }
    let from = access.from(host, origin, path);
    let from = from.ok_or_else(|| {
        let message = "pages of other sites may not ask here";
        Refusal::new(StatusCode::FORBIDDEN, message)
    })?;
    let is_elsewhere = from == Caller::Elsewhere;
    let allowed = AllowedRequest {
        origin: headers.get(ORIGIN).cloned().filter(|_| is_elsewhere),
        is_preflight: is_elsewhere
            && request.method() == Method::OPTIONS
            && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD),
        is_first: false,
    };
    // A browser sends a preflight request without the token.
    if allowed.is_preflight {
        return Ok(allowed);
    }
    let is_first = knows_token(access, request)?;
    if request.method() == Method::POST && !is_json(headers) {
        let message = "the content type of a request is application/json";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    Ok(AllowedRequest {
        is_first,
        ..allowed
    })
}

/// Whether, according to the browser, a page of another site embeds this resource, rather than a user following a link.
/// Browsers send no origin with requests for images and scripts.
fn is_embedded_elsewhere(headers: &HeaderMap) -> bool {
    let has =
        |name, values: &[&str]| only(headers, &name).is_some_and(|value| values.contains(&value));
    let is_link =
        has(MODE, &["navigate"]) && !has(PURPOSE, &["iframe", "frame", "embed", "object"]);
    has(SITE, &["cross-site", "same-site"]) && !is_link
}

/// The only value of a header; `None` if it is missing or repeated.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// Checks that a request contains the token, if the server has one. Returns whether the URL contained it.
fn knows_token(access: &Access, request: &Request) -> Result<bool, Refusal> {
    let Some(token) = &access.token else {
        return Ok(false);
    };
    let header = only(request.headers(), &AUTHORIZATION);
    let header = header.and_then(|header| header.strip_prefix("Bearer "));
    let cookies = request.headers().get_all(COOKIE).iter();
    let cookies = cookies.filter_map(|cookies| cookies.to_str().ok());
    let cookies = cookies.flat_map(|cookies| cookies.split(';'));
    let cookie = cookies.filter_map(|cookie| cookie.trim().split_once('='));
    let mut cookie = cookie.filter(|(name, _)| *name == access::COOKIE);
    if header.is_some_and(|given| token.is(given)) || cookie.any(|(_, given)| token.is(given)) {
        return Ok(false);
    }
    let parameters = request.uri().query().unwrap_or_default().split('&');
    let mut given = parameters.filter_map(|parameter| parameter.strip_prefix("token="));
    if request.method() == Method::GET && given.any(|given| token.is(given)) {
        return Ok(true);
    }
    let message = "this server asks for its token: open its address with ?token=..., or send it in the header \
                   Authorization: Bearer ...";
    Err(Refusal::new(StatusCode::UNAUTHORIZED, message))
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = only(headers, &CONTENT_TYPE).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

/// The answer to a preflight request.
fn preflight(asked: &HeaderMap) -> Response {
    let mut answer = StatusCode::NO_CONTENT.into_response();
    let headers = answer.headers_mut();
    let allowed = [CONTENT_TYPE, AUTHORIZATION, ACCEPT].map(|name| name.as_str().to_owned());
    if let Ok(allowed) = HeaderValue::from_str(&allowed.join(", ")) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    }
    headers.insert(
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, POST"),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    if asked.contains_key(REQUESTED_NETWORK) {
        headers.insert(ALLOWED_NETWORK, HeaderValue::from_static("true"));
    }
    answer
}
