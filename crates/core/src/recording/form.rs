//! The form of version 1: types of their own, so that what core works with can change while files stay as they are.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{FORMAT, Header, Recording, VERSION};
use crate::geometry::Rect;
use crate::node::{Affordances, Content, Node, Orientation, TextAccess};
use crate::object::{Application, ObjectId, Process};
use crate::platform::ObserveRequest;
use crate::reading::Reading;
use crate::role::Role;
use crate::state::States;
use crate::tree::{Gap, GapReason, Observation};
use crate::window::Window;

/// One file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u32,
    request: RequestForm,
    application: Application,
    window: WindowForm,
    #[serde(default)]
    gaps: Vec<GapForm>,
    #[serde(default)]
    kinds: Vec<Fields>,
    #[serde(default)]
    above: Vec<Fields>,
    nodes: Vec<Fields>,
}

/// The fields of a [`NodeForm`], those that many elements share being in one of the `kinds`, which `kind` names.
type Fields = Map<String, Value>;

const KIND: &str = "kind";

/// The fields of which hardly two elements have the same, where they say anything.
const OWN: &[&str] = &[
    "object",
    "owner",
    "name",
    "description",
    "native_id",
    "placeholder",
    "content",
    "bounds",
    "child_count",
    "parent",
];

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<ObjectId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    max_nodes: usize,
    max_text: usize,
    max_string: usize,
    max_children: u64,
    page: u64,
    #[serde(default, skip_serializing_if = "is_false")]
    bounds: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WindowForm {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    other_id: Option<String>,
    title: String,
    app_name: String,
    process: Process,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    object: Option<ObjectId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    native: Option<u64>,
    #[serde(default, skip_serializing_if = "Reading::is_unknown", with = "answer")]
    bounds: Reading<Rect>,
    #[serde(default, skip_serializing_if = "Reading::is_unknown", with = "answer")]
    frame: Reading<Rect>,
    #[serde(default, skip_serializing_if = "Reading::is_unknown", with = "answer")]
    focused: Reading<bool>,
    #[serde(default, skip_serializing_if = "Reading::is_unknown", with = "answer")]
    minimized: Reading<bool>,
    #[serde(default, skip_serializing_if = "Reading::is_unknown", with = "answer")]
    maximized: Reading<bool>,
    #[serde(default, skip_serializing_if = "Reading::is_unknown", with = "answer")]
    visible: Reading<bool>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GapForm {
    reason: GapReason,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    node: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    missing: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    columns: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeForm {
    object: String,
    /// Where it is not the application's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    role: Role,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    native_role: String,
    #[serde(default, skip_serializing_if = "Reading::is_unknown", with = "answer")]
    name: Reading<String>,
    #[serde(default, skip_serializing_if = "Reading::is_unknown", with = "answer")]
    description: Reading<String>,
    #[serde(default, skip_serializing_if = "Reading::is_unknown", with = "answer")]
    native_id: Reading<String>,
    #[serde(default, skip_serializing_if = "Reading::is_unknown", with = "answer")]
    placeholder: Reading<String>,
    #[serde(default, skip_serializing_if = "Reading::is_unknown", with = "answer")]
    content: Reading<ContentForm>,
    #[serde(default, skip_serializing_if = "Reading::is_unknown", with = "answer")]
    states: Reading<States>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    press: Option<String>,
    /// Whether it could not be read what it offers.
    #[serde(default, skip_serializing_if = "is_false")]
    press_unread: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    withheld: bool,
    #[serde(default, skip_serializing_if = "TextForm::is_none")]
    text: TextForm,
    #[serde(default, skip_serializing_if = "is_false")]
    number: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    step: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    orientation: Option<Orientation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    menu: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expand: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    collapse: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    choose: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    focus: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    scroll_to: bool,
    #[serde(default, skip_serializing_if = "Reading::is_unknown", with = "answer")]
    bounds: Reading<Rect>,
    #[serde(default, skip_serializing_if = "Reading::is_unknown", with = "answer")]
    child_count: Reading<u64>,
    #[serde(default, skip_serializing_if = "is_false")]
    recycles: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum ContentForm {
    Text {
        text: String,
        #[serde(default, skip_serializing_if = "is_false")]
        clipped: bool,
    },
    Number {
        #[serde(with = "exact")]
        number: f64,
        #[serde(with = "exact")]
        minimum: f64,
        #[serde(with = "exact")]
        maximum: f64,
    },
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TextForm {
    #[default]
    None,
    Read,
    Edit,
    Broken(String),
}

impl TextForm {
    fn is_none(&self) -> bool {
        matches!(self, TextForm::None)
    }
}

// serde passes references.
fn is_false(value: &bool) -> bool {
    !value
}

/// The three answers: a value, `null` for what is absent, and no field at all for what is not known.
mod answer {
    use super::{Deserialize, Reading, Serialize};

    pub(super) fn serialize<T: Serialize, S: serde::Serializer>(
        answer: &Reading<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        answer.known().serialize(serializer)
    }

    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Reading<T>, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Reading::Absent, Reading::Known))
    }
}

/// Numbers as text: JSON has none that are infinite, and not every reader keeps the last digit of the others.
mod exact {
    use super::{Cow, Deserialize};

    pub(super) fn serialize<S: serde::Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The text of a file, one element on a line, so that a difference between two files can be read.
pub(super) fn write(recording: &Recording) -> serde_json::Result<String> {
    let Observation { application, window, nodes, above, gaps } = &recording.observation;
    let owner = application.object.owner.as_str();
    let header = Header { format: FORMAT.to_owned(), version: VERSION };
    let mut kinds = Kinds::default();
    let mut packed = |nodes: &[Node]| -> serde_json::Result<Vec<String>> {
        nodes.iter().map(|node| serde_json::to_string(&kinds.pack(&NodeForm::of(node, owner))?)).collect()
    };
    let (above, nodes) = (packed(above)?, packed(nodes)?);
    let gaps: Vec<GapForm> = gaps.iter().map(GapForm::of).collect();
    let mut text = serde_json::to_string(&header)?;
    // The parts follow within the braces of the first.
    text.pop();
    for (name, part) in [
        ("request", serde_json::to_string(&RequestForm::of(&recording.request))?),
        ("application", serde_json::to_string(application)?),
        ("window", serde_json::to_string(&WindowForm::of(window))?),
        ("gaps", serde_json::to_string(&gaps)?),
        ("above", format!("[{}]", above.join(","))),
        ("kinds", format!("[\n{}\n]", kinds.0.join(",\n"))),
        ("nodes", format!("[\n{}\n]", nodes.join(",\n"))),
    ] {
        text += &format!(",\n\"{name}\":{part}");
    }
    text += "}\n";
    Ok(text)
}

/// The kinds that were met so far, as they are written. A menu of a thousand items has few.
#[derive(Default)]
struct Kinds(Vec<String>);

impl Kinds {
    fn pack(&mut self, node: &NodeForm) -> serde_json::Result<Fields> {
        let Value::Object(fields) = serde_json::to_value(node)? else { return Ok(Fields::new()) };
        let says_nothing = |value: &Value| value.is_null() || *value == 0;
        let is_own = |(name, value): &(String, Value)| {
            OWN.contains(&name.as_str()) && (name == "parent" || !says_nothing(value))
        };
        let (mut own, shared): (Fields, Fields) = fields.into_iter().partition(is_own);
        let shared = serde_json::to_string(&shared)?;
        let kind = self.0.iter().position(|known| *known == shared).unwrap_or_else(|| {
            self.0.push(shared);
            self.0.len() - 1
        });
        own.insert(KIND.to_owned(), Value::from(kind));
        Ok(own)
    }
}

/// The form of an element whose fields may be in part those of its kind; its own win.
fn unpack(mut own: Fields, kinds: &[Fields]) -> Result<NodeForm, String> {
    let mut fields = match own.remove(KIND) {
        None => Fields::new(),
        Some(kind) => {
            let kind = kind.as_u64().and_then(|kind| kinds.get(usize::try_from(kind).ok()?));
            kind.ok_or("an element is of a kind that is missing")?.clone()
        }
    };
    fields.extend(own);
    NodeForm::deserialize(Value::Object(fields)).map_err(|fault| fault.to_string())
}

/// Reads the text of a file; the error says what is wrong with it.
pub(super) fn read(text: &str) -> Result<Recording, String> {
    let file: File = serde_json::from_str(text).map_err(|fault| fault.to_string())?;
    let owner = file.application.object.owner.clone();
    let mut nodes: Vec<Node> = Vec::with_capacity(file.nodes.len());
    for (index, fields) in file.nodes.into_iter().enumerate() {
        let node = unpack(fields, &file.kinds)?.node(&owner);
        match node.parent {
            None if index == 0 => {}
            // Document order: parents come before their children, so this also rules out circles.
            Some(parent) if parent < index => {
                if let Some(parent) = nodes.get_mut(parent) {
                    parent.children.push(index);
                }
            }
            _ => return Err(format!("element {index} hangs below none before it")),
        }
        nodes.push(node);
    }
    let above = file.above.into_iter().map(|fields| Ok(unpack(fields, &file.kinds)?.node(&owner)));
    let above = above.collect::<Result<Vec<Node>, String>>()?;
    let gaps: Vec<Gap> = file.gaps.into_iter().map(GapForm::gap).collect();
    if nodes.is_empty() || gaps.iter().any(|gap| gap.node.is_some_and(|node| node >= nodes.len())) {
        return Err("an element is missing".to_owned());
    }
    Ok(Recording {
        request: file.request.request(),
        observation: Observation { application: file.application, window: file.window.window(), nodes, above, gaps },
    })
}

impl RequestForm {
    fn of(request: &ObserveRequest) -> Self {
        let ObserveRequest { root, offset, max_nodes, max_text, max_string, max_children, page, bounds } =
            request.clone();
        RequestForm { root, offset, max_nodes, max_text, max_string, max_children, page, bounds }
    }

    fn request(self) -> ObserveRequest {
        let RequestForm { root, offset, max_nodes, max_text, max_string, max_children, page, bounds } = self;
        ObserveRequest { root, offset, max_nodes, max_text, max_string, max_children, page, bounds }
    }
}

impl WindowForm {
    fn of(window: &Window) -> Self {
        let Window {
            id,
            other_id,
            title,
            app_name,
            process,
            object,
            native,
            bounds,
            frame,
            focused,
            minimized,
            maximized,
            visible,
        } = window.clone();
        WindowForm {
            id,
            other_id,
            title,
            app_name,
            process,
            object,
            native,
            bounds,
            frame,
            focused,
            minimized,
            maximized,
            visible,
        }
    }

    fn window(self) -> Window {
        let WindowForm {
            id,
            other_id,
            title,
            app_name,
            process,
            object,
            native,
            bounds,
            frame,
            focused,
            minimized,
            maximized,
            visible,
        } = self;
        Window {
            id,
            other_id,
            title,
            app_name,
            process,
            object,
            native,
            bounds,
            frame,
            focused,
            minimized,
            maximized,
            visible,
        }
    }
}

impl GapForm {
    fn of(gap: &Gap) -> Self {
        let Gap { reason, node, missing, from, next, columns } = *gap;
        GapForm { reason, node, missing, from, next, columns }
    }

    fn gap(self) -> Gap {
        let GapForm { reason, node, missing, from, next, columns } = self;
        Gap { reason, node, missing, from, next, columns }
    }
}

impl NodeForm {
    fn of(node: &Node, owner: &str) -> Self {
        // Named one by one, so that a new field of a node is not forgotten here.
        let Node {
            object,
            role,
            native_role,
            name,
            description,
            native_id,
            placeholder,
            content,
            states,
            affordances:
                Affordances {
                    press,
                    withheld,
                    text,
                    number,
                    step,
                    orientation,
                    menu,
                    expand,
                    collapse,
                    choose,
                    focus,
                    scroll_to,
                },
            bounds,
            child_count,
            recycles,
            parent,
            children: _,
        } = node.clone();
        NodeForm {
            owner: (object.owner != owner).then_some(object.owner),
            object: object.object,
            role,
            native_role,
            name,
            description,
            native_id,
            placeholder,
            content: content.map(|content| match content {
                Content::Text { text, clipped } => ContentForm::Text { text, clipped },
                Content::Number { current, minimum, maximum } => {
                    ContentForm::Number { number: current, minimum, maximum }
                }
            }),
            states,
            press_unread: press.is_unknown(),
            press: press.known().cloned(),
            withheld,
            text: match text {
                TextAccess::None => TextForm::None,
                TextAccess::Read => TextForm::Read,
                TextAccess::Edit => TextForm::Edit,
                TextAccess::Broken(why) => TextForm::Broken(why.into_owned()),
            },
            number,
            // A number that has no JSON form is no step anybody could take.
            step: step.filter(|step| step.is_finite()),
            orientation,
            menu,
            expand,
            collapse,
            choose,
            focus,
            scroll_to,
            bounds,
            child_count,
            recycles,
            parent,
        }
    }

    /// The node without its children.
    fn node(self, owner: &str) -> Node {
        Node {
            object: ObjectId { owner: self.owner.unwrap_or_else(|| owner.to_owned()), object: self.object },
            role: self.role,
            native_role: self.native_role,
            name: self.name,
            description: self.description,
            native_id: self.native_id,
            placeholder: self.placeholder,
            content: self.content.map(|content| match content {
                ContentForm::Text { text, clipped } => Content::Text { text, clipped },
                ContentForm::Number { number, minimum, maximum } => {
                    Content::Number { current: number, minimum, maximum }
                }
            }),
            states: self.states,
            affordances: Affordances {
                press: match self.press {
                    Some(action) => Reading::Known(action),
                    None if self.press_unread => Reading::Unknown,
                    None => Reading::Absent,
                },
                withheld: self.withheld,
                text: match self.text {
                    TextForm::None => TextAccess::None,
                    TextForm::Read => TextAccess::Read,
                    TextForm::Edit => TextAccess::Edit,
                    TextForm::Broken(why) => TextAccess::Broken(Cow::Owned(why)),
                },
                number: self.number,
                step: self.step,
                orientation: self.orientation,
                menu: self.menu,
                expand: self.expand,
                collapse: self.collapse,
                choose: self.choose,
                focus: self.focus,
                scroll_to: self.scroll_to,
            },
            bounds: self.bounds,
            child_count: self.child_count,
            recycles: self.recycles,
            parent: self.parent,
            children: Vec::new(),
        }
    }
}
