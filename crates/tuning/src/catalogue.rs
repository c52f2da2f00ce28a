//! Everything that a configuration can name. A program creates the catalogue once at its start and passes it
//! down. The only list in this crate is [`Catalogue::builtin`].

use std::ops::Deref;

use crate::optimizer::{self, Optimizers};
use tiletune_engine::player::{self, GameEntry};

/// A weights file that ships with the program.
#[derive(Clone, Copy, Debug)]
pub struct ShippedWeights {
    /// Its name. Files of different players can have the same name.
    pub name: &'static str,
    /// The text of the file.
    pub text: &'static str,
}

/// Games, players and optimizers by name, and the weights that ship with the program.
///
/// It is a [catalogue of games and players](player::Catalogue), extended by optimizers and weights.
#[derive(Clone)]
pub struct Catalogue {
    players: player::Catalogue,
    optimizers: Optimizers,
    weights: &'static [ShippedWeights],
}

impl Catalogue {
    /// These games and players, and the built-in optimizers. The first game, and its first player, are the defaults.
    ///
    /// # Panics
    /// Like [`player::Catalogue::new`].
    pub fn new(
        games: impl IntoIterator<Item = &'static GameEntry>,
        players: impl IntoIterator<Item = &'static player::PlayerEntry>,
    ) -> Self {
        Catalogue {
            players: player::Catalogue::new(games, players),
            optimizers: Optimizers::builtin(),
            weights: &[],
        }
    }

    /// The built-in games, players and optimizers; no weights but the published ones of the players.
    pub fn builtin() -> Self {
        Catalogue {
            players: player::Catalogue::builtin(),
            optimizers: Optimizers::builtin(),
            weights: &[],
        }
    }

    /// The catalogue with one more game.
    ///
    /// # Panics
    /// Like [`player::Catalogue::with_game`].
    #[must_use]
    pub fn with_game(self, game: &'static GameEntry) -> Self {
        let players = self.players.with_game(game);
        Catalogue { players, ..self }
    }

    /// The catalogue with one more player.
    ///
    /// # Panics
    /// Like [`player::Catalogue::with_player`].
    #[must_use]
    pub fn with_player(self, player: &'static player::PlayerEntry) -> Self {
        let players = self.players.with_player(player);
        Catalogue { players, ..self }
    }

    /// The catalogue with one more optimizer.
    ///
    /// # Panics
    /// Like [`Optimizers::with`].
    #[must_use]
    pub fn with_optimizer(self, optimizer: &'static optimizer::Entry) -> Self {
        let optimizers = self.optimizers.with(optimizer);
        Catalogue { optimizers, ..self }
    }

    /// The catalogue with these weights, in place of its own. For each player and depth the best come first.
    #[must_use]
    pub fn with_weights(self, weights: &'static [ShippedWeights]) -> Self {
        Catalogue { weights, ..self }
    }

    /// The weights that ship with the program.
    pub fn weights(&self) -> &'static [ShippedWeights] {
        self.weights
    }

    /// The known optimizers.
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
