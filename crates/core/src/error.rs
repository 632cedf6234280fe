//! The one error type that reaches a caller.
//!
//! A library error below is turned into this one where it happens, because only there is known whether
//! anything was delivered. `message` is for people and no contract; programs read `code`, `disposition` and
//! `details.kind`.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::disposition::Delivery;

/// Result of everything that can fail towards a caller.
pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! codes {
    ($($variant:ident => $token:literal, $exit:literal, $doc:literal;)*) => {
        /// The closed set of error codes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
        pub enum Code {
            $(#[doc = $doc] $variant,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// The word for it.
            pub const fn token(self) -> &'static str {
                match self { $(Code::$variant => $token,)* }
            }

            /// What it means, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Code::$variant => $doc,)* }
            }

            /// The exit status of a process that ends with it. `2` for arguments is the shells' convention;
            /// the rest is the table in the reference.
            pub const fn exit_status(self) -> u8 {
                match self { $(Code::$variant => $exit,)* }
            }
        }
    };
}

codes! {
    PermDenied => "PERM_DENIED", 3, "The operating system does not let us.";
    ElementNotFound => "ELEMENT_NOT_FOUND", 4, "The query found no element.";
    AppNotFound => "APP_NOT_FOUND", 4, "No running application is named so.";
    WindowNotFound => "WINDOW_NOT_FOUND", 4, "There is no such window, or it was closed.";
    StaleRef => "STALE_REF", 4, "The element the ref was made for is not there any more.";
    AmbiguousTarget => "AMBIGUOUS_TARGET", 4, "More than one target matches.";
    SnapshotNotFound => "SNAPSHOT_NOT_FOUND", 4, "No snapshot of this desktop has that id.";
    PolicyDenied => "POLICY_DENIED", 3, "The policy does not allow it.";
    ActionFailed => "ACTION_FAILED", 1, "It was refused, or what was observed contradicts what was asked.";
    ActionNotSupported => "ACTION_NOT_SUPPORTED", 1, "The target does not offer it.";
    AppUnresponsive => "APP_UNRESPONSIVE", 5, "The application does not answer, or ended.";
    PlatformNotSupported => "PLATFORM_NOT_SUPPORTED", 1, "This platform cannot do it.";
    NotificationNotFound => "NOTIFICATION_NOT_FOUND", 4, "There is no such notification any more.";
    Timeout => "TIMEOUT", 5, "The time given was used up, or the call was cancelled.";
    InvalidArgs => "INVALID_ARGS", 2, "The arguments are not valid.";
    Internal => "INTERNAL", 1, "A fault of surehand, or of the files it keeps.";
    NotIndexed => "NOT_INDEXED", 4, "No application of that name is known.";
    NoLongerInstalled => "NO_LONGER_INSTALLED", 4, "The application was known, and is gone.";
    ApprovalRequired => "APPROVAL_REQUIRED", 3, "A person has to approve it first.";
    PlanStale => "PLAN_STALE", 4, "What the plan was made for has changed.";
    PlanUsed => "PLAN_USED", 3, "The plan was already carried out.";
    Conflict => "CONFLICT", 3, "Somebody else changed it since.";
    UnknownOutcome => "UNKNOWN_OUTCOME", 7, "It began, and whether it happened cannot be told.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.token())
    }
}

/// What went wrong, whether anything was delivered, and what to do.
#[derive(Debug, Clone)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    code: Code,
    message: String,
    delivery: Delivery,
    suggestion: Option<String>,
    platform_detail: Option<String>,
    details: Map<String, Value>,
}

impl Error {
    /// A failure before anything reached the application. Text of applications in `message` must have gone
    /// through [`crate::text::quote`].
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let delivery = match code {
            Code::Internal => Delivery::Unknown,
            _ => Delivery::NotDelivered,
        };
        Error(Box::new(Inner {
            code,
            message: message.into(),
            delivery,
            suggestion: None,
            platform_detail: None,
            details: Map::new(),
        }))
    }

    /// States how far the action had got.
    #[must_use]
    pub fn delivery(mut self, delivery: Delivery) -> Self {
        self.0.delivery = delivery;
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.0.suggestion = Some(suggestion.into());
        self
    }

    /// Adds what the operating system said: an error name, never a payload.
    #[must_use]
    pub fn platform(mut self, detail: impl Into<String>) -> Self {
        self.0.platform_detail = Some(detail.into());
        self
    }

    /// Names the kind of failure within its code, for programs.
    #[must_use]
    pub fn kind(self, kind: &str) -> Self {
        self.detail("kind", kind)
    }

    /// Adds one field to `details`.
    #[must_use]
    pub fn detail(mut self, key: &str, value: impl Serialize) -> Self {
        // What we put there are our own plain types; one that cannot be JSON is shown as such, not lost.
        let value = serde_json::to_value(value).unwrap_or_else(|fault| Value::String(fault.to_string()));
        self.0.details.insert(key.to_owned(), value);
        self
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The text for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// How far the action had got.
    pub fn delivered(&self) -> Delivery {
        self.0.delivery
    }

    /// What to do about it.
    pub fn suggestion(&self) -> Option<&str> {
        self.0.suggestion.as_deref()
    }

    /// What the operating system said.
    pub fn platform_detail(&self) -> Option<&str> {
        self.0.platform_detail.as_deref()
    }

    /// The fields for programs.
    pub fn details(&self) -> &Map<String, Value> {
        &self.0.details
    }

    /// `details.kind`.
    pub fn kind_of(&self) -> Option<&str> {
        self.0.details.get("kind").and_then(Value::as_str)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.0.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_closed_and_say_themselves() {
        assert_eq!(Code::ALL.len(), 23);
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).ok(), Some(Value::String(code.token().into())));
            assert!((1..=7).contains(&code.exit_status()), "{code}");
        }
    }
}
