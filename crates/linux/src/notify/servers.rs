//! Choosing an action of a notification. The standard gives this to the person in front of the screen alone, so what
//! can be done differs from server to server, and with most nothing can.

use surehand_core::disposition::Delivery;
use surehand_core::notification::{Notice, NoticeAction, Notifications as _};
use surehand_core::object::Application;
use surehand_core::platform::{ObserveRequest, Operation, Platform as _};
use surehand_core::role::Role;
use surehand_core::text::quote;
use surehand_core::time::Call;
use surehand_core::tree::Observation;
use surehand_core::{Code, Error, Result};
use zbus::zvariant::OwnedValue;

use super::{INTERFACE, gone};
use crate::adapter::LinuxPlatform;
use crate::desktop::bus::{DAEMON, ask};

/// Dunst's own interface.
const DUNST: &str = "org.dunstproject.cmd0";

/// What a server calls itself.
const NAME_OF_DUNST: &str = "dunst";
const NAME_OF_XFCE: &str = "Xfce Notify Daemon";

/// The key of what a click on the notification itself does.
const DEFAULT: &str = "default";

/// Has the server of a notification tell the application that an action was chosen.
pub(super) fn invoke(platform: &LinuxPlatform, call: &Call<'_>, notice: &Notice, action: &NoticeAction) -> Result<()> {
    let server = &notice.id.server;
    let about: Result<(String, String, String, String), _> =
        platform.tell(call, server, (INTERFACE, "GetServerInformation"), &());
    let (name, ..) = about.map_err(|fault| {
        if fault.is_gone() { gone() } else { fault.error("say what it is").delivery(Delivery::NotDelivered) }
    })?;
    match name.as_str() {
        NAME_OF_DUNST => dunst(platform, call, notice, action),
        NAME_OF_XFCE => xfce(platform, call, notice, action),
        other => Err(impossible(format!("{} lets nobody but a person choose an action", quote(other)))),
    }
}

fn impossible(why: String) -> Error {
    Error::new(Code::ActionNotSupported, why)
        .kind("server_cannot_act")
        .suggest("dismiss it, and do what it is about in its application")
}

/// Dunst is told the place of a notification among those it shows, and which place one has it does not say. So there has
/// to be just one. It then does what a click on it does.
fn dunst(platform: &LinuxPlatform, call: &Call<'_>, notice: &Notice, action: &NoticeAction) -> Result<()> {
    let only = notice.actions.len() == 1;
    let by_default = notice.actions.iter().any(|other| other.key == DEFAULT);
    if action.key != DEFAULT && (by_default || !only) {
        return Err(impossible(
            "dunst can be told to choose the default action, or the only one, and no other".to_owned(),
        ));
    }
    let server = &notice.id.server;
    let count = |property: &str| -> Result<u32> {
        let asked = platform.tell(call, server, ("org.freedesktop.DBus.Properties", "Get"), &(DUNST, property));
        let value: OwnedValue =
            asked.map_err(|fault| fault.error("say what it shows").delivery(Delivery::NotDelivered))?;
        u32::try_from(value).map_err(|_| impossible("this version of dunst does not say how many it shows".to_owned()))
    };
    let (displayed, waiting) = (count("displayedLength")?, count("waitingLength")?);
    let open: Vec<Notice> = platform.notices(call)?.all.into_iter().filter(|other| other.closed.is_none()).collect();
    // What dunst shows and what we saw have to be one and the same.
    if (displayed, waiting) != (1, 0) || open.len() != 1 || open[0].id != notice.id {
        return Err(impossible("dunst can be told to act on the only notification, and there are others".to_owned())
            .detail("displayed", displayed)
            .detail("waiting", waiting)
            .suggest("dismiss the others first"));
    }
    let told = platform.tell(call, server, (DUNST, "NotificationAction"), &0u32);
    told.map_err(|fault| fault.error("choose the action"))
}

/// The popups of xfce4-notifyd are windows whose buttons can be pressed like others.
fn xfce(platform: &LinuxPlatform, call: &Call<'_>, notice: &Notice, action: &NoticeAction) -> Result<()> {
    if action.label.is_empty() {
        return Err(impossible("xfce4-notifyd shows no button for this action".to_owned()));
    }
    // One popup can stand for two that look the same, of which only one is on the screen.
    let looks = |other: &Notice| (other.title.trim().to_owned(), plain(&other.body).trim().to_owned());
    let open = platform.notices(call)?.all.into_iter().filter(|other| other.closed.is_none());
    let offers = |other: &Notice| other.actions.iter().any(|offered| offered.label == action.label);
    if open.filter(|other| looks(other) == looks(notice) && offers(other)).count() > 1 {
        return Err(twins());
    }
    let application = server_application(platform, call, &notice.id.server)?;
    let mut buttons = Vec::new();
    for window in platform.windows(call, std::slice::from_ref(&application))?.items {
        if window.object.is_none() {
            continue;
        }
        let observation = platform.observe(call, &application, &window, &ObserveRequest::default())?;
        buttons.extend(matching(&observation, notice, action));
    }
    match buttons.as_slice() {
        [(object, press)] => platform.perform(call, object, &Operation::Press { action: press.clone() }),
        [] => Err(impossible("its popup has gone from the screen, or cannot be read".to_owned())),
        _ => Err(twins()),
    }
}

fn twins() -> Error {
    Error::new(Code::AmbiguousTarget, "several notifications look the same, and so do their buttons")
        .kind("notification_twins")
        .suggest("dismiss the others first")
}

/// The server as an application whose windows can be read.
fn server_application(platform: &LinuxPlatform, call: &Call<'_>, server: &str) -> Result<Application> {
    let (bus, _) = platform.notification_bus(call)?;
    let asked = ask(bus, (DAEMON.0, DAEMON.1, DAEMON.2, "GetConnectionUnixProcessID"), &server);
    let pid: u32 = platform.run(call, asked)?.map_err(|_| gone())?;
    let found = platform.applications(call)?.items.into_iter().find(|application| application.process.pid == pid);
    found.ok_or_else(|| impossible("the notification server publishes no accessibility tree".to_owned()))
}

/// The button of this action in a popup that says what the notification says, with the name of its press.
fn matching(
    observation: &Observation,
    notice: &Notice,
    action: &NoticeAction,
) -> Vec<(surehand_core::object::ObjectId, String)> {
    let says = |text: &str| {
        observation.nodes.iter().any(|node| {
            let shown = |shown: &str| shown.trim() == text.trim();
            node.name.text().is_some_and(shown) || node.value().as_deref().is_some_and(shown)
        })
    };
    if !says(&notice.title) || !(notice.body.trim().is_empty() || says(&plain(&notice.body))) {
        return Vec::new();
    }
    observation
        .nodes
        .iter()
        .filter(|node| node.role == Role::Button && node.name.text() == Some(action.label.as_str()))
        .filter_map(|node| Some((node.object.clone(), node.affordances.press.known()?.clone())))
        .collect()
}

/// A text as it is shown: bodies may carry a little markup.
fn plain(body: &str) -> String {
    let mut text = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        match rest[at..].find('>') {
            Some(end) => rest = &rest[at + end + 1..],
            None => {
                text.push_str(&rest[at..]);
                rest = "";
            }
        }
    }
    text.push_str(rest);
    for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")] {
        text = text.replace(entity, character);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn markup_is_not_shown() {
        assert_eq!(plain("<b>1 &lt; 2</b> &amp;amp; <a href=\"x\">y</a>"), "1 < 2 &amp; y");
        assert_eq!(plain("a < b"), "a < b");
    }
}
