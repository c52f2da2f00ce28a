//! The two programs of xmxoxo/connect4, reproduced unchanged. [`search`] has their searches.

pub mod search;

use crate::games::connect_four::players::{match_without_weights, without_weights};
use crate::player::Entry;

/// The player.
pub const STRINGS_REPOSITORY: Entry = without_weights(
    "strings-repository",
    "the program of xmxoxo/connect4 as it stands: values of strings, two stones ahead, over wins as \
     well",
    |options, _| match_without_weights("strings-repository", options),
);

/// The player.
pub const STRINGS_ARTICLE: Entry = without_weights(
    "strings-article",
    "the first program of xmxoxo/connect4 as it stands: one stone ahead, with its wrong signs",
    |options, _| match_without_weights("strings-article", options),
);
