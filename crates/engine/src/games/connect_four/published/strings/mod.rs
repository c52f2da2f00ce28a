//! The two programs of xmxoxo/connect4, reproduced unchanged. [`search`] has their searches.

pub mod search;

use crate::games::connect_four::players::{match_without_weights, without_weights};
use crate::player::Entry;

/// The player `strings-repository`.
pub const STRINGS_REPOSITORY: Entry = without_weights(
    "strings-repository",
    "the program of xmxoxo/connect4 unchanged: string evaluation, two stones ahead; a win does not \
     end the search",
    |options, _| match_without_weights("strings-repository", options),
);

/// The player `strings-article`.
pub const STRINGS_ARTICLE: Entry = without_weights(
    "strings-article",
    "the first program of xmxoxo/connect4 unchanged: one stone ahead, with two wrong signs",
    |options, _| match_without_weights("strings-article", options),
);
