//! Errors of the drawing libraries.

use plotters::drawing::DrawingAreaErrorKind;

/// The result of a drawing step.
pub(super) type Drawn = Result<(), DrawError>;

/// A failure of one of the drawing libraries.
#[derive(Debug, thiserror::Error)]
pub(in crate::chart) enum DrawError {
    #[error("the embedded font cannot be read")]
    Font,
    #[error("the SVG drawing failed: {0}")]
    Svg(String),
    #[error("the SVG drawing cannot be turned into an image: {0}")]
    Png(String),
}

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for DrawError {
    fn from(cause: DrawingAreaErrorKind<E>) -> Self {
        DrawError::Svg(cause.to_string())
    }
}
