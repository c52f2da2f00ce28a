//! The registry of the built-in kinds of run. This module must not know what a kind of run does.

use crate::config::campaign::Campaign;
use crate::config::compare::Comparison;
use crate::config::experiment::Experiment;
use crate::config::series::Series;
use crate::run::RunKinds;

impl RunKinds {
    pub fn builtin() -> Self {
        RunKinds(&[
            &Campaign::KIND,
            &Series::KIND,
            &Experiment::KIND,
            &Comparison::KIND,
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::RunDirectory;
    use crate::run::manifest::{Manifest, Seeds, Session};

    #[test]
    fn an_unknown_kind_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("run");
        let seeds = Seeds {
            campaign: 1,
            hold_out: 1,
        };
        let begin = |directory: &RunDirectory| {
            Manifest::new("dance", Session::now(1), seeds).write(directory.root())
        };
        let directory = RunDirectory::create(&root, &[], begin).unwrap();
        let error = RunKinds::builtin().of(&directory).unwrap_err().to_string();
        let names = RunKinds::builtin().0.iter().map(|kind| kind.name);
        let known = names.collect::<Vec<_>>().join(", ");
        assert!(known.starts_with("campaign, series, "), "{known}");
        let this = env!("CARGO_PKG_VERSION");
        assert!(
            error.ends_with(&format!(
                "a run of the kind `dance`, written by tiletune {this}; this program (tiletune {this}) knows: {known}"
            )),
            "{error}"
        );
    }

    #[test]
    fn the_page_has_the_data_of_every_chart() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tables.md");
        let page = std::fs::read_to_string(page).unwrap();
        for kind in RunKinds::builtin().0 {
            for chart in (kind.charts)() {
                let file = format!("`{}.csv`", chart.name);
                assert!(page.contains(&file), "{file} of a {}", kind.name);
            }
        }
    }
}
