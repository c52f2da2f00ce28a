//! A player whose games are divided between several settings, such as search depths. The seed of a game says at which
//! setting it is played.

use super::options::{OptionValue, PlayerOption, in_words};
use super::position::{Position, PositionError};
use super::session::Session;
use super::{Analysis, Explanation, Places, Player};
use crate::field_error::FieldError;
use crate::program::Programs;
use crate::random::{MOST_SETTINGS, setting_of};
use crate::record::GameRecord;
use crate::stop::Stop;

/// Checks a list of values of [`PlayerOption::several`].
///
/// # Errors
/// If a value is not allowed or stands there twice, or if there are too few or too many.
pub(super) fn checked_list(
    option: &PlayerOption,
    key: &str,
    list: OptionValue,
    programs: &Programs,
) -> Result<OptionValue, FieldError> {
    let wrong = |message: String| FieldError::new([key], message);
    let given = match list {
        OptionValue::Several(values) => values,
        OptionValue::List(texts) => texts.into_iter().map(OptionValue::Text).collect(),
        other => {
            let message = format!("{key} must be a list, not {}", in_words(&other));
            return Err(wrong(message));
        }
    };
    if !(2..=MOST_SETTINGS).contains(&given.len()) {
        return Err(wrong(format!(
            "{key} must have 2 to {MOST_SETTINGS} values, not {}. The key of one value is {}",
            given.len(),
            option.key
        )));
    }
    let mut values = Vec::new();
    for (index, value) in given.into_iter().enumerate() {
        let at = |message| FieldError::new([key, &index.to_string()], message);
        let value = option.checked(value, programs);
        let value = value.map_err(|error| at(error.message))?;
        if values.contains(&value) {
            return Err(at(format!("{} {value} is given twice", option.key)));
        }
        values.push(value);
    }
    Ok(OptionValue::Several(values))
}

/// A player with one set of weights at several settings.
pub struct SeveralSettings(Vec<Box<dyn Player>>);

impl SeveralSettings {
    /// The player at each of its settings, in their order.
    pub(super) fn new(settings: Vec<Box<dyn Player>>) -> Self {
        SeveralSettings(settings)
    }

    /// The player that plays the game of a seed (see [`at_setting`](crate::random::at_setting)). Seeds of other games have
    /// a setting, too.
    fn of(&self, seed: u64) -> &dyn Player {
        &*self.0[setting_of(seed) % self.0.len()]
    }
}

impl Player for SeveralSettings {
    fn play(&self, seed: u64, stop: Stop) -> Option<GameRecord> {
        self.of(seed).play(seed, stop)
    }

    fn begin<'a>(&'a self, seed: u64, stop: Stop<'a>) -> Box<dyn Session + 'a> {
        self.of(seed).begin(seed, stop)
    }

    fn begin_from<'a>(
        &'a self,
        position: &dyn Position,
        seed: u64,
        stop: Stop<'a>,
    ) -> Result<Box<dyn Session + 'a>, PositionError> {
        self.of(seed).begin_from(position, seed, stop)
    }

    fn play_from(
        &self,
        position: &dyn Position,
        seed: u64,
        stop: Stop,
    ) -> Result<Option<GameRecord>, PositionError> {
        self.of(seed).play_from(position, seed, stop)
    }

    fn analyze(
        &self,
        position: &dyn Position,
        seed: u64,
        stop: Stop,
    ) -> Result<Option<Analysis>, PositionError> {
        self.of(seed).analyze(position, seed, stop)
    }

    fn explain(&self, position: &dyn Position) -> Result<Option<Explanation>, PositionError> {
        self.of(0).explain(position)
    }

    fn places(
        &self,
        position: &dyn Position,
        after: Option<&str>,
    ) -> Result<Option<Places>, PositionError> {
        self.of(0).places(position, after)
    }
}

#[cfg(test)]
mod tests {
    use crate::heuristic::weights::Weights;
    use crate::player::{Catalogue, PlayerConfig, PlayerSpec};
    use crate::random::Stream;
    use crate::stop::Stop;

    fn player(options: &str) -> PlayerSpec {
        let config: PlayerConfig =
            toml::from_str(&format!("name = 'expectimax'\n{options}")).unwrap();
        Catalogue::builtin().player_at_settings(&config).unwrap()
    }

    fn refused(config: &str) -> String {
        let config: PlayerConfig = toml::from_str(config).unwrap();
        let player = Catalogue::builtin().player_at_settings(&config);
        player.err().unwrap().message
    }

    #[test]
    fn each_game_is_that_of_the_player_at_its_setting() {
        let several = player("depths = [1, 0]");
        let names = several.setting_names();
        assert_eq!(names, ["depth 1", "depth 0"]);
        let ones = ["depth = 1", "depth = 0"].map(player);
        assert!(several.settings() == ones);
        let seeds = several.game_seeds(7, Stream::Train, 3, 5);
        let built = several.build(&Weights::default()).unwrap();
        let played = built.play_many(&seeds, Stop::never()).unwrap();
        for (number, (seed, game)) in seeds.iter().zip(played).enumerate() {
            let one = ones[number % 2].build(&Weights::default()).unwrap();
            assert_eq!(one.play(*seed, Stop::never()), Some(game));
            assert!(several.at_setting_of(*seed) == ones[number % 2]);
        }
    }

    #[test]
    fn seeds_are_divided_as_asked_and_spread_evenly() {
        let several = player("depth = 'adaptive'\ncutoffs = [0.1, 0.05, 0.01]");
        let seeds = several.seeds_at(1, Stream::Train, 0, &[6, 3, 1]);
        let settings: Vec<usize> = seeds.iter().map(|seed| several.setting_of(*seed)).collect();
        assert_eq!(settings, [0, 1, 0, 0, 1, 2, 0, 0, 1, 0]);
        let distinct: std::collections::HashSet<u64> = seeds.iter().copied().collect();
        assert_eq!(distinct.len(), 10);
        // More games begin with the same ones.
        let all = several.game_seeds(1, Stream::Start, 0, 9);
        assert_eq!(several.game_seeds(1, Stream::Start, 0, 7), all[..7]);
    }

    #[test]
    fn configuration_and_words_have_the_list() {
        let several = player("depths = [2, 'adaptive']\nreuse = true");
        assert_eq!(
            several.describe(),
            "expectimax, depths 2,adaptive, reuse true"
        );
        let full = several.full_config();
        let keys: Vec<&str> = full.options.iter().map(|(key, _)| key.as_str()).collect();
        assert!(
            !keys.contains(&"depth") && !keys.contains(&"table_bits"),
            "{keys:?}"
        );
        for config in [several.config(), full] {
            let text = toml::to_string(&config).unwrap();
            assert!(text.contains("depths = [2, \"adaptive\"]"), "{text}");
            let again = toml::from_str(&text).unwrap();
            let again = Catalogue::builtin().player_at_settings(&again).unwrap();
            assert_eq!(again.settings().len(), 2);
        }
        assert_eq!(several.depth(), None);
        assert!(player("depths = [0, 1]") != player("depths = [1, 0]"));
    }

    #[test]
    fn wrong_lists_are_refused() {
        for (options, message) in [
            ("depths = 2", "depths must be a list, not the number 2"),
            ("depths = [2]", "depths must have 2 to 16 values, not 1"),
            ("depths = [1, 13]", "depth 13 is out of range"),
            ("depths = [1, true]", "depth must be a whole number"),
            ("depths = [1, 2, 1]", "depth 1 is given twice"),
            ("depth = 1\ndepths = [1, 2]", "depth and depths"),
            ("depths = [1, 2]\ncutoffs = [0, 0.1]", "depths and cutoffs"),
            ("reuses = [true, false]", "takes no reuses"),
        ] {
            let error = refused(&format!("name = 'expectimax'\n{options}"));
            assert!(error.contains(message), "{options}: {error}");
        }
        let error = refused("name = 'strings'\ngame = 'connect-four'\ndepths = [1, 2]");
        assert!(error.contains("games for one player"), "{error}");
        let config = toml::from_str("name = 'expectimax'\ndepths = [1, 2]").unwrap();
        let error = Catalogue::builtin().player(&config).err().unwrap();
        assert!(error.message.contains("campaign"), "{error}");
        assert_eq!(error.path, ["depths"]);
    }
}
