//! The `tiletune` program: see `tiletune --help`.

fn main() -> std::process::ExitCode {
    tiletune::cli::run()
}
