//! Lines of text about the search depths at which weights were measured.

use std::fmt::Write;

use toml::Value;

use crate::config::comparisons::{RecordedComparison, comparisons};
use crate::config::weights_file::WeightsFile;
use tiletune_engine::field_error::FieldError;
use tiletune_report::number::{count, grouped, signed};

/// A line for each comparison: `depth 2: 89,464, start of the campaign 86,657, ..`.
///
/// # Errors
/// As [`comparisons`].
pub(super) fn lines(file: &WeightsFile) -> Result<Vec<String>, FieldError> {
    let lines = comparisons(file)?;
    Ok(lines
        .iter()
        .map(|one| line(one, file.minimises()))
        .collect())
}

fn line(comparison: &RecordedComparison, is_loss: bool) -> String {
    let search = &comparison.search;
    let several = search.several().map(|(name, list)| {
        let list: Vec<String> = list.iter().map(plain).collect();
        format!("{name} {}", list.join(", "))
    });
    let depth = search.depth.as_ref().map(|depth| match depth {
        Value::String(depth) => format!("{depth} depth"),
        depth => format!("depth {depth}"),
    });
    // A cut-off of 0 means that there is none.
    let cutoff = search.cutoff.filter(|&cutoff| cutoff > 0.0);
    let cutoff = cutoff.map(|cutoff| format!("cut-off {cutoff:e}"));
    let mean = several.is_some().then(|| "geometric mean".to_owned());
    let parts: Vec<String> = [depth, several, cutoff, mean]
        .into_iter()
        .flatten()
        .collect();
    let mut line = parts.join(", ");
    if !line.is_empty() {
        line += ": ";
    }
    // The results are scores, or points of at most 1, or any number.
    let smallest = f64::min(comparison.mean.abs(), comparison.with_mean.abs());
    let decimals = if smallest < 10.0 { 4 } else { 0 };
    // Not -0.
    let own_sign = |value: f64| if is_loss { 0.0 - value } else { value };
    let in_text = |mean| grouped(own_sign(mean), decimals);
    let difference = &comparison.difference;
    let _ = write!(
        line,
        "{}, {} {}, difference {}",
        in_text(comparison.mean),
        comparison.with,
        in_text(comparison.with_mean),
        signed(own_sign(difference.difference), decimals)
    );
    if let (Some(low), Some(high)) = (difference.difference_low, difference.difference_high) {
        let (low, high) = if is_loss { (high, low) } else { (low, high) };
        let _ = write!(line, " ({} to {})", in_text(low), in_text(high));
    }
    let games = match comparison.games {
        1 => "game",
        _ => "games",
    };
    let _ = write!(line, ", {} {games}", count(comparison.games));
    line
}

/// A value of a list: a text without its quotes.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::heuristic_file::HeuristicConfig;

    fn file(provenance: &str) -> WeightsFile {
        WeightsFile {
            game: "2048".into(),
            player: "expectimax".into(),
            weights: Default::default(),
            heuristic: None,
            provenance: Some(toml::from_str(provenance).unwrap()),
        }
    }

    fn lines_of(provenance: &str) -> Result<Vec<String>, FieldError> {
        lines(&file(provenance))
    }

    #[test]
    fn every_comparison_is_a_line() {
        let provenance = "
            campaign = 'x'
            player = { depth = 2, cutoff = 0.0, name = 'expectimax' }
            hold_out = { games = 2000, mean = 89464.4, start_mean = 86656.7, difference = 2807.7, difference_low = 312.6, difference_high = 5302.7 }
            deeper = [{ depth = 3, games = 20, mean = 2.0, start_mean = 1.0, difference = 1.0, verdict = 'undecided' }]
            compared = [
                { depth = 4, cutoff = 1e-4, with = 'published weights', games = 200, mean = 195306.0, with_mean = 206068.0, difference = -10762.0, difference_low = -29049.0, difference_high = 7524.0 },
                { depth = 'adaptive', with = 'others', games = 2, mean = 3.0, with_mean = 3.0, difference = 0.0 },
            ]";
        let expected = [
            "depth 2: 89,464, start of the campaign 86,657, difference +2,808 (313 to 5,303), 2,000 games",
            "depth 3: 2.0000, start of the campaign 1.0000, difference +1.0000, 20 games",
            "depth 4, cut-off 1e-4: 195,306, published weights 206,068, difference −10,762 (−29,049 to 7,524), 200 games",
            "adaptive depth: 3.0000, others 3.0000, difference 0.0000, 2 games",
        ];
        assert_eq!(lines_of(provenance).unwrap(), expected);
    }

    #[test]
    fn several_settings_are_compared_by_the_objective() {
        let provenance = "
            player = { depths = [1, 'adaptive'], cutoff = 0.01, name = 'expectimax' }
            [hold_out]
            games = 60
            mean = 22046.6
            start_mean = 18359.1
            difference = 3687.5
            objective = { measure = 'x', tuned = 17140.0, start = 12713.3, difference = 4426.8, difference_low = 1631.2, difference_high = 7222.3 }";
        let expected = [
            "depths 1, adaptive, cut-off 1e-2, geometric mean: 17,140, start weights 12,713, \
             difference +4,427 (1,631 to 7,222), 60 games",
        ];
        assert_eq!(lines_of(provenance).unwrap(), expected);
    }

    #[test]
    fn what_a_campaign_wrote_in_another_form_is_left_out() {
        assert!(lines_of("hold_out = 'a book'").unwrap().is_empty());
        assert!(lines_of("campaign = 'x'").unwrap().is_empty());
        let compared =
            "compared = [{ with = 'x', games = 1, mean = 1.0, with_mean = 1.0, difference = 0.0 }]";
        let lines = lines_of(&format!("hold_out = 'a book'\n{compared}")).unwrap();
        assert_eq!(lines, ["1.0000, x 1.0000, difference 0.0000, 1 game"]);
        // Entries in the known form are kept.
        let beside = "player = { depth = 1 }\nhold_out = { games = 10, mean = 20.0, start_mean = 10.0, difference = 10.0 }\ndeeper = 'x'";
        let expected = ["depth 1: 20, start weights 10, difference +10, 10 games"];
        assert_eq!(lines_of(beside).unwrap(), expected);
        let named = beside.replace("games = 10", "with = 'others', games = 10");
        let expected = ["depth 1: 20, others 10, difference +10, 10 games"];
        assert_eq!(lines_of(&named).unwrap(), expected);
    }

    #[test]
    fn what_is_minimised_is_shown_as_the_program_says_it() {
        let mut file = file(
            "player = {}
            hold_out = { games = 30, mean = -12.0, start_mean = -15.0, difference = 3.0, difference_low = 1.0, difference_high = 5.0 }",
        );
        let of = |file: &WeightsFile| lines(file).unwrap().join("");
        let games = "30 games";
        let expected = format!("−12, start weights −15, difference +3 (1 to 5), {games}");
        assert_eq!(of(&file), expected);
        let declared = toml::from_str("command = ['./a']\nminimise = true").unwrap();
        file.heuristic = Some(HeuristicConfig::Inline(declared));
        let expected = format!("12, start weights 15, difference −3 (−5 to −1), {games}");
        assert_eq!(of(&file), expected);
    }

    #[test]
    fn points_of_a_game_have_decimals() {
        let text = include_str!("../../../../configs/weights/connect-four-strings-tuned.toml");
        let file: WeightsFile = toml::from_str(text).unwrap();
        let lines = lines(&file).unwrap();
        assert!(lines[0].starts_with("depth 2: 0.8"), "{lines:?}");
    }

    #[test]
    fn what_people_wrote_in_another_form_is_an_error() {
        for wrong in ["compared = 'x'", "compared = [{ with = 'x', games = 1 }]"] {
            let error = lines_of(wrong).unwrap_err().to_string();
            assert!(
                error.starts_with("`provenance.compared` must be a list"),
                "{error}"
            );
        }
        let misspelt = "compared = [{ with = 'x', games = 1, cutof = 1e-4 }]";
        let error = lines_of(misspelt).unwrap_err().to_string();
        assert!(error.contains("did you mean `cutoff`?"), "{error}");
        let error = lines_of("compared = [{ with = 'x', games = 1 }]").unwrap_err();
        assert!(
            error.to_string().contains("missing field `mean`"),
            "{error}"
        );
    }
}
