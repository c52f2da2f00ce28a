//! The two programs of xmxoxo/connect4, reproduced without changes. [`search`] contains their searches. Their
//! catalogue entries are [`STRINGS_REPOSITORY`](crate::games::connect_four::players::STRINGS_REPOSITORY) and
//! [`STRINGS_ARTICLE`](crate::games::connect_four::players::STRINGS_ARTICLE).

pub mod search;
