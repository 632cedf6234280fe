//! What the operating system calls an element, a process and an application.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The native identity of an accessible object.
///
/// On Linux `owner` is the GUID of the accessibility bus and the application's unique bus name, which a bus
/// never hands out twice, and `object` the D-Bus object path. Other adapters put there what their system
/// guarantees not to re-use while the object lives.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ObjectId {
    /// The connection that owns the object, unique for the life of the desktop session.
    pub owner: String,
    /// The object within its owner.
    pub object: String,
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.owner, self.object)
    }
}

/// A process, told apart from a later one with the same pid by the moment it started.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Opaque token made from the process's start time; equal only for one and the same process.
    pub generation: String,
}

/// A running application as the accessibility tree lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    /// The name the application gives itself. Text of the application: shown, never trusted.
    pub name: String,
    /// The file name of the program the process runs, as the system tells it.
    pub program: String,
    /// The process.
    pub process: Process,
    /// The application's root object.
    pub object: ObjectId,
    /// Toolkit name and version as the application reports them.
    pub toolkit: String,
}
