//! What commands print on a terminal of 80 columns fits it.

use super::*;

/// Runs the program at the first argument in a terminal of 80 columns, with the other arguments, and prints what it wrote.
const TERMINAL: &str = r"
import fcntl, os, pty, struct, sys, termios
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
if os.fork() == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for stream in range(3):
        os.dup2(slave, stream)
    os.execv(sys.argv[1], sys.argv[1:])
os.close(slave)
while True:
    try:
        part = os.read(master, 65536)
    except OSError:
        break
    if not part:
        break
    sys.stdout.buffer.write(part)
";

/// The lines of a command on such a terminal, without escape sequences.
fn lines(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let output = std::process::Command::new("python3")
        .args(["-c", TERMINAL, env!("CARGO_BIN_EXE_tiletune")])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut plain = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            // To the letter that ends the sequence.
            characters.find(|end| end.is_ascii_alphabetic());
        } else {
            plain.push(character);
        }
    }
    // The progress line is drawn over itself.
    let lines = plain.split(['\n', '\r']).filter(|line| !line.is_empty());
    lines.map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn what_is_printed_fits_a_terminal_of_80_columns() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    campaign_file(root, SMALL);
    let experiment = "why = 'Which of two players with rather long names is better, and by how much is it better?'\n\
                      name = 'rows'\nseed = 1\ngames = 200\nbaseline = 'the random player'\n\
                      row = [{ name = 'the random player', player = { name = 'random' } }, \
                      { name = 'the greedy player', player = { name = 'greedy' } }]";
    std::fs::write(root.join("experiment.toml"), experiment).unwrap();
    let small = "tune campaign.toml --generations 3";
    for command in [
        &format!("{small} --dry-run"),
        small,
        "tune campaign.toml --generations 2 --repeat 2 --out results/series --set validation.race_games=100",
        "resume last --generations 4",
        "resume last",
        "runs",
        "runs show last",
        "runs show results/series",
        "compare random greedy --max-games 400",
        "compare random greedy --dry-run",
        "ablate experiment.toml",
        "ablate experiment.toml --dry-run",
        "evaluate --player greedy --games 50",
        "evaluate --player greedy --games 50 --verbose",
        "evaluate --game connect-four --player strings --games 20",
        "verify last",
        "replay last",
        "advise --explain=table --help",
        "resume nothing",
    ] {
        let arguments: Vec<&str> = command.split(' ').collect();
        let lines = lines(root, &arguments);
        assert!(!lines.is_empty(), "{command} printed nothing");
        for line in lines {
            // Only a path or a number can be longer.
            let has_break = line.trim_start().contains(' ');
            let width = line.chars().count();
            assert!(width <= 80 || !has_break, "{command}: {width}: {line}");
        }
    }
}
