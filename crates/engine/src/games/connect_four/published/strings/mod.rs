//! The two programs of xmxoxo/connect4, reproduced unchanged. [`search`] has their searches; their entries in the
//! catalogue are [`STRINGS_REPOSITORY`](crate::games::connect_four::players::STRINGS_REPOSITORY) and
//! [`STRINGS_ARTICLE`](crate::games::connect_four::players::STRINGS_ARTICLE).

pub mod search;
