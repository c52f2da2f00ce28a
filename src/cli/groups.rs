//! The commands in the help of the program: in groups, by what one wants to do.

use clap::Command;

/// The groups with their commands. A command that is in none is listed at the end of the last one.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Tune", &["init", "tune", "resume"]),
    ("Look", &["runs", "report", "serve", "play", "advise"]),
    (
        "Judge",
        &["evaluate", "compare", "ablate", "replay", "verify"],
    ),
    ("Take away", &["export"]),
    (
        "More",
        &[
            "list",
            "completions",
            "man",
            "browser",
            "cluster",
            "worker",
            "fingerprint",
        ],
    ),
];

/// The command with its subcommands in groups. clap has headings for flags only.
pub(super) fn grouped(command: Command) -> Command {
    let commands = list(&command);
    command.help_template(format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{commands}Options:\n{{options}}{{after-help}}"
    ))
}

fn list(command: &Command) -> String {
    let is_grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let names = command.get_subcommands().map(Command::get_name);
    let others: Vec<&str> = names.filter(|name| !is_grouped(name)).collect();
    let mut text = String::new();
    for (index, (group, names)) in GROUPS.iter().enumerate() {
        let is_last = index + 1 == GROUPS.len();
        let others = others.iter().filter(|_| is_last);
        let commands = names.iter().chain(others);
        let commands = commands.filter_map(|name| command.find_subcommand(name));
        text += &format!("{group}:\n");
        text.extend(commands.map(line));
        text.push('\n');
    }
    text
}

fn line(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string);
    format!(
        "  {:<11}  {}\n",
        command.get_name(),
        about.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;

    #[test]
    fn the_help_has_every_command_once_and_fits_a_terminal() {
        let mut command = crate::cli::command(&Catalogue::builtin());
        let help = command.render_help().to_string();
        let (_, commands) = help.split_once("Tune:\n").unwrap();
        let (commands, _) = commands.split_once("Options:\n").unwrap();
        let lines = commands.lines().filter(|line| line.starts_with("  "));
        let lines: Vec<&str> = lines.collect();
        for line in &lines {
            assert!(line.len() <= 80, "{line}");
        }
        let mut listed: Vec<&str> = lines.iter().map(|line| first_word(line)).collect();
        listed.sort_unstable();
        let known = command.get_subcommands().map(Command::get_name);
        let mut known: Vec<&str> = known.filter(|name| *name != "help").collect();
        known.sort_unstable();
        assert_eq!(listed, known);
        let grouped: usize = GROUPS.iter().map(|(_, names)| names.len()).sum();
        assert_eq!(grouped, known.len(), "a command has no group");
    }

    fn first_word(line: &str) -> &str {
        line.split_whitespace().next().unwrap_or_default()
    }
}
