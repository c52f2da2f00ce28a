//! The `tiletune` program: see `tiletune --help`.

use tiletune::Catalogue;
use tiletune::run::Kinds;

fn main() -> std::process::ExitCode {
    tiletune::cli::run(Catalogue::builtin(), Kinds::builtin())
}
