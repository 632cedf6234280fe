//! The one way to the operating system.
//!
//! The trait is synchronous and coarse: one call returns a whole subtree. An adapter maps and calls. It does
//! not wait for a condition, retry, rank, word hints or format; all of that is done above it, once for every
//! platform.

use crate::display::Display;
use crate::error::{Code, Error, Result};
use crate::geometry::{Point, Rect};
use crate::node::Node;
use crate::notification::Notifications;
use crate::object::{Application, ObjectId, Process};
use crate::stroke::Stroke;
use crate::time::Call;
use crate::tree::Observation;
use crate::watch::Watch;
use crate::window::Window;

/// A list together with those that could not be asked.
#[derive(Debug, Clone)]
pub struct Listing<T> {
    /// What answered.
    pub items: Vec<T>,
    /// Processes that did not answer in time, by program name.
    pub unresponsive: Vec<Unresponsive>,
}

/// A process on the accessibility bus that did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresponsive {
    /// The program it runs, as the system tells it.
    pub program: String,
    /// Its pid.
    pub pid: u32,
}

/// How much of a window to read.
#[derive(Debug, Clone)]
pub struct ObserveRequest {
    /// Read only this element of the window and what is below it.
    pub root: Option<ObjectId>,
    /// Of a root with too many children, read the page that begins at this one, counted from 0; without it, what is
    /// on the screen. Of a table the cells are counted, row by row and without headers: row R begins at R times the
    /// number of columns.
    pub offset: Option<u64>,
    /// At most so many nodes.
    pub max_nodes: usize,
    /// At most so many bytes of text in all.
    pub max_text: usize,
    /// At most so many bytes of one string.
    pub max_string: usize,
    /// Of a container that says it has more children than this, only [`ObserveRequest::page`] are read.
    pub max_children: u64,
    /// How many children of such a container are read.
    pub page: u64,
    /// Whether to read where each element is.
    pub bounds: bool,
}

impl Default for ObserveRequest {
    fn default() -> Self {
        ObserveRequest {
            root: None,
            offset: None,
            max_nodes: 50_000,
            max_text: 8 << 20,
            max_string: 64 << 10,
            max_children: 4_096,
            page: 200,
            bounds: false,
        }
    }
}

/// One live element with what surrounds it.
#[derive(Debug, Clone)]
pub struct Inspection {
    /// The element.
    pub node: Node,
    /// The containers around it, nearest first; the last is its window.
    pub ancestors: Vec<Node>,
    /// The process that answered.
    pub process: Process,
    /// What the element says of itself that it controls, labels or opens: what changes there is its doing.
    pub related: Vec<ObjectId>,
}

/// What asking for one object gave.
#[derive(Debug, Clone)]
pub enum Live {
    /// It is there.
    Element(Box<Inspection>),
    /// Its application is running and says there is no such object any more.
    Gone,
    /// Its application has ended.
    ProcessGone,
}

/// An operation of the accessibility interfaces: what is meant, not which call does it.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Invoke the action that [`crate::node::Affordances::press`] named.
    Press {
        /// That name, so that nothing else is invoked should the list have changed.
        action: String,
    },
    /// Replace the whole text.
    SetText(String),
    /// Insert text at the caret.
    InsertText(String),
    /// Set the number.
    SetNumber(f64),
    /// Invoke the action that [`crate::node::Affordances::menu`] named.
    ShowMenu {
        /// That name.
        action: String,
    },
    /// Invoke the action that [`crate::node::Affordances::expand`] named.
    Expand {
        /// That name.
        action: String,
    },
    /// Invoke the action that [`crate::node::Affordances::collapse`] named.
    Collapse {
        /// That name.
        action: String,
    },
    /// Choose one of the elements in it.
    Choose {
        /// The element that is to be chosen.
        child: ObjectId,
    },
    /// Give it the focus within its window.
    Focus,
    /// Have it scrolled into view.
    ScrollTo,
}

impl Operation {
    /// A word for it.
    pub const fn word(&self) -> &'static str {
        match self {
            Operation::Press { .. } => "press",
            Operation::SetText(_) => "set_text",
            Operation::InsertText(_) => "insert_text",
            Operation::SetNumber(_) => "set_number",
            Operation::ShowMenu { .. } => "show_menu",
            Operation::Expand { .. } => "expand",
            Operation::Collapse { .. } => "collapse",
            Operation::Choose { .. } => "choose",
            Operation::Focus => "focus",
            Operation::ScrollTo => "scroll_to",
        }
    }
}

/// What to do with a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowChange {
    /// Bring it to the front and give it the keyboard.
    Focus,
    /// Put its upper left corner, that of its frame, at this point of the screen.
    Move(Point),
    /// Make what is inside its frame so large.
    Resize {
        /// Physical pixels.
        width: u32,
        /// Physical pixels.
        height: u32,
    },
    /// Put it away.
    Minimize,
    /// Let it fill the screen.
    Maximize,
    /// Show it again after it was put away, and undo that it fills the screen.
    Restore,
}

/// Where pointer, window focus and keyboard are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attention {
    /// The pointer.
    pub pointer: Option<Point>,
    /// The window system's handle of the active window.
    pub active: Option<u64>,
    /// The window system's handle of the window that gets the keys.
    pub keyboard: Option<u64>,
}

/// What to take a picture of.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "there is one for each call, and never a list of them")]
pub enum CaptureTarget {
    /// Everything.
    Screen,
    /// One window, also where others cover it.
    Window(Window),
}

/// A picture, 8 bits each of red, green and blue, row by row from the top.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width * height * 3` bytes.
    pub rgb: Vec<u8>,
    /// Where on the screen it was taken.
    pub bounds: Rect,
}

/// A desktop session that elements can be read from and acted on in.
pub trait Platform: Send + Sync {
    /// The identity of this desktop session: no other one, now or later, has the same.
    fn session(&self) -> &str;

    /// The running applications that publish a tree.
    ///
    /// # Errors
    /// `APP_UNRESPONSIVE` or `TIMEOUT` when the accessibility bus itself does not answer.
    fn applications(&self, call: &Call<'_>) -> Result<Listing<Application>>;

    /// The top-level windows of these applications, and windows of other programs that publish no tree.
    ///
    /// # Errors
    /// As [`Platform::applications`].
    fn windows(&self, call: &Call<'_>, applications: &[Application]) -> Result<Listing<Window>>;

    /// Reads a window's tree within the budgets; what they cut is named in the gaps.
    ///
    /// # Errors
    /// `WINDOW_NOT_FOUND` when it has closed, `APP_UNRESPONSIVE` when its application does not answer at all.
    fn observe(
        &self,
        call: &Call<'_>,
        application: &Application,
        window: &Window,
        request: &ObserveRequest,
    ) -> Result<Observation>;

    /// Reads one object with everything evidence needs.
    ///
    /// # Errors
    /// `APP_UNRESPONSIVE` when its application does not answer.
    fn inspect(&self, call: &Call<'_>, object: &ObjectId, process: &Process) -> Result<Live>;

    /// The same, with a guess at the containers around it, nearest first. A guess that is right can save asking for one
    /// after the other; what is answered does not depend on it.
    ///
    /// # Errors
    /// As [`Platform::inspect`].
    fn inspect_guessing(
        &self,
        call: &Call<'_>,
        object: &ObjectId,
        process: &Process,
        guess: &[ObjectId],
    ) -> Result<Live> {
        let _ = guess;
        self.inspect(call, object, process)
    }

    /// Hands one operation to the application. `Ok` means it was accepted, nothing more.
    ///
    /// # Errors
    /// Each says how far it got: `not_delivered` only where it is certain that nothing was sent.
    fn perform(&self, call: &Call<'_>, object: &ObjectId, operation: &Operation) -> Result<()>;

    /// Where pointer and focus are.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` when there is no display to ask.
    fn attention(&self, call: &Call<'_>) -> Result<Attention>;

    /// Takes a picture.
    ///
    /// # Errors
    /// `WINDOW_NOT_FOUND` when the window is gone, `ACTION_NOT_SUPPORTED` when it is minimised.
    fn capture(&self, call: &Call<'_>, target: &CaptureTarget) -> Result<Picture>;

    /// Asks a window to close, as its close button would.
    ///
    /// # Errors
    /// `WINDOW_NOT_FOUND` when it is gone, `ACTION_NOT_SUPPORTED` when it cannot be asked.
    fn close(&self, call: &Call<'_>, window: &Window) -> Result<()>;

    /// Carries out physical input, step by step. Nothing is focused for it, and where it goes is for the caller to
    /// make sure of.
    ///
    /// # Errors
    /// `INVALID_ARGS` when this keyboard cannot do it, `PLATFORM_NOT_SUPPORTED` when there is no such input here; the
    /// delivery says whether part of it was sent, and the detail `sent` how many steps.
    fn strike(&self, call: &Call<'_>, strokes: &[Stroke]) -> Result<()> {
        let _ = (call, strokes);
        Err(not_here("physical input"))
    }

    /// The window system's handle of the top-level window that a pointer at this point would reach.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` when it does not tell.
    fn window_at(&self, call: &Call<'_>, point: Point) -> Result<Option<u64>> {
        let _ = (call, point);
        Err(not_here("asking what is at a point of the screen"))
    }

    /// The process that made the window of this handle, also one that is in no list, such as a menu.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` when it is not told.
    fn window_owner(&self, call: &Call<'_>, native: u64) -> Result<Option<Process>> {
        let _ = (call, native);
        Err(not_here("asking whose a window is"))
    }

    /// The innermost element of the window that is at this point of the screen, as far as the application tells.
    ///
    /// # Errors
    /// `APP_UNRESPONSIVE` when it does not answer.
    fn element_at(
        &self,
        call: &Call<'_>,
        application: &Application,
        window: &Window,
        point: Point,
    ) -> Result<Option<ObjectId>> {
        let _ = (call, application, window, point);
        Err(not_here("asking what is at a point of a window"))
    }

    /// Asks the window system to change a window. `Ok` means that it was asked.
    ///
    /// # Errors
    /// `WINDOW_NOT_FOUND` when it is gone, `ACTION_NOT_SUPPORTED` when the window system cannot be asked for this.
    fn change_window(&self, call: &Call<'_>, window: &Window, change: WindowChange) -> Result<()> {
        let _ = (call, window, change);
        Err(not_here("changing windows"))
    }

    /// A window as it is now, known again by its handle and its process.
    ///
    /// # Errors
    /// `WINDOW_NOT_FOUND` when it is gone.
    fn look_at_window(&self, call: &Call<'_>, window: &Window) -> Result<Window> {
        let applications = self.applications(call)?;
        let windows = self.windows(call, &applications.items)?;
        let is_it = |other: &Window| other.native == window.native && other.process == window.process;
        windows
            .items
            .into_iter()
            .find(is_it)
            .ok_or_else(|| Error::new(Code::WindowNotFound, format!("window {} has closed", window.id)))
    }

    /// The screens, the primary one first.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` when there is no display to ask.
    fn displays(&self, call: &Call<'_>) -> Result<Vec<Display>> {
        let _ = call;
        Err(not_here("listing screens"))
    }

    /// Begins to listen to what an application announces. Only after [`Watch::ready`] is it certain that the application
    /// knows of it.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` when nothing is announced here; callers then look instead.
    fn watch(&self, call: &Call<'_>, application: &Application) -> Result<Box<dyn Watch + '_>> {
        let _ = (call, application);
        Err(not_here("listening to an application"))
    }

    /// The notifications of this desktop session.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` when they cannot be watched here.
    fn notifications(&self) -> Result<&dyn Notifications> {
        Err(not_here("reading notifications"))
    }

    /// Why this process publishes no accessibility tree, or an empty one, and what mends that, where it is
    /// known of the toolkit it is made with. One sentence for a person.
    fn unpublished(&self, process: &Process) -> Option<String> {
        let _ = process;
        None
    }

    /// Whether the process is still running, the very one and not a later one of the same pid.
    fn is_running(&self, process: &Process) -> bool;
}

fn not_here(what: &str) -> Error {
    Error::new(Code::PlatformNotSupported, format!("{what} is not possible on this desktop"))
}
