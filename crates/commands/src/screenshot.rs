//! `screenshot`: a picture of the screen or of one window.

use base64::Engine as _;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::error::Code;
use surehand_core::geometry::Rect;
use surehand_core::node::Node;
use surehand_core::object::Application;
use surehand_core::platform::{CaptureTarget, ObserveRequest, Picture, Platform};
use surehand_core::reference::SnapshotId;
use surehand_core::role::Role;
use surehand_core::snapshot::number;
use surehand_core::text::quote;
use surehand_core::time::Call;
use surehand_core::tree::Observation;
use surehand_core::window::Window;
use surehand_core::{Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope};
use crate::outline::{Lines, Outline, Word, made};
use crate::picture::{draw, encode, marks};
use crate::target::{self, Wanted};

/// Take a picture of the screen or of one window
///
/// A window is shown as it is even where others cover it. Pictures hold whatever is on the screen, also secrets. With
/// `--annotate` the elements of a window carry the numbers of fresh refs: `e12` on the picture is `@ID:e12`, with the
/// snapshot id of the answer.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Screenshot {
    /// New file to write, inside the folder for output; without it the picture is in the answer
    #[arg(value_name = "PATH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Application whose window to show
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Window to show, as `list-windows` prints it
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
    /// Screen to show alone, by its place in `list-displays`, from 0
    #[arg(long, value_name = "INDEX", conflicts_with_all = ["window_id", "app"])]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    screen: Option<usize>,
    /// Take a snapshot of the window, the focused one unless said otherwise, and draw its refs on the picture
    #[arg(long)]
    #[serde(default)]
    annotate: bool,
}

/// How long it may take.
const TAKE_MS: u64 = 10_000;

/// A picture.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Taken {
    /// The file it was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The picture in base64, where no file was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    /// Always `png`.
    format: &'static str,
    /// Pixels a row.
    width: u32,
    /// Rows.
    height: u32,
    /// Pixels of the picture for one of the screen.
    scale_factor: f64,
    /// The window it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
    /// The id that the refs on the picture carry.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot_id: Option<String>,
    /// How many elements have a ref.
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_count: Option<usize>,
    /// How many of them are on the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    annotated: Option<usize>,
}

impl Outline for Taken {
    fn outline(&self) -> String {
        Lines::new()
            .words([
                Word::Own("screenshot"),
                self.path.as_deref().map_or(Word::Nothing, Word::Quoted),
                made(format!("{}x{}", self.width, self.height)),
                self.snapshot_id.as_ref().map_or(Word::Nothing, |id| made(format!("snapshot={id}"))),
                self.annotated.map_or(Word::Nothing, |count| made(format!("annotated={count}"))),
                self.data.as_deref().map_or(Word::Nothing, |data| made(format!("base64={}", data.len()))),
            ])
            .finish()
    }
}

impl Command for Screenshot {
    const SPEC: Spec = Spec::new("screenshot", Group::Observation, Effect::Observe);
    type Output = Taken;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        let scope = if self.is_screen() { Scope::All } else { self.wanted().scope() };
        let picture = Resource::ScreenRead(scope.clone());
        Ok(if self.annotate { vec![picture, Resource::UiRead(scope)] } else { vec![picture] })
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Taken> {
        let call = cx.call(TAKE_MS);
        let platform = cx.platform(&call)?;
        let screen = self.screen.map(|index| screen(platform, &call, index)).transpose()?;
        if screen.is_some() && !self.is_screen() {
            return Err(Error::new(Code::InvalidArgs, "give either a window or `--screen`").kind("bad_target"));
        }
        let mut marked = None;
        let (picture, window_id) = if self.is_screen() {
            let picture = platform.capture(&call, &CaptureTarget::Screen)?;
            let picture = match screen {
                None => picture,
                // A screen that was moved or taken away meanwhile would show something else.
                Some(before) => {
                    let after = self.screen.map(|index| screen_at(platform, &call, index)).transpose()?.flatten();
                    if after != Some(before) {
                        return Err(Error::new(Code::ActionFailed, "the screens changed while the picture was taken")
                            .kind("screens_changed"));
                    }
                    cut(&picture, before)?
                }
            };
            (picture, None)
        } else if self.annotate {
            let annotated = annotated(cx, platform, &call, self.wanted())?;
            marked = Some((annotated.id.to_string(), annotated.refs, annotated.drawn));
            (annotated.picture, Some(annotated.window.id))
        } else {
            let (application, window) = target::window(platform, &call, self.wanted())?;
            let picture = steady(platform, &call, application.as_ref(), &window, |picture| Ok(Some(picture)))?;
            (picture, Some(window.id))
        };
        let png = encode(&picture)?;
        let (path, data) = match &self.path {
            Some(path) => (Some(cx.services.write_output(path, &png)?.to_string_lossy().into_owned()), None),
            None => (None, Some(base64::engine::general_purpose::STANDARD.encode(&png))),
        };
        let (snapshot_id, ref_count, annotated) = match marked {
            Some((id, refs, drawn)) => (Some(id), Some(refs), Some(drawn)),
            None => (None, None, None),
        };
        Ok(Taken {
            path,
            data,
            format: "png",
            width: picture.width,
            height: picture.height,
            scale_factor: 1.0,
            window_id,
            snapshot_id,
            ref_count,
            annotated,
        })
    }
}

/// How often a picture is taken again of a window that changed meanwhile.
const ATTEMPTS: usize = 3;

/// Takes a picture of a window that is the same before and after: the same process's, the same one of the window system,
/// at the same place. `keep` looks at each picture, and gives none where what it needs has changed as well.
fn steady<T>(
    platform: &dyn Platform,
    call: &Call<'_>,
    application: Option<&Application>,
    window: &Window,
    mut keep: impl FnMut(Picture) -> Result<Option<T>>,
) -> Result<T> {
    let mut before = window.clone();
    for _ in 0..ATTEMPTS {
        let kept = keep(platform.capture(call, &CaptureTarget::Window(before.clone()))?)?;
        let after = again(platform, call, application, window)?;
        let same = after.bounds == before.bounds && after.native == before.native;
        if let Some(kept) = kept
            && same
        {
            return Ok(kept);
        }
        before = after;
    }
    Err(Error::new(
        Code::ActionFailed,
        format!("window {} {} changed each time while its picture was taken", window.id, quote(&window.title)),
    )
    .kind("window_changed")
    .suggest("wait until it has come to rest, for example with `wait --text`, and try again"))
}

/// The window as it is now.
fn again(
    platform: &dyn Platform,
    call: &Call<'_>,
    application: Option<&Application>,
    window: &Window,
) -> Result<Window> {
    let windows = platform.windows(call, application.map_or(&[], std::slice::from_ref))?.items;
    let is_it = |other: &Window| {
        let same_object = window.object.is_some() && other.object == window.object;
        let same_native = window.native.is_some() && other.native == window.native;
        other.process == window.process && (same_object || same_native)
    };
    windows.into_iter().find(is_it).ok_or_else(|| {
        Error::new(
            Code::WindowNotFound,
            format!("window {} {} closed while its picture was taken", window.id, quote(&window.title)),
        )
        .kind("window_gone")
        .suggest("see `list-windows`")
    })
}

/// A picture with refs on it.
struct Annotated {
    picture: Picture,
    window: Window,
    id: SnapshotId,
    refs: usize,
    drawn: usize,
}

fn annotated(cx: &Cx<'_>, platform: &dyn Platform, call: &Call<'_>, wanted: Wanted<'_>) -> Result<Annotated> {
    let (application, window) = target::readable_window(platform, call, wanted)?;
    let request = ObserveRequest { bounds: true, ..ObserveRequest::default() };
    let observe = || platform.observe(call, &application, &window, &request);
    let mut seen = observe()?;
    let (mut picture, observation) = steady(platform, call, Some(&application), &window, |picture| {
        // The elements as well have to be where they were, or the numbers would stand on others.
        let now = observe()?;
        let still = places(&now) == places(&seen);
        seen = now;
        Ok(still.then(|| (picture, seen.clone())))
    })?;
    let store = cx.services.snapshots();
    let id = store.allocate()?;
    let wanted = |index: usize| observation.nodes.get(index).is_some_and(Node::is_interactive);
    let kept = number(&observation, id, platform.session(), cx.services.unix_time(), wanted);
    store.save(id, &kept.snapshot)?;
    let marks = marks(&observation, |index| kept.numbers.get(&index).copied());
    let drawn = draw(&mut picture, &marks);
    Ok(Annotated { picture, window, id, refs: kept.snapshot.refs.len(), drawn })
}

/// Which usable elements are where. Not which objects: some toolkits make new ones for the cells of a list at every look.
fn places(observation: &Observation) -> Vec<(Role, Option<&str>, Option<Rect>)> {
    let usable = observation.nodes.iter().filter(|node| node.is_interactive());
    usable.map(|node| (node.role, node.name.text(), node.bounds.known().copied())).collect()
}

impl Screenshot {
    fn is_screen(&self) -> bool {
        self.app.is_none() && self.window_id.is_none() && !self.annotate
    }

    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}

fn screen(platform: &dyn Platform, call: &Call<'_>, index: usize) -> Result<Rect> {
    screen_at(platform, call, index)?.ok_or_else(|| {
        Error::new(Code::InvalidArgs, format!("there is no screen {index}"))
            .kind("no_such_screen")
            .suggest("see `list-displays`; the first one is 0")
    })
}

fn screen_at(platform: &dyn Platform, call: &Call<'_>, index: usize) -> Result<Option<Rect>> {
    Ok(platform.displays(call)?.get(index).map(|screen| screen.bounds))
}

/// The part of a picture that shows this part of the screen.
fn cut(picture: &Picture, part: Rect) -> Result<Picture> {
    let outside = || Error::new(Code::Internal, "the screen is not in the picture of the desktop");
    let part = part.meet(picture.bounds).ok_or_else(outside)?;
    let offset = |at: i32, from: i32| usize::try_from(i64::from(at) - i64::from(from)).map_err(|_| outside());
    let (left, top) = (offset(part.x, picture.bounds.x)?, offset(part.y, picture.bounds.y)?);
    let (width, row) = (part.width as usize * 3, picture.width as usize * 3);
    let rows =
        (top..top + part.height as usize).map(|y| picture.rgb.get(y * row + left * 3..y * row + left * 3 + width));
    let rgb: Vec<u8> = rows.collect::<Option<Vec<_>>>().ok_or_else(outside)?.concat();
    Ok(Picture { width: part.width, height: part.height, rgb, bounds: part })
}
