//! The build of this program, provided by the build script.

use crate::run::Build;

/// The build of this program, for the manifests of its runs.
pub(crate) fn build() -> Build {
    Build {
        commit: option_env!("TILETUNE_COMMIT"),
        clean: option_env!("TILETUNE_CLEAN").map(|clean| clean == "true"),
        rustc: env!("TILETUNE_RUSTC"),
    }
}
