//! Reading what elements are and hold.
//!
//! The skeleton of a tree (who is whose child, role, name, states) comes from [`crate::tree`]. Here the rest
//! is asked for, and only where it can matter: a label has no actions, and a separator no value. Everything
//! that is asked in one step goes out together.

use std::collections::HashMap;
use std::time::Duration;

use atspi::{Interface, InterfaceSet, RelationType, State as NativeState};
use surehand_core::geometry::Rect;
use surehand_core::name::{self, NameSlots};
use surehand_core::node::{Affordances, Content, Node, Orientation, TextAccess};
use surehand_core::object::ObjectId;
use surehand_core::platform::ObserveRequest;
use surehand_core::reading::Reading;
use surehand_core::role::Role;
use surehand_core::secret;
use surehand_core::text::{clip, fingerprint};

use crate::app::NativeRef;
use crate::connect::Link;
use crate::error::Fault;
use crate::roles;
use crate::states::{self, NativeStates};
use crate::toolkit::Toolkit;
use crate::wire::{ATSPI, Answer, Ask, body, property};

/// More actions than this on one element are not looked through.
const MAX_ACTIONS: i32 = 16;

/// An element of the skeleton.
#[derive(Debug, Clone)]
pub(crate) struct Raw {
    pub(crate) path: String,
    pub(crate) role: Reading<u32>,
    pub(crate) name: Reading<String>,
    pub(crate) description: Reading<String>,
    pub(crate) states: Reading<NativeStates>,
    pub(crate) interfaces: Reading<InterfaceSet>,
    pub(crate) child_count: Reading<u64>,
    pub(crate) parent: Option<usize>,
    pub(crate) children: Vec<usize>,
    /// Whether its name or its description was cut, or not kept at all, because it is too long.
    pub(crate) cut: bool,
}

impl Raw {
    pub(crate) fn new(path: String) -> Self {
        Raw {
            path,
            role: Reading::Unknown,
            name: Reading::Unknown,
            description: Reading::Unknown,
            states: Reading::Unknown,
            interfaces: Reading::Unknown,
            child_count: Reading::Unknown,
            parent: None,
            children: Vec::new(),
            cut: false,
        }
    }

    /// A name or a description as it came, cut where it is too long to keep a thousand of.
    pub(crate) fn text(&mut self, answer: Result<String, Fault>) -> Reading<String> {
        self.cut |= answer == Err(Fault::TooLarge);
        text_reading(answer).map(|text| {
            let (text, cut) = kept(&text);
            self.cut |= cut;
            text
        })
    }

    pub(crate) fn has(&self, interface: Interface) -> bool {
        self.interfaces.known().is_some_and(|interfaces| interfaces.contains(interface))
    }

    pub(crate) fn native(&self, state: NativeState) -> bool {
        self.states.known().is_some_and(|states| states.has(state))
    }
}

/// No name or description is kept longer than this while a window is read, in bytes.
const LONGEST: usize = 64 << 10;

/// What is left of each name and description once all together are longer than the request allows, in bytes.
const SHORTEST: usize = 256;

/// What stands before the length and the fingerprint of a text that was cut.
const CUT: &str = "\u{2026} [";

/// A text cut to so many bytes, with its length and a fingerprint behind it, and whether it was. Two texts that begin
/// alike are still two: what was cut stays part of the identity.
fn shorten(text: &str, max: usize) -> (String, bool) {
    match clip(text, max) {
        (kept, true) => (format!("{kept}{CUT}{} bytes, {:016x}]", text.len(), fingerprint([text])), true),
        (kept, false) => (kept.to_owned(), false),
    }
}

/// What is kept of a name or a description, and whether it was cut.
pub(crate) fn kept(text: &str) -> (String, bool) {
    shorten(text, LONGEST)
}

/// How many asks [`skeleton_asks`] makes for one object.
pub(crate) const SKELETON_ASKS: usize = 6;

/// Asks for the skeleton of one object. The count of children comes before the children: some containers
/// have two thousand million.
pub(crate) fn skeleton_asks(link: &Link, path: &str) -> [Ask; SKELETON_ASKS] {
    let accessible = format!("{ATSPI}Accessible");
    let peer = &link.read;
    [
        peer.get(path, &accessible, "Name"),
        peer.get(path, &accessible, "Description"),
        peer.call(path, &accessible, "GetRole", &()),
        peer.call(path, &accessible, "GetState", &()),
        peer.call(path, &accessible, "GetInterfaces", &()),
        peer.get(path, &accessible, "ChildCount"),
    ]
}

/// Takes the answers to [`skeleton_asks`]. The fault is that of the role, which every object has.
pub(crate) fn take_skeleton(raw: &mut Raw, answers: &mut impl Iterator<Item = Answer>) -> Result<(), Fault> {
    let mut next = || answers.next().unwrap_or(Err(Fault::Malformed));
    raw.name = raw.text(property(next()));
    raw.description = raw.text(property(next()));
    let role: Result<u32, Fault> = body(next());
    raw.states = reading(body::<Vec<u32>>(next())).map(|words| NativeStates::from_words(&words));
    raw.interfaces = reading(body::<Vec<String>>(next())).map(|names| interfaces(&names));
    raw.child_count = reading(property::<i32>(next())).map(|count| u64::try_from(count).unwrap_or(0));
    raw.role = reading(role.clone());
    role.map(|_| ())
}

/// The interfaces by their names; names that `atspi` does not know say nothing to us.
pub(crate) fn interfaces(names: &[String]) -> InterfaceSet {
    const KNOWN: &[(&str, Interface)] = &[
        ("Accessible", Interface::Accessible),
        ("Action", Interface::Action),
        ("Application", Interface::Application),
        ("Collection", Interface::Collection),
        ("Component", Interface::Component),
        ("Document", Interface::Document),
        ("EditableText", Interface::EditableText),
        ("Selection", Interface::Selection),
        ("Table", Interface::Table),
        ("TableCell", Interface::TableCell),
        ("Text", Interface::Text),
        ("Value", Interface::Value),
    ];
    names
        .iter()
        .filter_map(|name| name.strip_prefix(ATSPI))
        .filter_map(|name| KNOWN.iter().find(|(known, _)| *known == name).map(|(_, interface)| *interface))
        .collect()
}

/// What one ask was for.
enum Field {
    Actions,
    ActionCount,
    ActionName,
    NativeId,
    Attributes,
    Relations,
    Characters,
    Current,
    Minimum,
    Maximum,
    Step,
    Chosen,
    Extents,
}

/// What was learned about one element besides its skeleton.
#[derive(Default)]
struct Extra {
    actions: Vec<String>,
    /// Whether there are, or may be, actions that were not read.
    actions_unread: bool,
    native_id: Reading<String>,
    placeholder: Reading<String>,
    labels: Reading<String>,
    label_paths: Vec<String>,
    characters: Option<i32>,
    text: Reading<Content>,
    number: [Option<f64>; 3],
    step: Option<f64>,
    /// What is chosen in it.
    chosen_path: Option<String>,
    chosen: Reading<String>,
    bounds: Reading<Rect>,
}

/// How reading went beside what was read.
pub(crate) struct Completed {
    /// The nodes, one for each of the skeleton, in its order.
    pub(crate) nodes: Vec<Node>,
    /// Indices of nodes whose text was cut to the budget.
    pub(crate) clipped: Vec<usize>,
    /// Whether the time ran out.
    pub(crate) late: bool,
}

/// Makes nodes of a skeleton by asking for what it does not tell.
pub(crate) async fn complete(
    link: &Link,
    raws: &[Raw],
    object: impl Fn(&str) -> ObjectId,
    request: &ObserveRequest,
    span: Duration,
) -> Completed {
    let started = tokio::time::Instant::now();
    let left = || span.saturating_sub(started.elapsed());
    let mut extras: Vec<Extra> = raws.iter().map(|_| Extra::default()).collect();
    let mut late = false;

    let mut asks = Vec::new();
    let mut fields = Vec::new();
    for (index, raw) in raws.iter().enumerate() {
        for (field, ask) in first_asks(link, raw, request, &mut extras[index]) {
            fields.push((index, field));
            asks.push(ask);
        }
    }
    let mut named = Vec::new();
    for ((index, field), answer) in fields.iter().zip(link.read.batch_within(asks, left()).await) {
        late |= matches!(answer, Err(Fault::NoAnswer));
        if let Field::ActionCount = field {
            // The first one has been asked for already, and almost always it is the one that counts.
            let (count, all) = action_count(answer);
            extras[*index].actions_unread |= !all;
            if all && count == 0 {
                // That the first one could not be read says nothing: there is none.
                (extras[*index].actions, extras[*index].actions_unread) = (Vec::new(), false);
            } else if !presses(link.toolkit, &raws[*index], &extras[*index]) {
                named.extend((1..count).map(|action| (*index, action)));
            }
        } else {
            take(&mut extras[*index], field, answer, link.toolkit);
        }
    }

    // The second step: what could only be asked once the first was answered.
    let mut asks = Vec::new();
    let mut fields = Vec::new();
    for (index, action) in named {
        fields.push((index, Field::ActionName));
        asks.push(link.read.call(&raws[index].path, &format!("{ATSPI}Action"), "GetName", &(action,)));
    }
    let mut label_of: HashMap<&str, Reading<String>> = HashMap::new();
    for path in extras.iter().flat_map(|extra| extra.label_paths.iter().chain(&extra.chosen_path)) {
        label_of.entry(path).or_default();
    }
    let known: HashMap<&str, &Raw> = raws.iter().map(|raw| (raw.path.as_str(), raw)).collect();
    let mut unknown_labels = Vec::new();
    for (path, label) in &mut label_of {
        match known.get(path) {
            Some(raw) => *label = raw.name.clone(),
            None => unknown_labels.push(*path),
        }
    }
    let label_asks =
        unknown_labels.iter().map(|path| link.read.get(path, &format!("{ATSPI}Accessible"), "Name")).collect();
    for (path, answer) in unknown_labels.iter().zip(link.read.batch_within(label_asks, left()).await) {
        late |= matches!(answer, Err(Fault::NoAnswer));
        label_of.insert(path, text_reading(property(answer)));
    }
    let joined: Vec<Reading<String>> = extras.iter().map(|extra| joined(&extra.label_paths, &label_of)).collect();
    let chosen_of = |extra: &Extra| {
        let path = extra.chosen_path.as_deref()?;
        label_of.get(path).cloned()
    };
    let chosen: Vec<Option<Reading<String>>> = extras.iter().map(chosen_of).collect();
    for (extra, chosen) in extras.iter_mut().zip(chosen) {
        extra.chosen = chosen.unwrap_or_default();
    }
    for (extra, labels) in extras.iter_mut().zip(joined).filter(|(extra, _)| !extra.label_paths.is_empty()) {
        extra.labels = labels;
    }

    // The third step: texts, last, because what labels a field can say that its text is a secret.
    let mut clipped = Vec::new();
    let mut text_left = request.max_text;
    for (index, extra) in extras.iter().enumerate() {
        let Some(count) = extra.characters else { continue };
        if is_secret(&raws[index], extra, link.toolkit) {
            continue;
        }
        let wanted = usize::try_from(count).unwrap_or(0).min(request.max_string);
        if wanted > text_left {
            clipped.push(index);
            continue;
        }
        text_left -= wanted;
        fields.push((index, Field::Characters));
        let end = i32::try_from(wanted).unwrap_or(i32::MAX);
        asks.push(link.read.call(&raws[index].path, &format!("{ATSPI}Text"), "GetText", &(0i32, end)));
    }
    let answers = link.read.batch_within(asks, left()).await;
    for ((index, field), answer) in fields.iter().zip(answers) {
        late |= matches!(answer, Err(Fault::NoAnswer));
        match field {
            Field::Characters => {
                let count = extras[*index].characters.unwrap_or(0);
                let text = body::<String>(answer);
                if text.as_deref().is_ok_and(is_embedded) {
                    continue;
                }
                extras[*index].text = reading(text).map(|text| {
                    let (kept, cut) = clip(&text, request.max_string);
                    let clipped = cut || usize::try_from(count).unwrap_or(0) > request.max_string;
                    Content::Text { text: kept.to_owned(), clipped }
                });
            }
            field => take(&mut extras[*index], field, answer, link.toolkit),
        }
    }

    let mut nodes = Vec::with_capacity(raws.len());
    let mut labels_left = request.max_text;
    for (index, (raw, extra)) in raws.iter().zip(extras).enumerate() {
        let max = if labels_left > 0 { request.max_string } else { SHORTEST };
        let (mut node, cut) = node(raw, extra, link.toolkit, object(&raw.path), max);
        let labels = [&node.name, &node.description, &node.native_id, &node.placeholder];
        let length: usize = labels.iter().filter_map(|label| label.text()).map(str::len).sum();
        labels_left = labels_left.saturating_sub(length);
        // The table of a spreadsheet makes its cells on demand, and each stays that of its place.
        let parent = raw.parent.and_then(|parent| raws.get(parent)).and_then(|parent| parent.role.known());
        node.recycles &= !parent.is_some_and(|role| roles::is_spreadsheet(*role));
        if cut {
            clipped.push(index);
        }
        nodes.push(node);
    }
    clipped.sort_unstable();
    clipped.dedup();
    Completed { nodes, clipped, late }
}

/// Whether one of the actions that are known activates the element.
fn presses(toolkit: Toolkit, raw: &Raw, extra: &Extra) -> bool {
    raw.role.known().is_some_and(|role| toolkit.press(&extra.actions, roles::role(*role).0).is_some())
}

/// What can be asked of an element once its skeleton is known.
fn first_asks(link: &Link, raw: &Raw, request: &ObserveRequest, extra: &mut Extra) -> Vec<(Field, Ask)> {
    let peer = &link.read;
    let path = raw.path.as_str();
    let mut asks = Vec::new();
    // What was not said to be there cannot be asked.
    extra.actions_unread = raw.role.is_unknown() || raw.interfaces.is_unknown();
    let Reading::Known(number) = raw.role else { return asks };
    let role = role_of(raw, number, link.toolkit);
    let secret = roles::is_secret(number);
    let interactive = role.is_interactive() || raw.has(Interface::Action) || raw.has(Interface::EditableText);
    if raw.has(Interface::Action) && !role.holds_text() {
        let action = format!("{ATSPI}Action");
        if link.toolkit.lists_actions() {
            asks.push((Field::Actions, peer.call(path, &action, "GetActions", &())));
        } else {
            asks.push((Field::ActionName, peer.call(path, &action, "GetName", &(0i32,))));
            asks.push((Field::ActionCount, peer.get(path, &action, "NActions")));
        }
    }
    if raw.has(Interface::Text) && holds_text(raw, role) && !secret {
        asks.push((Field::Characters, peer.get(path, &format!("{ATSPI}Text"), "CharacterCount")));
    }
    if raw.has(Interface::Value) && (role.is_range() || role == Role::ProgressBar) {
        let value = format!("{ATSPI}Value");
        asks.push((Field::Current, peer.get(path, &value, "CurrentValue")));
        asks.push((Field::Minimum, peer.get(path, &value, "MinimumValue")));
        asks.push((Field::Maximum, peer.get(path, &value, "MaximumValue")));
        if role == Role::ScrollBar {
            asks.push((Field::Step, peer.get(path, &value, "MinimumIncrement")));
        }
    }
    if role == Role::ComboBox && raw.has(Interface::Selection) && link.toolkit.chooses(role) {
        asks.push((Field::Chosen, peer.call(path, &format!("{ATSPI}Selection"), "GetSelectedChild", &(0i32,))));
    }
    extra.labels = Reading::Absent;
    if interactive {
        let accessible = format!("{ATSPI}Accessible");
        if link.toolkit.id_is_attribute() || role == Role::TextField {
            asks.push((Field::Attributes, peer.call(path, &accessible, "GetAttributes", &())));
        } else {
            extra.placeholder = Reading::Absent;
        }
        if !link.toolkit.id_is_attribute() {
            if link.toolkit.has_accessible_id() {
                asks.push((Field::NativeId, peer.get(path, &accessible, "AccessibleId")));
            } else {
                extra.native_id = Reading::Absent;
            }
        }
        let no_name = link.toolkit.names_by_value(role)
            || raw.name.known().is_none_or(|name| link.toolkit.is_made_up(name, role)) && !raw.name.is_unknown();
        if no_name && role != Role::MenuItem {
            extra.labels = Reading::Unknown;
            asks.push((Field::Relations, peer.call(path, &accessible, "GetRelationSet", &())));
        }
    }
    if request.bounds && raw.has(Interface::Component) {
        let coordinates = link.toolkit.coordinates();
        asks.push((Field::Extents, peer.call(path, &format!("{ATSPI}Component"), "GetExtents", &(coordinates,))));
    }
    asks
}

/// How many actions are to be looked through, and whether these are all there are.
fn action_count(answer: Answer) -> (i32, bool) {
    match property::<i32>(answer) {
        Ok(count) => (count.clamp(0, MAX_ACTIONS), (0..=MAX_ACTIONS).contains(&count)),
        Err(_) => (0, false),
    }
}

/// The action that activates the element, as far as its actions could be read.
fn press(toolkit: Toolkit, extra: &Extra, role: Role) -> Reading<String> {
    match toolkit.press(&extra.actions, role) {
        Some(action) => Reading::Known(action),
        None if extra.actions_unread => Reading::Unknown,
        None => Reading::Absent,
    }
}

fn take(extra: &mut Extra, field: &Field, answer: Answer, toolkit: Toolkit) {
    match field {
        Field::Actions => match body::<Vec<(String, String, String)>>(answer) {
            Ok(actions) => extra.actions = actions.into_iter().map(|(name, _, _)| name).collect(),
            Err(_) => extra.actions_unread = true,
        },
        Field::ActionName => match body(answer) {
            Ok(name) => extra.actions.push(name),
            Err(_) => extra.actions_unread = true,
        },
        Field::NativeId => {
            extra.native_id = match property::<String>(answer) {
                Ok(id) => Reading::of_text(id),
                // The application answered that it has no such property.
                Err(Fault::Refused(_) | Fault::NoSuchObject) => Reading::Absent,
                Err(_) => Reading::Unknown,
            }
        }
        Field::Attributes => {
            let attributes = reading(body::<HashMap<String, String>>(answer));
            let of = |key: &str| match &attributes {
                Reading::Known(attributes) => Reading::of_text(attributes.get(key).cloned().unwrap_or_default()),
                Reading::Absent => Reading::Absent,
                Reading::Unknown => Reading::Unknown,
            };
            extra.placeholder = match of("placeholder-text") {
                Reading::Absent => of("placeholder"),
                other => other,
            };
            if toolkit.id_is_attribute() {
                extra.native_id = of("id");
            }
        }
        Field::Relations => match body::<Vec<(u32, Vec<NativeRef>)>>(answer) {
            Ok(relations) => {
                extra.label_paths = relations
                    .into_iter()
                    .filter(|(kind, _)| *kind == RelationType::LabelledBy as u32)
                    .flat_map(|(_, targets)| targets)
                    .map(|(_, path)| path.to_string())
                    .take(8)
                    .collect();
                extra.labels = Reading::Absent;
            }
            Err(_) => extra.labels = Reading::Unknown,
        },
        Field::Characters => extra.characters = property::<i32>(answer).ok(),
        Field::Current => extra.number[0] = property(answer).ok(),
        Field::Minimum => extra.number[1] = property(answer).ok(),
        Field::Maximum => extra.number[2] = property(answer).ok(),
        Field::Step => extra.step = property(answer).ok(),
        Field::Chosen => {
            let chosen: Option<NativeRef> = body(answer).ok();
            extra.chosen_path = chosen.map(|(_, path)| path.to_string()).filter(|path| path != crate::skeleton::NULL);
        }
        Field::Extents => extra.bounds = rect(&body(answer)),
        Field::ActionCount => {}
    }
}

/// Builds the node, and says whether a text had to be cut.
fn node(raw: &Raw, extra: Extra, toolkit: Toolkit, object: ObjectId, max: usize) -> (Node, bool) {
    let mut cut = raw.cut;
    let mut short = |text: Reading<String>| {
        text.map(|text| match text.rfind(CUT).filter(|_| raw.cut).map(|at| text.split_at(at)) {
            // Cut when it came.
            Some((kept, mark)) if kept.len() > max => format!("{}{mark}", clip(kept, max).0),
            Some(_) => text,
            None => {
                let (text, clipped) = shorten(&text, max);
                cut |= clipped;
                text
            }
        })
    };
    let number = raw.role.known().copied();
    let (mut role, native_role) = number.map_or((Role::Unknown, String::new()), roles::role);
    if let Some(number) = number {
        role = role_of(raw, number, toolkit);
    }
    let secret = is_secret(raw, &extra, toolkit);
    let press = press(toolkit, &extra, role);
    let description = short(raw.description.clone());
    let named_by_value = toolkit.names_by_value(role);
    let own = match raw.name.known() {
        Some(name) if named_by_value || toolkit.is_made_up(name, role) => Reading::Absent,
        _ => raw.name.clone(),
    };
    let slots = NameSlots { own: short(own), labels: short(extra.labels), description: description.clone() };
    let interfaces = raw.interfaces.known().copied().unwrap_or_else(InterfaceSet::empty);
    let text = if !holds_text(raw, role)
        || !interfaces.contains(Interface::Text) && !interfaces.contains(Interface::EditableText)
    {
        TextAccess::None
    } else if !interfaces.contains(Interface::EditableText) {
        TextAccess::Read
    } else {
        toolkit.broken_editing().map_or(TextAccess::Edit, |why| TextAccess::Broken(why.into()))
    };
    let content = match extra.number {
        [Some(current), minimum, maximum] => Reading::Known(Content::Number {
            current,
            minimum: minimum.unwrap_or(f64::NEG_INFINITY),
            maximum: maximum.unwrap_or(f64::INFINITY),
        }),
        _ if named_by_value => short(raw.name.clone()).map(|text| Content::Text { text, clipped: false }),
        // A combo box that has no text of its own shows what is chosen in it.
        _ if extra.chosen.known().is_some() => {
            short(extra.chosen).map(|text| Content::Text { text: text.trim().to_owned(), clipped: false })
        }
        _ => extra.text,
    };
    // What can be folded says so; the action that does it is seldom named for that.
    let fold = |names: &[&str]| {
        let named = || extra.actions.iter().find(|action| names.iter().any(|name| action.eq_ignore_ascii_case(name)));
        raw.native(NativeState::Expandable)
            .then(|| named().cloned().or_else(|| press.known().cloned().filter(|_| toolkit.folds_by_press(role))))
            .flatten()
    };
    let orientation =
        [(NativeState::Horizontal, Orientation::Horizontal), (NativeState::Vertical, Orientation::Vertical)];
    let node = Node {
        object,
        role,
        native_role,
        name: name::compute(&slots),
        description,
        native_id: short(extra.native_id),
        placeholder: short(extra.placeholder),
        content,
        states: raw.states.map(|native| states::states(native, interfaces, role, secret, toolkit)),
        affordances: Affordances {
            expand: fold(&["expand", "expand or contract"]),
            collapse: fold(&["collapse", "expand or contract"]),
            menu: toolkit.menu(&extra.actions),
            press,
            withheld: toolkit.withholds_actions(),
            text,
            number: interfaces.contains(Interface::Value) && toolkit.sets_numbers(),
            step: extra.step,
            orientation: role
                .is_range()
                .then(|| orientation.iter().find(|(state, _)| raw.native(*state)).map(|(_, way)| *way))
                .flatten(),
            choose: interfaces.contains(Interface::Selection) && toolkit.chooses(role),
            focus: interfaces.contains(Interface::Component)
                && raw.native(NativeState::Focusable)
                && toolkit.takes_focus(),
            scroll_to: interfaces.contains(Interface::Component) && toolkit.scrolls_to(),
        },
        bounds: extra.bounds,
        child_count: raw.child_count,
        recycles: raw.native(NativeState::ManagesDescendants)
            && number.is_some_and(|number| !roles::keeps_children(number))
            && !(toolkit.keeps_list_box_rows() && number.is_some_and(roles::is_list_box))
            || matches!(toolkit, Toolkit::Gtk4 | Toolkit::Qt) && number.is_some_and(roles::may_recycle),
        parent: raw.parent,
        children: raw.children.clone(),
    };
    (node, cut)
}

/// What an element is. What has the number in a scroll bar of GTK 4 calls itself a filler.
fn role_of(raw: &Raw, number: u32, toolkit: Toolkit) -> Role {
    if toolkit == Toolkit::Gtk4 && roles::is_filler(number) && raw.has(Interface::Value) {
        return Role::ScrollBar;
    }
    roles::role(number).0
}

/// Whether its text is what it holds, and not what it is called: of fields, and of the paragraphs of a text
/// document and the cells of a sheet that can be edited.
fn holds_text(raw: &Raw, role: Role) -> bool {
    role.holds_text()
        || matches!(role, Role::Paragraph | Role::Heading | Role::Cell) && raw.native(NativeState::Editable)
}

/// Whether the element holds a secret: because its toolkit says so, or, where the toolkit does not tell,
/// because of what it is called.
fn is_secret(raw: &Raw, extra: &Extra, toolkit: Toolkit) -> bool {
    let Reading::Known(number) = raw.role else { return false };
    if roles::is_secret(number) {
        return true;
    }
    let texts = [&raw.name, &raw.description, &extra.labels, &extra.placeholder, &extra.native_id];
    let role = roles::role(number).0;
    // A field whose label was asked for and not told may be the one for the password.
    let untold = role == Role::TextField && (extra.labels.is_unknown() || extra.placeholder.is_unknown());
    !toolkit.tells_secrets()
        && role.holds_text()
        && (untold || secret::sounds_secret(texts.into_iter().filter_map(|text| text.text())))
}

/// The texts of the labels in their order; unknown if one of them is.
fn joined(paths: &[String], labels: &HashMap<&str, Reading<String>>) -> Reading<String> {
    let mut texts = Vec::new();
    for path in paths {
        match labels.get(path.as_str()) {
            Some(Reading::Known(text)) => texts.push(text.as_str()),
            Some(Reading::Absent) => {}
            Some(Reading::Unknown) | None => return Reading::Unknown,
        }
    }
    Reading::of_text(texts.join(" "))
}

/// Whether a text is nothing but places of other elements, as in a combo box of a browser. What it holds is
/// not known then; it is not the empty text.
fn is_embedded(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter == '\u{fffc}')
}

pub(crate) fn text_reading(answer: Result<String, Fault>) -> Reading<String> {
    match answer {
        Ok(text) => Reading::of_text(text),
        Err(_) => Reading::Unknown,
    }
}

fn reading<T>(answer: Result<T, Fault>) -> Reading<T> {
    match answer {
        Ok(value) => Reading::Known(value),
        Err(_) => Reading::Unknown,
    }
}

/// A place on the screen. Toolkits have their own ways to say "nowhere": huge negative corners, sizes below
/// zero.
pub(crate) fn rect(answer: &Result<(i32, i32, i32, i32), Fault>) -> Reading<Rect> {
    let &Ok((x, y, width, height)) = answer else { return Reading::Unknown };
    match (u32::try_from(width), u32::try_from(height)) {
        (Ok(width), Ok(height)) if x != i32::MIN && y != i32::MIN => Reading::Known(Rect { x, y, width, height }),
        _ => Reading::Absent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_begin_alike_are_still_two_when_they_are_cut() {
        let long = |end: &str| format!("{}{end}", "n".repeat(100));
        let (one, cut) = shorten(&long("1"), 50);
        let (other, _) = shorten(&long("2"), 50);
        assert!(cut && one != other && one.starts_with(&"n".repeat(50)) && one.contains("[101 bytes, "), "{one}");
        assert_eq!(shorten("short", 50), ("short".to_owned(), false));
    }

    #[test]
    fn actions_that_could_not_be_read_are_unknown_and_not_none() {
        let press_of = |fields: Vec<(Field, Answer)>, toolkit: Toolkit| {
            let mut extra = Extra::default();
            fields.into_iter().for_each(|(field, answer)| take(&mut extra, &field, answer, toolkit));
            press(toolkit, &extra, Role::Button)
        };
        let refused = || Err(Fault::Refused("x.y".to_owned()));
        for fault in [refused(), Err(Fault::Malformed), Err(Fault::NoAnswer), Err(Fault::Disconnected)] {
            assert_eq!(press_of(vec![(Field::Actions, fault.clone())], Toolkit::Gtk3), Reading::Unknown, "{fault:?}");
            assert_eq!(press_of(vec![(Field::ActionName, fault)], Toolkit::Chromium), Reading::Unknown);
        }
        assert_eq!(press_of(Vec::new(), Toolkit::Gtk3), Reading::Absent);
        assert_eq!(action_count(refused()), (0, false));
    }

    #[test]
    fn nowhere_is_no_place() {
        assert_eq!(rect(&Ok((i32::MIN, i32::MIN, 1, 1))), Reading::Absent);
        assert_eq!(rect(&Ok((-1, -1, -1, -1))), Reading::Absent);
        assert_eq!(rect(&Ok((-5, 7, 0, 3))), Reading::Known(Rect { x: -5, y: 7, width: 0, height: 3 }));
    }
}
