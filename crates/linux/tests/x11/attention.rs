//! Where the pointer and the keyboard are.

use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, InputFocus, WindowClass};

use crate::client::{Client, area};
use crate::desk::Desk;

#[test]
fn attention_is_where_the_keys_go() {
    let desk = Desk::managed();
    let client = Client::new(&desk);
    let display = desk.connect();
    let nothing = display.attention().expect("asked");
    assert_eq!((nothing.active, nothing.keyboard), (None, None), "openbox keeps the focus on a window of its own");
    for x in [50, 300] {
        let window = client.window(area(x, 50, 100, 100), 0, false);
        client.show(window);
        let attention = display.attention().expect("asked");
        let wanted = Some(u64::from(window));
        assert_eq!((attention.active, attention.keyboard), (wanted, wanted));
    }
}

#[test]
fn attention_without_a_window_manager() {
    let desk = Desk::bare(&["-screen", "0", "800x600x24"]);
    let client = Client::new(&desk);
    let display = desk.connect();
    let first = client.window(area(50, 50, 100, 100), 0, false);
    client.show(first);
    let second = client.window(area(300, 50, 100, 100), 0, false);
    client.show(second);
    // Toolkits give the focus to a small window inside.
    let inner = client.c.generate_id().expect("an id");
    let aux = CreateWindowAux::new();
    client.c.create_window(0, inner, second, 0, 0, 1, 1, 0, WindowClass::INPUT_OUTPUT, 0, &aux).expect("sent");
    client.c.map_window(inner).expect("sent");
    client.c.warp_pointer(x11rb::NONE, client.root, 0, 0, 0, 0, 123, 234).expect("sent");
    client.focus(inner);
    let attention = display.attention().expect("asked");
    assert_eq!((attention.active, attention.keyboard), (None, Some(u64::from(second))));
    assert_eq!(attention.pointer, Some(surehand_core::geometry::Point { x: 123, y: 234 }));
    client.c.set_input_focus(InputFocus::NONE, InputFocus::POINTER_ROOT, x11rb::CURRENT_TIME).expect("sent");
    client.c.warp_pointer(x11rb::NONE, first, 0, 0, 0, 0, 5, 5).expect("sent");
    client.sync();
    assert_eq!(display.attention().expect("asked").keyboard, Some(u64::from(first)));
    client.c.set_input_focus(InputFocus::NONE, x11rb::NONE, x11rb::CURRENT_TIME).expect("sent");
    client.sync();
    assert_eq!(display.attention().expect("asked").keyboard, None);
}
