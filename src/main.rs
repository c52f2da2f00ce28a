//! The `tiletune` program: see `tiletune --help`.

use tiletune::Catalogue;
use tiletune::run::RunKinds;

fn main() -> std::process::ExitCode {
    tiletune::cli::run(Catalogue::builtin(), RunKinds::builtin())
}
