//! What a configuration can name. It is made once, where a program begins, and passed down: this crate has no list
//! of its own besides [`Catalogue::builtin`].

use std::ops::Deref;

use crate::optimizer::{self, Optimizers};
use tiletune_engine::player::{self, GameEntry};

/// Games, players and optimizers by name.
///
/// It is a [catalogue of games and players](player::Catalogue) with optimizers beside them.
#[derive(Clone)]
pub struct Catalogue {
    players: player::Catalogue,
    optimizers: Optimizers,
}

impl Catalogue {
    /// What is built in.
    pub fn builtin() -> Self {
        Catalogue {
            players: player::Catalogue::builtin(),
            optimizers: Optimizers::builtin(),
        }
    }

    /// With another game.
    ///
    /// # Panics
    /// As [`player::Catalogue::with_game`].
    #[must_use]
    pub fn with_game(self, game: &'static GameEntry) -> Self {
        let players = self.players.with_game(game);
        Catalogue { players, ..self }
    }

    /// With another player.
    ///
    /// # Panics
    /// As [`player::Catalogue::with_player`].
    #[must_use]
    pub fn with_player(self, player: &'static player::PlayerEntry) -> Self {
        let players = self.players.with_player(player);
        Catalogue { players, ..self }
    }

    /// With another optimizer.
    ///
    /// # Panics
    /// As [`Optimizers::with`].
    #[must_use]
    pub fn with_optimizer(self, optimizer: &'static optimizer::Entry) -> Self {
        let optimizers = self.optimizers.with(optimizer);
        Catalogue { optimizers, ..self }
    }

    /// The optimizers.
    pub fn optimizers(&self) -> &Optimizers {
        &self.optimizers
    }
}

impl Deref for Catalogue {
    type Target = player::Catalogue;

    fn deref(&self) -> &player::Catalogue {
        &self.players
    }
}
