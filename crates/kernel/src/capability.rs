//! The closed list of what can be allowed.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! verbs {
    ($($variant:ident => $token:literal, $scope:expr, $doc:literal;)*) => {
        /// What may be done.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Verb { $(#[doc = $doc] $variant,)* }

        impl Verb {
            /// Every one.
            pub const ALL: &'static [Verb] = &[$(Verb::$variant),*];

            /// The word for it.
            pub const fn token(self) -> &'static str {
                match self { $(Verb::$variant => $token,)* }
            }

            /// What its scope is.
            pub const fn scope(self) -> ScopeKind {
                match self { $(Verb::$variant => $scope,)* }
            }
        }
    };
}

/// What stands after the colon of a capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeKind {
    /// The absolute path of a root, or `ROOT` for the root of the plan.
    Root,
    /// An application by its indexed id.
    App,
    /// Nothing.
    None,
}

verbs! {
    FsRead => "fs.read", ScopeKind::Root, "Read files.";
    FsMkdir => "fs.mkdir", ScopeKind::Root, "Make directories.";
    FsMove => "fs.move", ScopeKind::Root, "Move and rename.";
    FsCopy => "fs.copy", ScopeKind::Root, "Copy files.";
    FsWrite => "fs.write", ScopeKind::Root, "Write files.";
    FsTrash => "fs.trash", ScopeKind::Root, "Put files into the vault.";
    UiRead => "ui.read", ScopeKind::App, "Read the tree of an application.";
    UiAct => "ui.act", ScopeKind::App, "Act on its elements.";
    UiInput => "ui.input", ScopeKind::App, "Send it keys and pointer events.";
    Window => "window", ScopeKind::App, "Move, size and close its windows.";
    AppOpen => "app.open", ScopeKind::App, "Start it.";
    ScreenRead => "screen.read", ScopeKind::App, "Take pictures of it.";
    ClipboardRead => "clipboard.read", ScopeKind::None, "Read the clipboard.";
    ClipboardSet => "clipboard.set", ScopeKind::None, "Replace the clipboard.";
    NotifyRead => "notify.read", ScopeKind::None, "Read notifications.";
    NotifyAct => "notify.act", ScopeKind::None, "Act on notifications.";
}

/// The scope that stands for the root of the plan.
pub const THE_ROOT: &str = "ROOT";

/// One capability: a verb, and what it is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Capability {
    /// What may be done.
    pub verb: Verb,
    /// To what; empty for verbs without a scope.
    pub scope: String,
}

impl Capability {
    /// The capability for the root of the plan.
    pub fn on_root(verb: Verb) -> Capability {
        Capability { verb, scope: THE_ROOT.to_owned() }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.verb.token())?;
        if !self.scope.is_empty() {
            write!(f, ":{}", self.scope)?;
        }
        Ok(())
    }
}

impl FromStr for Capability {
    type Err = String;

    fn from_str(text: &str) -> Result<Capability, String> {
        let (token, scope) = text.split_once(':').unwrap_or((text, ""));
        let verb = Verb::ALL.iter().copied().find(|verb| verb.token() == token);
        let verb = verb.ok_or_else(|| format!("there is no capability `{}`", token.escape_default()))?;
        match verb.scope() {
            ScopeKind::None if !scope.is_empty() => Err(format!("`{token}` takes no scope")),
            ScopeKind::Root | ScopeKind::App if scope.is_empty() => Err(format!("`{token}` needs a scope")),
            _ => Ok(Capability { verb, scope: scope.to_owned() }),
        }
    }
}

impl Serialize for Capability {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Capability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Capability, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_closed_and_says_itself() {
        for verb in Verb::ALL {
            let text = match verb.scope() {
                ScopeKind::None => verb.token().to_owned(),
                _ => format!("{}:x", verb.token()),
            };
            assert_eq!(text.parse::<Capability>().map(|capability| capability.to_string()), Ok(text));
        }
        for bad in ["fs.delete:ROOT", "fs.move", "clipboard.set:x", "", "FS.MOVE:ROOT"] {
            assert!(bad.parse::<Capability>().is_err(), "{bad}");
        }
    }
}
