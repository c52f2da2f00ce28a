//! The bodies of requests: JSON of a limited size.

use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::app::App;
use super::refusal::Refusal;

/// The body of a request, read from JSON.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Body<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Refusal> {
        let most = app.limits.body;
        let too_large = || {
            let message = format!("the body is larger than {most} bytes");
            Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
        };
        let length = request.headers().get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > most as u64) {
            return Err(too_large());
        }
        let time = app.limits.request;
        let body = timeout(time, to_bytes(request.into_body(), most)).await;
        let body = body.map_err(|_| {
            let message = format!(
                "the body took longer than {} s, the limit here",
                time.as_secs_f64()
            );
            Refusal::new(StatusCode::REQUEST_TIMEOUT, message)
        })?;
        let body = body.map_err(|_| too_large())?;
        let read = serde_json::from_slice(&body);
        read.map(Body)
            .map_err(|error| Refusal::wrong(format!("the body is not as expected: {error}")))
    }
}
