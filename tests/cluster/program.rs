//! `tiletune` as tests of clusters need it. `TILETUNE_TEST_BUILD` is the name of its build, whose fingerprint would
//! take seconds; after `TILETUNE_TEST_TRUE_TASKS` tasks its worker sends false games.

use tiletune::Catalogue;
use tiletune::cli::{Testing, run_for_tests};

fn main() -> std::process::ExitCode {
    let build = std::env::var("TILETUNE_TEST_BUILD").ok();
    let true_tasks = std::env::var("TILETUNE_TEST_TRUE_TASKS").ok();
    let testing = Testing {
        build: build.map(|name| &*name.leak()),
        falsify_after: true_tasks.and_then(|number| number.parse().ok()),
    };
    run_for_tests(Catalogue::builtin(), testing)
}
