//! The adapter: the synchronous [`Platform`] over asynchronous D-Bus.

use std::future::Future;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use surehand_core::desktop::Environment;
use surehand_core::display::Display as Screen;
use surehand_core::disposition::Delivery;
use surehand_core::geometry::Point;
use surehand_core::notification::Notifications;
use surehand_core::object::{Application, ObjectId, Process};
use surehand_core::platform::{
    Attention, CaptureTarget, Inspection, Listing, Live, ObserveRequest, Operation, Picture, Platform, WindowChange,
};
use surehand_core::stroke::Stroke;
use surehand_core::time::{Call, Cancel};
use surehand_core::tree::Observation;
use surehand_core::watch::{Change, Watch};
use surehand_core::window::Window;
use surehand_core::{Code, Error, Result};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use crate::connect::{Bus, Link};
use crate::error::{Fault, no_bus, unresponsive};
use crate::notify::{Session, Watcher};
use crate::toolkit::Toolkit;
use crate::trip::{Kind, Trip};
use crate::x11::Display;
use crate::{act, app, events, inspect, place, process, tree, window};

/// How often a running call looks whether it was cancelled.
const CANCEL_CHECK: Duration = Duration::from_millis(25);

/// How long connecting to the buses may take; less than any command has by itself, so that a silent bus is told
/// apart from a caller in a hurry.
const CONNECT: Duration = Duration::from_millis(2_500);

/// A Linux desktop session.
pub struct LinuxPlatform {
    runtime: Runtime,
    bus: Arc<Bus>,
    pub(crate) environment: Environment,
    display: Mutex<Option<Display>>,
    pub(crate) watcher: Option<Watcher>,
    pub(crate) session: Session,
}

impl LinuxPlatform {
    /// Connects to the desktop session that this environment describes.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` when there is no session or accessibility bus, `TIMEOUT` when they do not
    /// answer.
    pub fn connect(call: &Call<'_>, environment: &Environment) -> Result<LinuxPlatform> {
        call.go_on()?;
        // Everything on the thread that waits for it: with a thread of its own for the connections, each of
        // hundreds of answers would go from one thread to the other.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::new(Code::Internal, "no thread for the adapter").platform(error.to_string()))?;
        let span = call.left().min(CONNECT);
        let bus = runtime.block_on(async { tokio::time::timeout(span, Bus::connect(environment)).await });
        // A caller in a hurry has not shown that the bus is at fault.
        let bus = bus.map_err(|_| if span < CONNECT { out_of_time() } else { no_bus("it does not answer") })??;
        Ok(LinuxPlatform {
            runtime,
            bus: Arc::new(bus),
            environment: environment.clone(),
            display: Mutex::new(None),
            watcher: None,
            session: Session::default(),
        })
    }

    /// With what watching notifications takes; without it there are none.
    #[must_use]
    pub fn with_notifications(self, watcher: Watcher) -> LinuxPlatform {
        LinuxPlatform { watcher: Some(watcher), ..self }
    }

    /// Runs `work` until it is done, the time is used up or the call is cancelled. `work` bounds itself by
    /// the time left; this is the last line behind it.
    pub(crate) fn run<T>(&self, call: &Call<'_>, work: impl Future<Output = T>) -> Result<T> {
        call.go_on()?;
        let last = call.left() + CANCEL_CHECK;
        self.runtime.block_on(async {
            tokio::select! {
                done = work => Ok(done),
                () = cancelled(call.cancel) => Err(Error::new(Code::Timeout, "the call was cancelled").kind("cancelled")),
                () = tokio::time::sleep(last) => Err(out_of_time()),
            }
        })
    }

    /// The display, connected to at the first use.
    fn display(&self, call: &Call<'_>) -> Result<DisplayGuard<'_>> {
        // A panic while the display was held leaves nothing half changed in it.
        let mut held = self.display.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            let name = self.environment.0.get("DISPLAY").filter(|name| !name.is_empty()).ok_or_else(|| {
                Error::new(Code::PlatformNotSupported, "no X display is named in the environment")
                    .kind("no_display")
                    .suggest("run `surehand doctor`")
            })?;
            let authority = self.environment.0.get("XAUTHORITY").map(PathBuf::from);
            *held = Some(Display::connect(call, name, authority.as_deref())?);
        }
        Ok(DisplayGuard(held))
    }

    /// Uses the display. One that did not answer is connected to anew the next time.
    fn with_display<T>(&self, call: &Call<'_>, with: impl FnOnce(&Display) -> Result<T>) -> Result<T> {
        call.go_on()?;
        let mut guard = self.display(call)?;
        let result = match guard.0.as_ref() {
            Some(display) => display.limit(call).and_then(|()| with(display)),
            None => Err(Error::new(Code::Internal, "the display went away")),
        };
        if guard.0.as_ref().is_some_and(Display::is_spent) {
            *guard.0 = None;
        }
        result
    }

    fn active(&self, call: &Call<'_>) -> Option<u64> {
        self.with_display(call, Display::attention).ok().and_then(|attention| attention.active)
    }

    fn link_name<'o>(&self, object: &'o ObjectId) -> Result<&'o str> {
        self.bus.name_of(object).ok_or_else(|| {
            Error::new(Code::StaleRef, "the element belongs to another desktop session").kind("process_gone")
        })
    }
}

struct DisplayGuard<'d>(MutexGuard<'d, Option<Display>>);

/// The caller's deadline has passed.
fn out_of_time() -> Error {
    Error::new(Code::Timeout, "the time given was used up").kind("deadline")
}

async fn cancelled(cancel: &Cancel) {
    while !cancel.is_raised() {
        tokio::time::sleep(CANCEL_CHECK).await;
    }
}

impl Platform for LinuxPlatform {
    fn session(&self) -> &str {
        self.bus.guid()
    }

    fn applications(&self, call: &Call<'_>) -> Result<Listing<Application>> {
        self.run(call, app::applications(&self.bus, call.left()))?
    }

    fn windows(&self, call: &Call<'_>, applications: &[Application]) -> Result<Listing<Window>> {
        // The display and the trees answer at the same time. Without a display the trees alone say what windows
        // there are.
        let (on_screen, trees) = std::thread::scope(|scope| {
            let display = scope.spawn(|| self.with_display(call, Display::windows).ok());
            let trees = self.run(call, window::trees(&self.bus, applications, call.left()));
            (display.join().ok().flatten(), trees)
        });
        let mut listing = window::windows(trees?, on_screen.as_deref());
        let mut active = None;
        for found in on_screen.iter().flatten() {
            let native = Some(u64::from(found.id));
            let asked = |listed: &Window| listed.native == native;
            if !listing.items.iter().any(asked)
                && let Some(bare) = window::bare(found, *active.get_or_insert_with(|| self.active(call)))
                && !applications.iter().any(|application| {
                    application.process == bare.process
                        && listing.unresponsive.iter().all(|silent| silent.pid != bare.process.pid)
                })
            {
                listing.items.push(bare);
            }
        }
        Ok(listing)
    }

    fn observe(
        &self,
        call: &Call<'_>,
        application: &Application,
        window: &Window,
        request: &ObserveRequest,
    ) -> Result<Observation> {
        self.run(call, tree::observe(&self.bus, application, window, request, call.left()))?
    }

    fn inspect(&self, call: &Call<'_>, object: &ObjectId, process: &Process) -> Result<Live> {
        self.inspect_guessing(call, object, process, &[])
    }

    fn inspect_guessing(
        &self,
        call: &Call<'_>,
        object: &ObjectId,
        process: &Process,
        guess: &[ObjectId],
    ) -> Result<Live> {
        let name = self.link_name(object)?;
        if !process::is_running(process) {
            return Ok(Live::ProcessGone);
        }
        let silent = |fault: &Fault| unresponsive(&process::program(process.pid), process.pid, fault);
        let span = call.left();
        let read = self.run(call, async {
            let work = async {
                let link = self.bus.link(name).await?;
                let (nodes, related) = inspect::inspect(&self.bus, &link, object, guess, span).await?;
                Ok::<_, Fault>((link, nodes, related))
            };
            tokio::time::timeout(span, work).await.unwrap_or(Err(Fault::NoAnswer))
        })?;
        let (link, mut nodes, related) = match read {
            Ok(read) => read,
            Err(Fault::NoSuchObject) => return Ok(Live::Gone),
            Err(Fault::Disconnected) if !process::is_running(process) => return Ok(Live::ProcessGone),
            Err(fault @ (Fault::NoAnswer | Fault::Disconnected)) => return Err(silent(&fault)),
            Err(fault @ (Fault::Malformed | Fault::TooLarge | Fault::Refused(_))) => {
                return Err(Error::new(Code::ActionFailed, "the element cannot be read")
                    .kind("live_read_incomplete")
                    .platform(fault.word()));
            }
        };
        if nodes.is_empty() {
            return Ok(Live::Gone);
        }
        let ancestors = nodes.split_off(1);
        Ok(match nodes.pop() {
            Some(node) => {
                let process = link.process.clone();
                Live::Element(Box::new(Inspection { node, ancestors, process, related }))
            }
            None => Live::Gone,
        })
    }

    fn perform(&self, call: &Call<'_>, object: &ObjectId, operation: &Operation) -> Result<()> {
        let name = self.link_name(object)?;
        let sent = AtomicBool::new(false);
        let done = self.run(call, async {
            let link: std::sync::Arc<Link> = self.bus.link(name).await.map_err(|fault| {
                Error::new(Code::StaleRef, "the application is gone").kind("process_gone").platform(fault.word())
            })?;
            act::perform(&self.bus, &link, object, operation, call.left(), &sent).await
        });
        // Given up while the answer was waited for: the action may have reached the application.
        let uncertain = |error: Error| {
            if sent.load(Ordering::Acquire) { error.delivery(Delivery::DeliveryUncertain) } else { error }
        };
        done.map_err(uncertain)?
    }

    fn attention(&self, call: &Call<'_>) -> Result<Attention> {
        self.with_display(call, Display::attention)
    }

    fn strike(&self, call: &Call<'_>, strokes: &[Stroke]) -> Result<()> {
        self.with_display(call, |display| display.strike(strokes))
    }

    fn window_at(&self, call: &Call<'_>, point: Point) -> Result<Option<u64>> {
        self.with_display(call, |display| Ok(display.window_at(point)?.map(u64::from)))
    }

    fn window_owner(&self, call: &Call<'_>, native: u64) -> Result<Option<Process>> {
        let Ok(native) = u32::try_from(native) else { return Ok(None) };
        let pid = self.with_display(call, |display| display.pid_of(native))?;
        Ok(pid.and_then(process::process))
    }

    fn element_at(
        &self,
        call: &Call<'_>,
        application: &Application,
        window: &Window,
        point: Point,
    ) -> Result<Option<ObjectId>> {
        let name = self.link_name(&application.object)?;
        let silent = |fault: &Fault| unresponsive(&application.program, application.process.pid, fault);
        let span = call.left();
        let found = self.run(call, async {
            let work = async {
                let link = self.bus.link(name).await?;
                let id = |path: &str| self.bus.object(name, path);
                place::element_at(&link, window, point, span, id).await
            };
            tokio::time::timeout(span, work).await.unwrap_or(Err(Fault::NoAnswer))
        })?;
        found.map_err(|fault| silent(&fault))
    }

    fn change_window(&self, call: &Call<'_>, window: &Window, change: WindowChange) -> Result<()> {
        let native = native_of(window)?;
        self.with_display(call, |display| display.change_window(native, change))
    }

    fn look_at_window(&self, call: &Call<'_>, window: &Window) -> Result<Window> {
        let native = native_of(window)?;
        // The window system alone knows all that changes, and its application need not be asked.
        let seen = self.with_display(call, |display| display.window(native))?;
        match seen.filter(|seen| seen.pid.is_none_or(|pid| pid == window.process.pid)) {
            Some(seen) if process::is_running(&window.process) => Ok(window::updated(window, &seen, self.active(call))),
            _ => Err(Error::new(Code::WindowNotFound, format!("window {} has closed", window.id))),
        }
    }

    fn displays(&self, call: &Call<'_>) -> Result<Vec<Screen>> {
        self.with_display(call, Display::screens)
    }

    fn capture(&self, call: &Call<'_>, target: &CaptureTarget) -> Result<Picture> {
        match target {
            CaptureTarget::Screen => self.with_display(call, Display::capture_screen),
            CaptureTarget::Window(window) => {
                let native = native_of(window)?;
                self.with_display(call, |display| display.capture_window(native))
            }
        }
    }

    fn close(&self, call: &Call<'_>, window: &Window) -> Result<()> {
        let native = native_of(window)?;
        self.with_display(call, |display| display.close(native))
    }

    fn watch(&self, call: &Call<'_>, application: &Application) -> Result<Box<dyn Watch + '_>> {
        let name = self.link_name(&application.object)?;
        call.go_on()?;
        let trip = Trip::begin(Kind::Listening, 0);
        // Both go on while the element is looked at: they take as long, and neither needs the other.
        let (bus, of) = (Arc::clone(&self.bus), name.to_owned());
        let begun = self.runtime.spawn(async move { events::Subscription::begin(&bus, &of).await });
        let (bus, of) = (Arc::clone(&self.bus), name.to_owned());
        let opening = self.runtime.spawn(async move {
            if let Ok(link) = bus.link(&of).await {
                link.act(&bus).await;
            }
        });
        Ok(Box::new(Listening {
            platform: self,
            hearing: Hearing::Begun(begun),
            opening,
            lag: Toolkit::of(&application.toolkit).lag(),
            name: name.to_owned(),
            application: application.clone(),
            _trip: trip,
        }))
    }

    fn notifications(&self) -> Result<&dyn Notifications> {
        Ok(self)
    }

    fn unpublished(&self, process: &Process) -> Option<String> {
        Toolkit::of_libraries(&process::maps(process.pid)).map(|toolkit| toolkit.mend().to_owned())
    }

    fn is_running(&self, process: &Process) -> bool {
        process::is_running(process)
    }
}

/// How far a subscription is.
enum Hearing {
    /// The application is being told.
    Begun(JoinHandle<Result<events::Subscription, Fault>>),
    /// The application knows.
    Ready(events::Subscription),
    /// It could not be told.
    Never,
}

/// Listening to an application.
struct Listening<'p> {
    platform: &'p LinuxPlatform,
    hearing: Hearing,
    /// Opens the connection that actions go over.
    opening: JoinHandle<()>,
    lag: Duration,
    name: String,
    application: Application,
    _trip: Trip,
}

impl Listening<'_> {
    fn subscription(&self) -> Result<&events::Subscription> {
        match &self.hearing {
            Hearing::Ready(subscription) => Ok(subscription),
            Hearing::Begun(_) | Hearing::Never => Err(self.silent(&Fault::NoAnswer)),
        }
    }

    fn silent(&self, fault: &Fault) -> Error {
        unresponsive(&self.application.program, self.application.process.pid, fault)
    }
}

impl Watch for Listening<'_> {
    fn is_ready(&self) -> bool {
        match &self.hearing {
            Hearing::Begun(begun) => begun.is_finished(),
            Hearing::Ready(_) | Hearing::Never => true,
        }
    }

    fn ready(&mut self, call: &Call<'_>) -> Result<()> {
        let Hearing::Begun(begun) = &mut self.hearing else { return self.subscription().map(drop) };
        let span = call.left();
        let told = self.platform.run(call, async {
            // A task that ended without a result was taken down with everything else.
            tokio::time::timeout(span, begun)
                .await
                .map_or(Err(Fault::NoAnswer), |told| told.unwrap_or(Err(Fault::NoAnswer)))
        });
        match told {
            Ok(Ok(subscription)) => {
                self.hearing = Hearing::Ready(subscription);
                Ok(())
            }
            Ok(Err(fault)) => {
                self.give_up();
                Err(self.silent(&fault))
            }
            Err(error) => {
                self.give_up();
                Err(error)
            }
        }
    }

    fn changes(&mut self, call: &Call<'_>) -> Result<Vec<Change>> {
        let (platform, span) = (self.platform, call.left());
        let subscription = self.subscription()?;
        platform.runtime.block_on(async {
            tokio::select! {
                () = subscription.wait(span) => {}
                () = cancelled(call.cancel) => {}
            }
        });
        Ok(subscription.take(&platform.bus))
    }

    fn opened(&mut self, call: &Call<'_>) -> Result<Vec<ObjectId>> {
        let span = call.left();
        let subscription = self.subscription()?;
        let asked = self.platform.run(call, async {
            tokio::time::timeout(span, subscription.opened(&self.platform.bus)).await.unwrap_or(Err(Fault::NoAnswer))
        })?;
        asked.map_err(|fault| self.silent(&fault))
    }

    fn lag(&self) -> Duration {
        self.lag
    }
}

impl Listening<'_> {
    fn give_up(&mut self) {
        if let Hearing::Begun(begun) = std::mem::replace(&mut self.hearing, Hearing::Never) {
            begun.abort();
        }
    }
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        self.opening.abort();
        self.give_up();
        // What the application or the bus make of it is of no interest any more.
        self.platform.runtime.block_on(events::end(&self.platform.bus, &self.name));
    }
}

/// The window system's handle of a window.
fn native_of(window: &Window) -> Result<u32> {
    window.native.and_then(|native| u32::try_from(native).ok()).ok_or_else(|| {
        Error::new(Code::ActionNotSupported, format!("it cannot be told which window of the screen {} is", window.id))
            .kind("window_without_handle")
            .suggest("give the windows of this application different titles, or close one of them")
    })
}
