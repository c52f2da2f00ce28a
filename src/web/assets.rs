//! The files of the pages, which are compiled into the program. They are plain ES modules: there is no build step, and
//! nothing is loaded from other sites.

use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
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
    ("/runs.js", SCRIPT, include_str!("assets/runs.js")),
    ("/overlay.js", SCRIPT, include_str!("assets/overlay.js")),
    ("/blocks.js", SCRIPT, include_str!("assets/blocks.js")),
    ("/chart.js", SCRIPT, include_str!("assets/chart.js")),
    ("/cluster.js", SCRIPT, include_str!("assets/cluster.js")),
    ("/columns.js", SCRIPT, include_str!("assets/columns.js")),
    ("/scale.js", SCRIPT, include_str!("assets/scale.js")),
];

pub(super) fn routes() -> Router<Arc<App>> {
    let serve = |router: Router<Arc<App>>, (path, kind, contents): &Asset| {
        let (kind, contents) = (*kind, *contents);
        router.route(
            path,
            get(move || async move { ([(CONTENT_TYPE, kind)], contents) }),
        )
    };
    ASSETS.iter().fold(Router::new(), serve)
}
