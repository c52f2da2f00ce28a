//! The command line with what `--help` says of each command below its flags: what `--json` prints, and examples.
//! A test parses every example.

use clap::{Arg, Command, CommandFactory};

use super::Cli;
use super::player_args::with_options;
use crate::Catalogue;

/// What is said of a command.
struct About {
    command: &'static str,
    /// What `--json` prints.
    json: &'static str,
    /// Command lines with what they do.
    examples: &'static [(&'static str, &'static str)],
}

const ABOUT: &[About] = &[
    About {
        command: "init",
        json: "refused, because a campaign file is TOML; --schema prints one object",
        examples: &[
            ("tiletune init > my.toml", "a campaign of 2048"),
            (
                "tiletune init --game three-plus-three > three.toml",
                "another game",
            ),
            (
                "tiletune init --schema > campaign.schema.json",
                "for editors: begin my.toml with #:schema campaign.schema.json",
            ),
        ],
    },
    About {
        command: "tune",
        json: "one object with weights and validation; of a series and of --dry-run another one",
        examples: &[
            ("tiletune tune", "the quickstart: ten seconds on two cores"),
            ("tiletune tune my.toml --dry-run", "plan and time"),
            ("tiletune tune my.toml --out results/mine", "run it"),
            (
                "tiletune tune my.toml --set player.depth=2 --set budget.minutes=30",
                "with other settings",
            ),
            (
                "tiletune tune my.toml --repeat 5",
                "five searches and their spread",
            ),
        ],
    },
    About {
        command: "compare",
        json: "one object with players, challengers and verdict; with --dry-run another one",
        examples: &[
            (
                "tiletune compare published results/mine --depth 1",
                "the weights of a run against the published ones",
            ),
            (
                "tiletune compare a.toml b.toml c.toml --margin 1%",
                "b and c, each against a",
            ),
            (
                "tiletune compare strings-repository strings --game connect-four",
                "a direct match",
            ),
        ],
    },
    About {
        command: "resume",
        json: "the object of the command that began the run",
        examples: &[
            (
                "tiletune resume results/mine",
                "after Ctrl-C, a crash or a power cut",
            ),
            (
                "tiletune resume results/mine --publish mine/experiment.toml",
                "and copy charts and tables of an experiment into mine/",
            ),
        ],
    },
    About {
        command: "ablate",
        json: "one object with a result for each row; with --dry-run another one",
        examples: &[
            (
                "tiletune ablate experiments/2048/terms/experiment.toml --dry-run",
                "games and time of each row",
            ),
            (
                "tiletune ablate experiments/2048/terms/experiment.toml --set games=200",
                "fewer games",
            ),
        ],
    },
    About {
        command: "evaluate",
        json: "one object",
        examples: &[
            (
                "tiletune evaluate --player expectimax --depth 2 --games 100 --seed 1",
                "published weights",
            ),
            (
                "tiletune evaluate --player expectimax --weights results/mine --games 1000 --seed 1 --out kept",
                "those of a run; the games are kept",
            ),
            (
                "tiletune evaluate --game connect-four --player strings --opponent random --games 100 --seed 1",
                "points against an opponent",
            ),
        ],
    },
    About {
        command: "advise",
        json: "nothing else: each answer is one object on a line",
        examples: &[
            (
                "echo '{\"board\":[2,4,8,16,0,0,2,4,0,0,0,2,0,0,0,0]}' | tiletune advise --player expectimax",
                "",
            ),
            (
                "tiletune advise --player expectimax --weights results/mine --explain=table < positions.jsonl",
                "what each term gives",
            ),
        ],
    },
    About {
        command: "play",
        json: "one object on a line for each move, then one with the result",
        examples: &[
            (
                "tiletune play --player expectimax --depth 2",
                "watch a game",
            ),
            (
                "tiletune play --game connect-four --player strings --human first",
                "play against it",
            ),
            (
                "tiletune play --run results/mine --hold-out tuned --game-index 3",
                "a recorded game",
            ),
        ],
    },
    About {
        command: "serve",
        json: "one object with the address, at the beginning",
        examples: &[
            ("tiletune serve --open", "in the browser of this machine"),
            (
                "tiletune serve --port 8048 --results results",
                "the runs of a folder",
            ),
        ],
    },
    About {
        command: "browser",
        json: "one object with the result, at the end of the game",
        examples: &[(
            "tiletune browser --player expectimax --depth 2",
            "plays the 2048 that is open in a Chromium",
        )],
    },
    About {
        command: "replay",
        json: "one object with what was compared and what differs",
        examples: &[
            (
                "tiletune replay results/mine",
                "the hold-out games of a run",
            ),
            (
                "tiletune replay configs/weights/expectimax-depth-1.toml",
                "those of a weights file",
            ),
        ],
    },
    About {
        command: "verify",
        json: "one object with what was checked and what differs",
        examples: &[
            ("tiletune verify results/mine", "all files and 20 games"),
            ("tiletune verify results/mine --games 1000", "more games"),
        ],
    },
    About {
        command: "report",
        json: "one object with the path of the report and the names of the charts",
        examples: &[
            ("tiletune report results/mine", "in the run directory"),
            (
                "tiletune report results/mine --out elsewhere",
                "in a folder of its own",
            ),
        ],
    },
    About {
        command: "runs",
        json: "an array with an object for each run; of `runs show` one object",
        examples: &[
            ("tiletune runs", "all runs in results/"),
            ("tiletune runs results/mine", "the runs of a series"),
            ("tiletune runs show results/mine", "one run"),
        ],
    },
    About {
        command: "export",
        json: "the same as --format json: one object; other formats are refused",
        examples: &[
            (
                "tiletune export results/mine --format c-header",
                "on stdout",
            ),
            (
                "tiletune export results/mine --json --out weights.json",
                "into a file",
            ),
        ],
    },
    About {
        command: "fingerprint",
        json: "one object",
        examples: &[("tiletune fingerprint", "about ten seconds")],
    },
    About {
        command: "list",
        json: "an array with an object for each entry",
        examples: &[
            ("tiletune list players", "players and their options"),
            ("tiletune list heuristics", "the weights that can be tuned"),
            (
                "tiletune list optimizers",
                "what can propose candidates: optimizer.name of a campaign file",
            ),
            (
                "tiletune list heuristics configs/heuristics/2048-anchored.toml",
                "those of a file",
            ),
        ],
    },
    About {
        command: "worker",
        json: "nothing else: messages go to stderr",
        examples: &[
            (
                "tiletune worker --nats nats://host:4222",
                "plays for every run on this server, until Ctrl-C",
            ),
            (
                "tiletune worker --nats nats://host:4222 --threads 4",
                "with four threads",
            ),
        ],
    },
    About {
        command: "cluster",
        json: "one object with workers, runs and queues",
        examples: &[(
            "tiletune cluster --nats nats://host:4222",
            "workers and runs of a server",
        )],
    },
    About {
        command: "completions",
        json: "refused",
        examples: &[(
            "tiletune completions bash > ~/.local/share/bash-completion/completions/tiletune",
            "",
        )],
    },
    About {
        command: "man",
        json: "refused",
        examples: &[(
            "tiletune man ~/.local/share/man/man1",
            "then man tiletune-tune",
        )],
    },
];

/// The command line. The text below the flags of each command is what the command itself says there, what
/// `--json` prints, and the examples.
pub(super) fn command(catalogue: &Catalogue) -> Command {
    // The message for a number below 0 says what is allowed, not that there is no option of this name.
    let numbers = |arg: Arg| match arg.get_action().takes_values() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    };
    let command = Cli::command()
        .mut_subcommands(|command| with_options(catalogue, command).mut_args(numbers));
    ABOUT.iter().fold(command, |command, about| {
        command.mut_subcommand(about.command, |command| {
            let own = command.get_after_help().map(ToString::to_string);
            let own = own.map_or(String::new(), |own| own.trim_end().to_owned() + "\n\n");
            command.after_help(own + &below(about))
        })
    })
}

fn below(about: &About) -> String {
    let mut text = format!("--json: {}.\n\nExamples:", about.json);
    for (line, what) in about.examples {
        text += &match what.is_empty() {
            true => format!("\n  {line}"),
            false => format!("\n  {line}\n      {what}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_its_text_and_every_example_is_valid() {
        let command = command(&Catalogue::builtin());
        let commands: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        let named: Vec<&str> = ABOUT.iter().map(|about| about.command).collect();
        for name in commands {
            assert!(named.contains(&name), "{name}");
        }
        for about in ABOUT {
            for (line, _) in about.examples {
                let line = line.rsplit("| ").next().unwrap();
                let words = line.split([' ', '\n']).filter(|word| !word.is_empty());
                let words: Vec<&str> = words
                    .take_while(|word| !["<", ">"].contains(word))
                    .collect();
                assert_eq!(words[..2], ["tiletune", about.command], "{line}");
                let parsed = command.clone().try_get_matches_from(words);
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }
}
