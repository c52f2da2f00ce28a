//! Which requests are refused.

use tiletune::web::{Server, Settings, Token};

use super::{JSON, question, serve};

#[test]
fn every_error_is_json() {
    let served = serve(|_| {});
    for (status, line) in [
        (400, "GET /api/runs/%ff"),
        (400, "GET /api/runs/%ff/events"),
        (400, "GET /api/runs/a/charts/%c3.svg"),
        (404, "GET /api/runs/a"),
        (404, "GET /%ff"),
        (405, "DELETE /api/runs"),
        (422, "POST /api/advise"),
    ] {
        let answer = served.request(line, &[JSON], "{}");
        assert_eq!(answer.status, status, "{line}: {answer:?}");
        assert!(!answer.error().is_empty(), "{line}: {answer:?}");
    }
}

#[test]
fn requests_are_refused_that_may_not_be_answered() {
    let served = serve(|settings| settings.origins = vec!["https://example.org".into()]);
    let port = served.address.port();
    let host = |name: &str| format!("Host: {name}");
    let (other_port, question) = (format!("Host: 127.0.0.1:{}", port ^ 1), question());
    let own = format!("Origin: http://127.0.0.1:{port}");
    let large = format!("{{\"x\":\"{}\"}}", "x".repeat(70_000));
    let post = "POST /api/advise";
    let extension = "Origin: chrome-extension://abcdefghijklmnop";
    let table: &[(u16, &str, &[&str], &str)] = &[
        // The name of the server.
        (200, "GET /", &[&host(&format!("localhost:{port}"))], ""),
        (200, "GET /", &[&host(&format!("[::1]:{port}"))], ""),
        (421, "GET /", &[&host("evil.example")], ""),
        (421, "GET /", &[&host(&format!("evil.example:{port}"))], ""),
        (421, "GET /", &[&host("127.0.0.1")], ""),
        (421, "GET /", &[&other_port], ""),
        (421, "GET /", &["Host: HOST", &host("evil.example")], ""),
        (421, "GET /api/runs", &[&host("evil.example")], ""),
        // The page that asks.
        (200, post, &[JSON, &own], &question),
        (200, post, &[JSON, "Origin: https://example.org"], &question),
        (200, post, &[JSON, extension], &question),
        (
            403,
            post,
            &[JSON, "Origin: https://evil.example"],
            &question,
        ),
        (403, post, &[JSON, "Origin: null"], &question),
        (
            403,
            post,
            &[JSON, "Origin: https://example.org.evil.example"],
            &question,
        ),
        (403, post, &[JSON, "Origin: http://example.org"], &question),
        (
            403,
            post,
            &[JSON, "Origin: https://example.org", &own],
            &question,
        ),
        (403, "GET /api/runs", &["Origin: https://example.org"], ""),
        (403, "GET /api/runs", &[extension], ""),
        (403, "GET /api/runs", &["Origin: null"], ""),
        (403, "POST /api/games", &[JSON, extension], "{}"),
        // What a page embeds has no origin.
        (
            403,
            "GET /api/runs",
            &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"],
            "",
        ),
        (
            403,
            "GET /",
            &["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"],
            "",
        ),
        (
            200,
            "GET /",
            &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"],
            "",
        ),
        (
            403,
            "GET /",
            &[
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Mode: navigate",
                "Sec-Fetch-Dest: iframe",
            ],
            "",
        ),
        (
            200,
            "GET /api/runs",
            &["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"],
            "",
        ),
        (200, post, &[JSON, "Sec-Fetch-Site: cross-site"], &question),
        // A browser that asks beforehand.
        (
            204,
            "OPTIONS /api/advise",
            &[
                "Origin: https://example.org",
                "Access-Control-Request-Method: POST",
            ],
            "",
        ),
        (
            403,
            "OPTIONS /api/advise",
            &[
                "Origin: https://evil.example",
                "Access-Control-Request-Method: POST",
            ],
            "",
        ),
        (
            403,
            "OPTIONS /api/games",
            &[
                "Origin: https://example.org",
                "Access-Control-Request-Method: POST",
            ],
            "",
        ),
        // The body.
        (415, post, &["Content-Type: text/plain"], &question),
        (
            415,
            post,
            &["Content-Type: application/x-www-form-urlencoded"],
            &question,
        ),
        (415, post, &[], &question),
        (
            200,
            post,
            &["Content-Type: Application/JSON; charset=utf-8"],
            &question,
        ),
        (413, post, &[JSON], &large),
        (422, post, &[JSON], "no json"),
        (422, post, &[JSON], "{}"),
        (422, post, &[JSON], &"[".repeat(60_000)),
        // Paths and methods.
        (404, "GET /../Cargo.toml", &[], ""),
        (404, "GET /..%2f..%2fetc%2fpasswd", &[], ""),
        (404, "GET /pages/..%2fapp.js", &[], ""),
        (404, "GET /pages", &[], ""),
        (404, "GET /api/nothing", &[], ""),
        (405, "GET /api/advise", &[], ""),
        (405, "DELETE /api/games", &[], ""),
    ];
    for (status, line, lines, body) in table {
        let answer = served.request(line, lines, body);
        assert_eq!(answer.status, *status, "{line} {lines:?}: {answer:?}");
        if *status >= 400 {
            assert!(!answer.error().is_empty(), "{line}: {answer:?}");
        }
        assert!(
            answer
                .head
                .contains("content-security-policy: default-src 'self'"),
            "{answer:?}"
        );
        assert!(
            answer.head.contains("x-content-type-options: nosniff"),
            "{answer:?}"
        );
        let is_shared = answer.head.contains("access-control-allow-origin");
        let is_foreign =
            lines.iter().any(|line| line.starts_with("Origin: ")) && !lines.contains(&own.as_str());
        assert_eq!(is_shared, is_foreign && *status < 400, "{answer:?}");
    }
    let chunked = "POST /api/advise HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nConnection: close\r\n\
                   Transfer-Encoding: chunked\r\n\r\n";
    let answer = served.raw(&format!(
        "{chunked}{:x}\r\n{large}\r\n0\r\n\r\n",
        large.len()
    ));
    assert_eq!(answer.status, 413, "{answer:?}");
    assert_eq!(
        served
            .raw("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            .status,
        421
    );
}

#[test]
fn a_token_is_asked_for_if_there_is_one() {
    let mut reachable = Settings::new("results");
    reachable.address = ([0, 0, 0, 0], 0).into();
    assert!(Server::bind(reachable).is_err());
    let token = "0123456789abcdef";
    let served = serve(|settings| {
        settings.token = Some(Token::new(token).unwrap());
        settings.origins = vec!["https://example.org".into()];
    });
    let authorization = format!("Authorization: Bearer {token}");
    let cookie = format!("Cookie: theme=dark; tiletune-token={token}");
    let (first, name) = (format!("GET /?token={token}"), "Host: box.example:8048");
    let table: &[(u16, &str, &[&str])] = &[
        (401, "GET /", &[]),
        (401, "GET /api/runs", &[]),
        (401, "GET /", &["Authorization: Bearer 0123456789abcdeF"]),
        (401, "GET /", &["Authorization: Bearer "]),
        (401, "GET /", &["Cookie: tiletune-token=0123456789abcde"]),
        (401, "GET /?token=0123456789abcdef0", &[]),
        (200, "GET /", &[&authorization]),
        (200, "GET /", &[&cookie]),
        (200, "GET /", &[name, &cookie]),
        (
            403,
            "GET /api/runs",
            &[name, &cookie, "Origin: http://other.example:8048"],
        ),
        (
            200,
            "GET /api/runs",
            &[name, &cookie, "Origin: http://box.example:8048"],
        ),
        (200, &first, &[]),
        (
            204,
            "OPTIONS /api/advise",
            &[
                "Origin: https://example.org",
                "Access-Control-Request-Method: POST",
            ],
        ),
    ];
    for (status, line, lines) in table {
        let answer = served.request(line, lines, "");
        assert_eq!(answer.status, *status, "{line} {lines:?}: {answer:?}");
        let expected =
            "set-cookie: tiletune-token=0123456789abcdef; path=/; httponly; samesite=strict";
        assert_eq!(answer.head.contains(expected), *line == first, "{answer:?}");
    }
}
