//! Screens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::geometry::Rect;

/// A screen of the desktop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Display {
    /// Its name in the window system, for example `HDMI-1`.
    pub id: String,
    /// Where it is in physical pixels of the whole desktop.
    pub bounds: Rect,
    /// Whether it is the primary one.
    pub is_primary: bool,
    /// Physical pixels for a pixel of the applications, as far as the desktop tells; 1 where it does not scale.
    pub scale: f64,
}
