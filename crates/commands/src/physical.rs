//! What the commands that use pointer and keyboard have in common: that a person allowed it, that it reaches the
//! window that is meant, and what they answer.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::aim::{self, Expected};
use surehand_core::disposition::{Delivery, Disposition};
use surehand_core::geometry::Point;
use surehand_core::hold::Grip;
use surehand_core::input::{Chord, Modifier};
use surehand_core::lease::Claim;
use surehand_core::platform::Platform;
use surehand_core::stroke::{PointerButton, Stroke};
use surehand_core::text::quote;
use surehand_core::time::Call;
use surehand_core::window::Window;
use surehand_core::{Code, Error, Result};

use crate::context::Cx;
use crate::gate::Subject;
use crate::outline::{Lines, Outline, Word, made};
use crate::target::{self, Wanted, WindowView};

/// How long looking for the window, waiting for a turn and doing it may take together.
pub(crate) const PHYSICAL_MS: u64 = 10_000;

/// Coordinates beyond this are no mistake of one digit.
const FARTHEST: i32 = 10_000_000;

/// Goes on only where whoever started surehand allowed physical input.
///
/// # Errors
/// `POLICY_DENIED` with kind `needs_headed`.
pub(crate) fn needs_headed(cx: &Cx<'_>, command: &str) -> Result<()> {
    if cx.services.allowed().headed {
        return Ok(());
    }
    Err(Error::new(Code::PolicyDenied, format!("`{command}` uses the pointer, the keyboard or the focus"))
        .kind("needs_headed")
        .suggest("act on a ref, which needs none of them; a person allows it with `--headed`"))
}

/// Goes on only where the combination, with what is held already, stays within its window, or a person confirms at
/// the terminal that it need not.
///
/// # Errors
/// `POLICY_DENIED` with kind `protected_combination`, `no_person` or `not_confirmed`.
pub(crate) fn allow_combination(cx: &Cx<'_>, chord: &Chord) -> Result<()> {
    let held = cx.services.holder().held()?;
    let chords = held.iter().filter_map(|grip| match grip {
        Grip::Keys(chord) => Some(chord),
        Grip::Button(_) => None,
    });
    let protected = Chord::together(chords.chain([chord])).into_iter().find_map(|chord| {
        let why = chord.protected()?;
        Some((chord, why))
    });
    let Some((chord, why)) = protected else { return Ok(()) };
    if cx.services.allowed().force {
        return cx.services.confirm(cx.cancel, &format!("An agent wants to press {chord}: {why}."));
    }
    Err(Error::new(Code::PolicyDenied, format!("`{chord}` is not sent: {why}"))
        .kind("protected_combination")
        .suggest("use the application's own buttons and menus; `close-app` closes an application"))
}

/// A point of the screen as arguments have it: `400,300`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Xy(pub(crate) Point);

impl FromStr for Xy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = |text: &str| text.trim().parse::<i32>().ok().filter(|number| number.abs() <= FARTHEST);
        let point = text.split_once(',').and_then(|(x, y)| Some(Point { x: number(x)?, y: number(y)? }));
        point.map(Xy).ok_or_else(|| {
            Error::new(Code::InvalidArgs, format!("{} is not a point of the screen", quote(text)))
                .kind("bad_point")
                .suggest("write two whole numbers, for example `400,300`; negative ones as in `--xy=-100,50`")
        })
    }
}

impl fmt::Display for Xy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.0.x, self.0.y)
    }
}

impl Serialize for Xy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Xy {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|error: Error| serde::de::Error::custom(error.message()))
    }
}

impl JsonSchema for Xy {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Point".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^-?[0-9]+,-?[0-9]+$",
            "description": "A point in physical pixels of the screen, such as `400,300`",
        })
    }
}

/// A button as arguments have it.
pub(crate) fn button(word: &str) -> Result<PointerButton> {
    match word {
        "left" => Ok(PointerButton::Left),
        "middle" => Ok(PointerButton::Middle),
        "right" => Ok(PointerButton::Right),
        _ => Err(Error::new(Code::InvalidArgs, format!("{} is not a button", quote(word)))
            .kind("bad_button")
            .suggest("the buttons are `left`, `middle` and `right`")),
    }
}

/// The steps, with the modifiers held around them.
pub(crate) fn with_modifiers(modifiers: &[String], strokes: Vec<Stroke>) -> Result<Vec<Stroke>> {
    let mut named: Vec<Modifier> = modifiers.iter().map(|word| Modifier::named(word)).collect::<Result<_>>()?;
    named.sort_unstable();
    named.dedup();
    if named.contains(&Modifier::Meta) {
        return Err(Error::new(Code::PolicyDenied, "clicks with `meta` belong to the desktop, not to the window")
            .kind("protected_combination"));
    }
    let chords: Vec<Chord> = named.into_iter().map(Chord::of_modifier).collect();
    let down = chords.iter().cloned().map(Stroke::ChordDown);
    let up = chords.iter().rev().cloned().map(Stroke::ChordUp);
    Ok(down.chain(strokes).chain(up).collect())
}

/// Who has to be under the pointer.
pub(crate) enum Meant {
    /// This window.
    Window(Window),
    /// Any window of the process of this one.
    ApplicationOf(Window),
}

impl Meant {
    /// By what the caller says; none where nothing is said.
    pub(crate) fn find(platform: &dyn Platform, call: &Call<'_>, wanted: Wanted<'_>) -> Result<Option<Meant>> {
        match (wanted.window_id, wanted.app) {
            (None, None) => Ok(None),
            (Some(_), _) => Ok(Some(Meant::Window(target::window(platform, call, wanted)?.1))),
            (None, Some(name)) => {
                let named = target::applications_named(&platform.applications(call)?, name)?;
                let windows = platform.windows(call, &named)?;
                let is_own = |window: &Window| named.iter().any(|named| named.process == window.process);
                match windows.items.into_iter().find(is_own) {
                    Some(window) => Ok(Some(Meant::ApplicationOf(window))),
                    None => Err(Error::new(Code::WindowNotFound, format!("{} has no window", quote(name)))
                        .suggest("see `list-windows`")),
                }
            }
        }
    }

    pub(crate) fn window(&self) -> &Window {
        match self {
            Meant::Window(window) | Meant::ApplicationOf(window) => window,
        }
    }

    pub(crate) fn check(&self, platform: &dyn Platform, call: &Call<'_>, point: Point) -> Result<()> {
        let expected = match self {
            Meant::Window(window) => Expected::Window(window),
            Meant::ApplicationOf(window) => Expected::ApplicationOf(window),
        };
        aim::check(platform, call, expected, point)
    }
}

/// The window that has to be named where a click would act on whatever is there.
///
/// # Errors
/// `INVALID_ARGS` with kind `no_window_named`.
pub(crate) fn named(meant: Option<Meant>) -> Result<Meant> {
    meant.ok_or_else(|| {
        Error::new(Code::InvalidArgs, "a point of the screen says nothing of the window that is meant")
            .kind("no_window_named")
            .suggest("name it with `--window-id` or `--app`; another one that is in front there gets nothing")
    })
}

/// What the pointer did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct PointerReport {
    /// The command.
    pub(crate) action: &'static str,
    /// Where the pointer is, in pixels of `frame`.
    pub(crate) x: i32,
    /// Where the pointer is, in pixels of `frame`.
    pub(crate) y: i32,
    /// What the numbers count from: always `screen`, physical pixels of the whole desktop.
    pub(crate) frame: &'static str,
    /// The button.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) button: Option<PointerButton>,
    /// How often it was pressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) count: Option<u32>,
    /// Notches of the wheel to the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dx: Option<i32>,
    /// Notches of the wheel upwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dy: Option<i32>,
    /// The window that was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) window: Option<WindowView>,
    /// How far it got: what the application made of it is not known.
    pub(crate) disposition: Disposition,
}

impl PointerReport {
    pub(crate) fn new(action: &'static str, point: Point, window: Option<&Window>) -> Self {
        PointerReport {
            action,
            x: point.x,
            y: point.y,
            frame: "screen",
            button: None,
            count: None,
            dx: None,
            dy: None,
            window: window.map(WindowView::from),
            disposition: Delivery::DeliveredUnverified.into(),
        }
    }
}

impl Outline for PointerReport {
    fn outline(&self) -> String {
        let delivery = serde_json::to_value(self.disposition.delivery).unwrap_or_default();
        let button = serde_json::to_value(self.button).unwrap_or_default();
        Lines::new()
            .words([
                Word::Own(self.action),
                made(format!("{},{}", self.x, self.y)),
                Word::Own("screen"),
                button.as_str().map_or(Word::Nothing, made),
                self.count.map_or(Word::Nothing, |count| made(format!("count={count}"))),
                self.dx.map_or(Word::Nothing, |dx| made(format!("dx={dx}"))),
                self.dy.map_or(Word::Nothing, |dy| made(format!("dy={dy}"))),
                delivery.as_str().map_or(Word::Nothing, made),
                self.window.as_ref().map_or(Word::Nothing, |window| made(format!("window={}", window.id))),
                self.window.as_ref().map_or(Word::Nothing, |window| Word::Quoted(&window.title)),
            ])
            .finish()
    }
}

/// Carries out steps at a point of the screen, alone on the desktop, where the window that is meant is in front there.
pub(crate) fn strike_at(
    cx: &mut Cx<'_>,
    call: &Call<'_>,
    meant: Option<&Meant>,
    point: Point,
    strokes: &[Stroke],
) -> Result<()> {
    let platform = cx.platform(call)?;
    let _alone = cx.services.leases().take(call, &Claim::Desktop)?;
    if let Some(meant) = meant {
        meant.check(platform, call, point)?;
    }
    platform.strike(call, strokes)?;
    cx.disposition = Some(Delivery::DeliveredUnverified.into());
    Ok(())
}

/// Notes which window is acted on.
pub(crate) fn acting_on(cx: &mut Cx<'_>, window: Option<&Window>) {
    cx.subject = Subject {
        app: window.map(|window| window.app_name.clone()),
        role: window.map(|_| "window".to_owned()),
        name: None,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_two_whole_numbers_within_reason() {
        assert_eq!("400,300".parse::<Xy>().expect("a point").0, Point { x: 400, y: 300 });
        assert_eq!(" -5 , 7".parse::<Xy>().expect("a point").to_string(), "-5,7");
        for text in ["", "4", "4;5", "4,5,6", "4.5,1", "10000001,0", "99999999999,0", "a,b", "NaN,1"] {
            assert_eq!(text.parse::<Xy>().expect_err(text).code(), Code::InvalidArgs);
        }
    }

    #[test]
    fn modifiers_are_held_around_the_steps_and_let_go_in_reverse() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let steps = with_modifiers(&words(&["shift", "ctrl", "shift"]), vec![Stroke::Wheel { right: 0, down: 1 }]);
        let named: Vec<String> = steps
            .expect("modifiers")
            .iter()
            .map(|step| match step {
                Stroke::ChordDown(chord) => format!("+{chord}"),
                Stroke::ChordUp(chord) => format!("-{chord}"),
                _ => "wheel".to_owned(),
            })
            .collect();
        assert_eq!(named, ["+ctrl", "+shift", "wheel", "-shift", "-ctrl"]);
        assert_eq!(with_modifiers(&words(&["hyper"]), Vec::new()).expect_err("none").code(), Code::InvalidArgs);
        assert_eq!(with_modifiers(&words(&["meta"]), Vec::new()).expect_err("kept").code(), Code::PolicyDenied);
    }
}
