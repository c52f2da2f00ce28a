//! The programs of xmxoxo/connect4 as they stand.

pub mod search;

use crate::games::connect_four::players::WITHOUT_WEIGHTS;
use crate::player::Entry;

/// The player.
pub const STRINGS_REPOSITORY: Entry = Entry {
    name: "strings-repository",
    about: "the program of xmxoxo/connect4 as it stands: values of strings, two stones ahead, over \
            wins as well",
    ..WITHOUT_WEIGHTS
};

/// The player.
pub const STRINGS_ARTICLE: Entry = Entry {
    name: "strings-article",
    about: "the first program of xmxoxo/connect4 as it stands: one stone ahead, with its wrong signs",
    ..WITHOUT_WEIGHTS
};
