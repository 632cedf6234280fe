//! Where every command passes before it runs, and where what it did is recorded.

use serde::Serialize;
use surehand_core::Result;
use surehand_core::disposition::Disposition;

use crate::command::Spec;

/// What a command touches, in the words of the capabilities.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Reading the tree of an application (`ui.read`).
    UiRead(Scope),
    /// Acting on its elements (`ui.act`).
    UiAct(Scope),
    /// Sending it keys or pointer events (`ui.input`).
    UiInput(Scope),
    /// Its windows (`window`).
    Window(Scope),
    /// Starting an application (`app.open`), by the name that was asked for.
    AppOpen(String),
    /// Pictures (`screen.read`).
    ScreenRead(Scope),
    /// Reading what is in the clipboard (`clipboard.read`).
    ClipboardRead,
    /// Putting something else there, or nothing (`clipboard.set`).
    ClipboardSet,
    /// Reading notifications (`notify.read`), by the name that their application gives itself.
    NotifyRead(Scope),
    /// Dismissing them and choosing their actions (`notify.act`).
    NotifyAct(Scope),
    /// Reading a file (`fs.read`), by the path that was given.
    FileRead(String),
    /// A private desktop.
    Desktop(String),
    /// Files below a folder (`fs.*`); the plan tells which.
    Files(String),
    /// Nothing outside surehand.
    Nothing,
}

/// Which application.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The one whose process this is.
    Process {
        /// Its pid.
        pid: u32,
        /// Its start, as in [`surehand_core::object::Process`].
        generation: String,
    },
    /// The one that is named so, which is looked up when the command runs.
    Named(String),
    /// The one that has the window.
    WindowId(String),
    /// Whichever is active.
    Focused,
    /// Every one.
    All,
}

/// What was acted on, for the record. Names, never text that was typed, and no paths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// The application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// The role of the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The name of the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// One line of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Record<'a> {
    /// The command.
    pub command: &'a str,
    /// What it acted on.
    #[serde(flatten)]
    pub subject: &'a Subject,
    /// The error code, where it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'a str>,
    /// How far it got.
    pub disposition: Disposition,
}

/// The gate.
pub trait Gate: Send + Sync {
    /// Lets a command pass or refuses it. A command that is journaled passes only when it can be.
    ///
    /// # Errors
    /// `POLICY_DENIED` or `APPROVAL_REQUIRED` where the policy says so, `INTERNAL` when nothing can be recorded.
    fn admit(&self, spec: &Spec, resources: &[Resource]) -> Result<()>;

    /// Records what a command did.
    fn record(&self, record: &Record<'_>);
}
