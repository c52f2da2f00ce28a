//! The files of the pages, which are compiled into the program. They are plain ES modules: there is no build step, and
//! nothing is loaded from other sites.

use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::http::header::CONTENT_TYPE;
use axum::response::Redirect;
use axum::routing::get;

use super::app::App;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const IMAGE: &str = "image/svg+xml";

/// Path, content type and contents of a file.
type Asset = (&'static str, &'static str, &'static str);

const ASSETS: &[Asset] = &[
    ("/", HTML, include_str!("assets/index.html")),
    ("/icon.svg", IMAGE, include_str!("assets/icon.svg")),
    ("/style.css", CSS, include_str!("assets/style.css")),
    ("/play.css", CSS, include_str!("assets/play.css")),
    ("/runs.css", CSS, include_str!("assets/runs.css")),
    ("/lab.css", CSS, include_str!("assets/lab.css")),
    ("/app.js", SCRIPT, include_str!("assets/app.js")),
    ("/api.js", SCRIPT, include_str!("assets/api.js")),
    ("/dom.js", SCRIPT, include_str!("assets/dom.js")),
    ("/board.js", SCRIPT, include_str!("assets/board.js")),
    ("/chooser.js", SCRIPT, include_str!("assets/chooser.js")),
    (
        "/pages/play.js",
        SCRIPT,
        include_str!("assets/pages/play.js"),
    ),
    ("/pages/ask.js", SCRIPT, include_str!("assets/pages/ask.js")),
    (
        "/pages/runs.js",
        SCRIPT,
        include_str!("assets/pages/runs.js"),
    ),
    ("/pages/run.js", SCRIPT, include_str!("assets/pages/run.js")),
    ("/pages/lab.js", SCRIPT, include_str!("assets/pages/lab.js")),
    (
        "/pages/losses.js",
        SCRIPT,
        include_str!("assets/pages/losses.js"),
    ),
    (
        "/pages/game.js",
        SCRIPT,
        include_str!("assets/pages/game.js"),
    ),
    (
        "/lab/drawing.js",
        SCRIPT,
        include_str!("assets/lab/drawing.js"),
    ),
    ("/lab/files.js", SCRIPT, include_str!("assets/lab/files.js")),
    (
        "/lab/game-form.js",
        SCRIPT,
        include_str!("assets/lab/game-form.js"),
    ),
    ("/lab/games.js", SCRIPT, include_str!("assets/lab/games.js")),
    (
        "/lab/latest.js",
        SCRIPT,
        include_str!("assets/lab/latest.js"),
    ),
    (
        "/lab/numbers.js",
        SCRIPT,
        include_str!("assets/lab/numbers.js"),
    ),
    (
        "/lab/position.js",
        SCRIPT,
        include_str!("assets/lab/position.js"),
    ),
    (
        "/lab/sliders.js",
        SCRIPT,
        include_str!("assets/lab/sliders.js"),
    ),
    ("/events.js", SCRIPT, include_str!("assets/events.js")),
    ("/runs.js", SCRIPT, include_str!("assets/runs.js")),
    ("/overlay.js", SCRIPT, include_str!("assets/overlay.js")),
    ("/blocks.js", SCRIPT, include_str!("assets/blocks.js")),
    ("/chart.js", SCRIPT, include_str!("assets/chart.js")),
    ("/cluster.js", SCRIPT, include_str!("assets/cluster.js")),
    ("/columns.js", SCRIPT, include_str!("assets/columns.js")),
    ("/scale.js", SCRIPT, include_str!("assets/scale.js")),
    ("/best.js", SCRIPT, include_str!("assets/best.js")),
    ("/theme.js", SCRIPT, include_str!("assets/theme.js")),
    ("/keys.js", SCRIPT, include_str!("assets/keys.js")),
    ("/extras.js", SCRIPT, include_str!("assets/extras.js")),
    (
        "/candidates.js",
        SCRIPT,
        include_str!("assets/candidates.js"),
    ),
    ("/pages/new.js", SCRIPT, include_str!("assets/pages/new.js")),
    (
        "/pages/pruned.js",
        SCRIPT,
        include_str!("assets/pages/pruned.js"),
    ),
    ("/steer.css", CSS, include_str!("assets/steer.css")),
];

pub(super) fn routes() -> Router<Arc<App>> {
    let serve = |router: Router<Arc<App>>, (path, kind, contents): &Asset| {
        let (kind, contents) = (*kind, *contents);
        router.route(
            path,
            get(move || async move { ([(CONTENT_TYPE, kind)], contents) }),
        )
    };
    let files = ASSETS.iter().fold(Router::new(), serve);
    // Addresses that people type lead to the page.
    let typed = |router: Router<Arc<App>>, &page: &&'static str| {
        router.route(
            &format!("/{page}"),
            get(move || async move { to_page(page) }),
        )
    };
    let files = TYPED.iter().fold(files, typed);
    files.route("/runs/{*run}", get(run_page))
}

/// Pages whose names can be typed as paths.
const TYPED: [&str; 5] = ["play", "ask", "lab", "runs", "new"];

fn to_page(page: &str) -> Redirect {
    Redirect::temporary(&format!("/#/{page}"))
}

async fn run_page(Path(run): Path<String>) -> Redirect {
    let parts = run
        .split('/')
        .map(|part| form_urlencoded::byte_serialize(part.as_bytes()));
    let parts: Vec<String> = parts
        .map(|part| part.collect::<String>().replace('+', "%20"))
        .collect();
    to_page(&format!("runs/{}", parts.join("/")))
}
