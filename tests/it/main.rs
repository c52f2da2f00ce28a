//! The tests of the library and of the program but those that need a browser, a server of messages or a socket: one
//! program, because each links everything.

#[path = "../common/mod.rs"]
mod common;
#[allow(dead_code, reason = "an example is a program")]
#[path = "../../examples/own_game.rs"]
mod example_game;

mod ablate;
mod advise;
mod architecture;
mod boards;
mod build_script;
mod c_header;
mod compare;
mod connect_four;
mod continuation;
mod coverage;
mod deeper;
mod distributions;
mod engines;
mod every_game;
mod exact;
mod external;
mod faults;
mod formats;
mod games;
mod heuristic_files;
mod heuristic_mistakes;
mod heuristics;
mod init;
mod inputs;
mod json;
mod mixed;
mod outputs;
mod own_crate;
mod own_game;
mod own_heuristic;
mod own_optimizer;
mod play;
mod prune;
mod readers;
mod readme;
mod replay;
mod reproducibility;
mod runs;
mod sequential;
mod series;
mod settings;
mod signal;
mod sphere;
mod stop;
mod tournament;
mod warm_start;
mod watch;
