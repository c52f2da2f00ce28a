//! The requests of the original 3+3 program: their paths, and the site of the game.

/// The site of the browser game. Its pages may use the route of the original program.
pub(super) const GAME_ORIGIN: &str = "https://d29zfk7accxxr5.cloudfront.net";

/// Whether a path is a position of the original program: `/<16 tiles with commas>/<next tile>/`.
pub(super) fn is_position(path: &str) -> bool {
    let Some((board, next)) = path.trim_matches('/').split_once('/') else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    board.split(',').count() == 16 && board.split(',').all(is_number) && is_number(next)
}

#[cfg(test)]
mod tests {
    use super::is_position;

    #[test]
    fn positions_have_sixteen_tiles_and_the_next_one() {
        let board = ["0"; 16].join(",");
        assert!(is_position(&format!("/{board}/1/")));
        for path in [
            "/",
            "/api/runs",
            "/0,1/1/",
            &format!("/{board}/"),
            &format!("/{board}/x/"),
        ] {
            assert!(!is_position(path), "{path}");
        }
    }
}
