//! The `tiletune` program: see `tiletune --help`.

use tiletune::Catalogue;

fn main() -> std::process::ExitCode {
    tiletune::cli::run(Catalogue::builtin())
}
