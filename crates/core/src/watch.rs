//! What an application announces while somebody acts on it.

use std::time::Duration;

use crate::error::Result;
use crate::object::ObjectId;
use crate::state::State;
use crate::time::Call;

/// Something an application announced.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The object that it announced it of.
    pub source: ObjectId,
    /// What became different.
    pub what: Changed,
}

/// What became different.
#[derive(Debug, Clone, PartialEq)]
pub enum Changed {
    /// A state was gained or lost.
    State(State, bool),
    /// What it is called.
    Name,
    /// Its description.
    Description,
    /// The number or text that it holds.
    Value,
    /// Which of its children are chosen.
    Selection,
    /// Something new is in it; the object where it is told.
    ChildAdded(Option<ObjectId>),
    /// Something is no longer in it; the object where it is told.
    ChildRemoved(Option<ObjectId>),
    /// It got the focus.
    Focused,
    /// It is a window that opened.
    WindowOpened,
    /// It is a window that closed.
    WindowClosed,
    /// It is gone.
    Defunct,
}

/// A subscription. It begins when it is made, and ends when it goes.
pub trait Watch {
    /// Whether the application is known to have heard that somebody listens.
    fn is_ready(&self) -> bool {
        true
    }

    /// Waits until it has. Before that nothing can be relied on to be announced.
    ///
    /// # Errors
    /// `APP_UNRESPONSIVE` when the application does not answer; nothing can be heard then.
    fn ready(&mut self, call: &Call<'_>) -> Result<()> {
        let _ = call;
        Ok(())
    }

    /// What was announced since the last call, in order. Returns as soon as there is something, and an empty list
    /// when there is nothing until the time of the call is over.
    ///
    /// # Errors
    /// `APP_UNRESPONSIVE` when the connection to the application ended.
    fn changes(&mut self, call: &Call<'_>) -> Result<Vec<Change>>;

    /// The application's top-level objects that were not there when this began.
    ///
    /// # Errors
    /// `APP_UNRESPONSIVE` when the application does not answer.
    fn opened(&mut self, call: &Call<'_>) -> Result<Vec<ObjectId>>;

    /// How long the application may take from accepting an action to the first announcement of what it did. Some
    /// toolkits show a button as pressed for a moment first.
    fn lag(&self) -> Duration {
        Duration::from_millis(150)
    }
}
