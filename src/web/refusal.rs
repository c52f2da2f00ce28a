//! Refused requests. Every error is JSON: `{"error": ".."}`.

use axum::Json;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// The status and message of a refused request.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    message: String,
    /// Whether the same request succeeds later, because what it needs is being computed.
    is_preparing: bool,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, message: impl ToString) -> Self {
        let message = message.to_string();
        Refusal {
            status,
            message,
            is_preparing: false,
        }
    }

    /// What the request needs is being computed; the message says how far it is.
    pub(super) fn preparing(message: impl ToString) -> Self {
        Refusal {
            is_preparing: true,
            ..Refusal::busy(message)
        }
    }

    /// The body of the answer.
    pub(super) fn body(&self) -> Value {
        if self.is_preparing {
            json!({ "error": self.message, "preparing": true })
        } else {
            json!({ "error": self.message })
        }
    }

    /// A well-formed request for something that is not allowed.
    pub(super) fn wrong(message: impl ToString) -> Self {
        Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    pub(super) fn unknown(message: impl ToString) -> Self {
        Refusal::new(StatusCode::NOT_FOUND, message)
    }

    /// The server has reached a limit.
    pub(super) fn busy(message: impl ToString) -> Self {
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// An error in the program.
    pub(super) fn fault() -> Self {
        let message = "the program has failed at this request; the terminal says more";
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(self.body())).into_response()
    }
}

/// The answer to a path that has no route.
pub(super) async fn nothing_here(uri: Uri) -> Refusal {
    Refusal::unknown(format!("there is nothing at {}", uri.path()))
}

/// The answer to a method that a path does not support.
pub(super) async fn other_method() -> Refusal {
    Refusal::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "this path has another method",
    )
}
