//! Refusals: one rule each, with the action and the path it is about.

use surehand_core::error::{Code, Error};
use surehand_core::text::quote;

use crate::path::shown;

macro_rules! rules {
    ($($variant:ident => $token:literal, $doc:literal;)*) => {
        /// The rules that a refusal names.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Rule { $(#[doc = $doc] $variant,)* }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),*];

            /// The word for it, which is `details.kind` of the error.
            pub const fn token(self) -> &'static str {
                match self { $(Rule::$variant => $token,)* }
            }

            /// What it demands, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Rule::$variant => $doc,)* }
            }
        }
    };
}

rules! {
    NotGranted => "capability_not_granted", "Every capability that is declared has to be granted.";
    ScopeOutside => "scope_outside_root", "A scope of files has to be within the root.";
    NotDeclared => "capability_not_declared", "An action has to be covered by a declared capability.";
    PathEscapes => "path_escapes", "A path has to stay within the root as it is written.";
    PathOdd => "path_odd", "A path has to be a plain relative path.";
    LinkOnTheWay => "link_on_the_way", "No link is followed on the way to a file.";
    NotAFolder => "not_a_folder", "What a path leads through has to be directories.";
    WindowOutOfScope => "window_out_of_scope", "A window has to belong to a declared application.";
    Irreversible => "irreversible", "An action has to have a way back.";
    AuthorityPath => "authority_path", "What starts programs or gives rights is out of reach.";
    BadRoot => "bad_root", "A root is a folder of documents, and nothing above or beside our own state.";
    RootNotConfigured => "root_not_configured", "Effects need a root that a person has configured.";
    UnsupportedFile => "unsupported_file", "A device, a socket or a pipe is not acted on.";
}

/// Why something is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The rule.
    pub rule: Rule,
    /// The action, by its id, where one is meant.
    pub action: Option<String>,
    /// The path, where one is meant.
    pub path: Option<Vec<u8>>,
    /// What was found, in our words.
    pub why: String,
}

impl Refusal {
    /// A refusal that names neither action nor path yet.
    pub fn new(rule: Rule, why: impl Into<String>) -> Refusal {
        Refusal { rule, action: None, path: None, why: why.into() }
    }

    /// Names the path.
    #[must_use]
    pub fn at(mut self, path: &[u8]) -> Refusal {
        self.path = Some(path.to_vec());
        self
    }

    /// Names the action.
    #[must_use]
    pub fn of(mut self, action: &str) -> Refusal {
        self.action = Some(action.to_owned());
        self
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        let mut message = refusal.why;
        if let Some(path) = &refusal.path {
            message = format!("{}: {message}", shown(path));
        }
        if let Some(action) = &refusal.action {
            message = format!("action {} is refused: {message}", quote(action));
        }
        let code = if refusal.rule == Rule::RootNotConfigured { Code::ApprovalRequired } else { Code::PolicyDenied };
        let mut error = Error::new(code, message).kind(refusal.rule.token()).detail("rule", refusal.rule.meaning());
        if let Some(action) = refusal.action {
            error = error.detail("action", action);
        }
        if let Some(path) = refusal.path {
            error = error.detail("path", shown(&path));
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_rule_action_and_path_escaped() {
        let error: Error = Refusal::new(Rule::PathEscapes, "it leads out").of("a\n1").at(b"../\xff\n").into();
        assert_eq!(error.code(), Code::PolicyDenied);
        assert_eq!(error.kind_of(), Some("path_escapes"));
        assert_eq!(error.message(), "action \"a\\n1\" is refused: \"../\\xff\\n\": it leads out");
    }
}
