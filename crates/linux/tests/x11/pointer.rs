//! The pointer, what it reaches, and what steps leave behind.

use surehand_core::Code;
use surehand_core::disposition::Delivery;
use surehand_core::geometry::Point;
use surehand_core::stroke::{PointerButton, Stroke};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::shape::{ConnectionExt as _, SK, SO};
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ClipOrdering, ConnectionExt as _, EventMask, KeyButMask, Rectangle, Window,
};

use crate::client::{Client, area};
use crate::desk::{Desk, NONE_DOWN};

fn at(x: i32, y: i32) -> Point {
    Point { x, y }
}

fn listening(client: &Client, x: i32) -> Window {
    let window = client.window(area(x, 60, 200, 150), 0, false);
    let mask = EventMask::EXPOSURE
        | EventMask::STRUCTURE_NOTIFY
        | EventMask::BUTTON_PRESS
        | EventMask::BUTTON_RELEASE
        | EventMask::KEY_PRESS;
    client.c.change_window_attributes(window, &ChangeWindowAttributesAux::new().event_mask(mask)).expect("sent");
    client.show(window);
    window
}

fn buttons_down(client: &Client) -> KeyButMask {
    client.c.query_pointer(client.root).expect("sent").reply().expect("a pointer").mask
}

/// The buttons that were pressed, with the place and the modifiers.
fn presses(client: &Client, count: usize) -> Vec<(u8, i16, i16, u16)> {
    let mut seen = Vec::new();
    while seen.len() < count {
        client.until("a button is pressed", |event| match event {
            Event::ButtonPress(press) => {
                seen.push((press.detail, press.root_x, press.root_y, u16::from(press.state) & 0xff));
                true
            }
            _ => false,
        });
    }
    seen
}

#[test]
fn clicks_wheels_and_modifiers_arrive_where_they_are_meant() {
    let desk = Desk::managed();
    let client = Client::new(&desk);
    listening(&client, 50);
    let display = desk.connect();
    let click = |button| [Stroke::ButtonDown(button), Stroke::ButtonUp(button)];
    let mut strokes = vec![Stroke::MoveTo(at(120, 130))];
    strokes.extend(click(PointerButton::Left));
    strokes.extend(click(PointerButton::Right));
    strokes.extend(click(PointerButton::Middle));
    strokes.push(Stroke::Wheel { right: 1, down: -2 });
    display.strike(&strokes).expect("struck");
    let seen = presses(&client, 6);
    assert_eq!(seen.iter().map(|(button, ..)| *button).collect::<Vec<_>>(), [1, 3, 2, 4, 4, 7]);
    assert!(seen.iter().all(|(_, x, y, state)| (*x, *y, *state) == (120, 130, 0)), "{seen:?}");
    let ctrl = "ctrl".parse().expect("a chord");
    let shift = "shift".parse().expect("a chord");
    let [press, release] = click(PointerButton::Left);
    let held = [Stroke::ChordDown(ctrl), Stroke::ChordDown(shift)];
    let freed = ["shift", "ctrl"].map(|key| Stroke::ChordUp(key.parse().expect("a chord")));
    display.strike(&[&held[..], &[press, release], &freed[..]].concat()).expect("struck");
    assert_eq!(presses(&client, 1), [(1, 120, 130, 5)]);
    assert_eq!(client.keys_down(), NONE_DOWN);
    assert_eq!(buttons_down(&client), KeyButMask::from(0u16));
}

#[test]
fn left_handed_buttons_mean_the_same() {
    let desk = Desk::managed();
    let client = Client::new(&desk);
    listening(&client, 50);
    let mut map = client.c.get_pointer_mapping().expect("sent").reply().expect("a map").map;
    map.swap(0, 2);
    client.c.set_pointer_mapping(&map).expect("sent").reply().expect("set");
    let display = desk.connect();
    let strokes = [PointerButton::Left, PointerButton::Right]
        .into_iter()
        .flat_map(|button| [Stroke::ButtonDown(button), Stroke::ButtonUp(button)]);
    display.strike(&[Stroke::MoveTo(at(100, 100))]).expect("moved");
    display.strike(&strokes.collect::<Vec<_>>()).expect("struck");
    assert_eq!(presses(&client, 2).iter().map(|(button, ..)| *button).collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn what_was_pressed_before_a_step_failed_is_let_go() {
    let desk = Desk::managed();
    let client = Client::new(&desk);
    listening(&client, 50);
    let display = desk.connect();
    let strokes = [
        Stroke::MoveTo(at(100, 100)),
        Stroke::ChordDown("shift".parse().expect("a chord")),
        Stroke::ButtonDown(PointerButton::Left),
        Stroke::MoveTo(at(100_000, 1)),
        Stroke::ButtonUp(PointerButton::Left),
    ];
    let error = display.strike(&strokes).expect_err("off the screen");
    assert_eq!((error.code(), error.kind_of()), (Code::InvalidArgs, Some("outside_screen")));
    assert_eq!(error.delivered(), Delivery::DeliveryUncertain);
    assert_eq!((&error.details()["sent"], &error.details()["released"]), (&3.into(), &true.into()));
    assert_eq!(client.keys_down(), NONE_DOWN);
    assert_eq!(buttons_down(&client), KeyButMask::from(0u16));
    let error = display.strike(&[Stroke::MoveTo(at(-1, 5))]).expect_err("off the screen");
    assert_eq!((error.delivered(), &error.details()["sent"]), (Delivery::NotDelivered, &0.into()));
    // Holding was the step: it stays, and nobody presses it twice.
    display.strike(&[Stroke::ButtonDown(PointerButton::Left)]).expect("held");
    assert_eq!(buttons_down(&client), KeyButMask::BUTTON1);
    let error = display.strike(&[Stroke::ButtonDown(PointerButton::Left)]).expect_err("held");
    assert_eq!((error.kind_of(), error.delivered()), (Some("button_held"), Delivery::NotDelivered));
    display.strike(&[Stroke::ButtonUp(PointerButton::Left)]).expect("let go");
    assert_eq!(buttons_down(&client), KeyButMask::from(0u16));
}

#[test]
fn the_window_that_the_pointer_reaches_is_told() {
    let desk = Desk::managed();
    let client = Client::new(&desk);
    let below = listening(&client, 50);
    let above = listening(&client, 150);
    let display = desk.connect();
    let reached = |x, y| display.window_at(at(x, y)).expect("told");
    assert_eq!(reached(70, 100), Some(below));
    assert_eq!(reached(200, 100), Some(above), "the one on top");
    assert_eq!(reached(780, 580), None, "the background");
    let frame = display.windows().expect("listed").into_iter().find(|window| window.id == above).expect("there").frame;
    assert_eq!(reached(frame.x + 20, frame.y + 3), Some(above), "its frame");
    // A menu: no window manager knows of it.
    let menu = client.window(area(60, 90, 50, 50), 0, true);
    client.show(menu);
    assert_eq!(reached(70, 100), Some(menu));
    assert_eq!(display.pid_of(menu).expect("told"), Some(std::process::id()));
    // One that lets the pointer through.
    let none: &[Rectangle] = &[];
    client.c.shape_rectangles(SO::SET, SK::INPUT, ClipOrdering::UNSORTED, menu, 0, 0, none).expect("sent");
    client.sync();
    assert_eq!(reached(70, 100), Some(below));
    client.c.flush().expect("flushed");
}
