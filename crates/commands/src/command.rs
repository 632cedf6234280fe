//! What a command is.

use clap::ArgMatches;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use surehand_core::{Code, Error, Result};

use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::Outline;

/// What a command does to the world. Annotations of tools, journaling and policy follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Reads, and changes nothing but our own snapshots. Where accessibility is off in the session, the first reading
    /// switches it on.
    Observe,
    /// Changes an application through its accessibility interfaces or its window, or what the desktop keeps for all of
    /// them: the clipboard, notifications.
    Act,
    /// Sends what a keyboard or pointer would.
    Input,
    /// Starts an application.
    Launch,
    /// Changes files, as a plan says that was fixed before. The journal of the root tells of it.
    Files,
    /// Changes surehand itself: its processes, or what a person allows.
    Manage,
}

impl Effect {
    /// Whether it changes something outside surehand, so that it is journaled.
    pub const fn is_journaled(self) -> bool {
        !matches!(self, Effect::Observe | Effect::Files)
    }
}

/// Who a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Audience {
    /// Agents and people.
    Agent,
    /// People only: absent from MCP, batches, plans and the C library.
    Person,
}

/// The chapter of the reference a command stands in, and the set a tool profile picks by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// Looking at applications.
    Observation,
    /// Acting on elements.
    Interaction,
    /// The keyboard.
    Keyboard,
    /// The pointer.
    Mouse,
    /// Applications and windows.
    Applications,
    /// Notifications.
    Notifications,
    /// The clipboard.
    Clipboard,
    /// Plans of file actions: doing, and taking back.
    Files,
    /// Waiting.
    Wait,
    /// Sessions, traces and batches.
    Session,
    /// surehand itself and the desktops it makes.
    System,
}

/// How a command answers where no format is asked for and standard output is not a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Piped {
    /// The envelope.
    Json,
    /// Its text, because the text is what it is for: `eval "$(surehand desktop env)"`.
    Text,
}

/// What is fixed about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Spec {
    /// Its name; two words for a command of a family, as in `desktop start`.
    pub name: &'static str,
    /// The chapter it stands in.
    pub group: Group,
    /// What it does to the world.
    pub effect: Effect,
    /// Who it is for.
    pub audience: Audience,
    /// How it answers into a pipe.
    pub piped: Piped,
    /// Whether it runs a program in its place, so that signals are meant for that program.
    pub hands_over: bool,
}

impl Spec {
    /// A command for agents and people that answers with an envelope.
    pub const fn new(name: &'static str, group: Group, effect: Effect) -> Self {
        Spec { name, group, effect, audience: Audience::Agent, piped: Piped::Json, hands_over: false }
    }

    /// The same for people only.
    #[must_use]
    pub const fn for_person(self) -> Self {
        Spec { audience: Audience::Person, ..self }
    }

    /// The same with its text into a pipe.
    #[must_use]
    pub const fn as_text(self) -> Self {
        Spec { piped: Piped::Text, ..self }
    }

    /// The same for one that runs a program in its place.
    #[must_use]
    pub const fn handing_over(self) -> Self {
        Spec { hands_over: true, ..self }
    }
}

/// A command: its arguments, and what running it means.
pub trait Command: clap::Args + Serialize + DeserializeOwned + JsonSchema + Send + 'static {
    /// What is fixed about it.
    const SPEC: Spec;

    /// Arguments of free text that may stand in a trace as they are, because they only name an application, a window or
    /// a thing of ours. Every other free text is taken out there; what may hold none is told by its type.
    const PLAIN: &'static [&'static str] = &["window_id", "app", "id", "since"];

    /// What it answers.
    type Output: Serialize + JsonSchema + Outline + 'static;

    /// What it is going to touch, for the gate.
    ///
    /// # Errors
    /// What makes it clear already that it cannot run, such as a ref of an unknown snapshot.
    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>>;

    /// Looks at what there is before the entry ahead of it in a batch is run; for what waits for a difference.
    ///
    /// # Errors
    /// What keeps it from looking; it is then looked when it runs.
    fn prepare(&mut self, cx: &Cx<'_>) -> Result<()> {
        let _ = cx;
        Ok(())
    }

    /// Does it.
    ///
    /// # Errors
    /// As the command documents.
    fn run(self, cx: &mut Cx<'_>) -> Result<Self::Output>;
}

/// A command with its arguments, ready to be dispatched.
pub trait Invocation: Send {
    /// What is fixed about the command.
    fn spec(&self) -> Spec;

    /// The arguments as JSON.
    ///
    /// # Errors
    /// `INTERNAL` when an argument has no JSON form.
    fn arguments(&self) -> Result<Value>;

    /// The arguments as they may stand in a trace.
    fn traced(&self) -> Value;

    /// See [`Command::resources`].
    ///
    /// # Errors
    /// See there.
    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>>;

    /// See [`Command::prepare`].
    ///
    /// # Errors
    /// See there.
    fn prepare(&mut self, cx: &Cx<'_>) -> Result<()>;

    /// See [`Command::run`].
    ///
    /// # Errors
    /// See there.
    fn run(self: Box<Self>, cx: &mut Cx<'_>) -> Result<Box<dyn Answer>>;
}

/// What a command answered, not yet put into words.
pub trait Answer {
    /// As JSON.
    ///
    /// # Errors
    /// `INTERNAL` when it has no JSON form.
    fn json(&self) -> Result<Box<serde_json::value::RawValue>>;

    /// As short lines for people and models.
    fn outline(&self) -> String;

    /// The exit status of the process, where that is the answer, as for `desktop run`.
    fn exit_status(&self) -> Option<u8>;
}

struct Invoked<C>(C);

impl<C: Command> Invocation for Invoked<C> {
    fn spec(&self) -> Spec {
        C::SPEC
    }

    fn arguments(&self) -> Result<Value> {
        serde_json::to_value(&self.0).map_err(|error| no_json(&error))
    }

    fn traced(&self) -> Value {
        let schema = schema_of::<C>(SchemaSettings::for_deserialize).to_value();
        crate::trace::redact::arguments(&schema, C::PLAIN, self.arguments().unwrap_or_default())
    }

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        self.0.resources(cx)
    }

    fn prepare(&mut self, cx: &Cx<'_>) -> Result<()> {
        self.0.prepare(cx)
    }

    fn run(self: Box<Self>, cx: &mut Cx<'_>) -> Result<Box<dyn Answer>> {
        Ok(Box::new(Answered(self.0.run(cx)?)))
    }
}

struct Answered<O>(O);

impl<O: Serialize + Outline> Answer for Answered<O> {
    fn json(&self) -> Result<Box<serde_json::value::RawValue>> {
        serde_json::value::to_raw_value(&self.0).map_err(|error| no_json(&error))
    }

    fn outline(&self) -> String {
        self.0.outline()
    }

    fn exit_status(&self) -> Option<u8> {
        self.0.exit_status()
    }
}

fn no_json(error: &serde_json::Error) -> Error {
    Error::new(Code::Internal, "a value has no JSON form").platform(error.to_string())
}

/// Everything about a command that is not its arguments' values: what every front end is derived from.
#[derive(Clone, Copy)]
pub struct Definition {
    /// What is fixed about it.
    pub spec: Spec,
    arguments: fn(clap::Command) -> clap::Command,
    input_schema: fn() -> Schema,
    output_schema: fn() -> Schema,
    from_cli: fn(&ArgMatches) -> Result<Box<dyn Invocation>, clap::Error>,
    from_json: fn(Value) -> Result<Box<dyn Invocation>>,
}

impl Definition {
    /// The definition of a command.
    pub const fn of<C: Command>() -> Definition {
        Definition {
            spec: C::SPEC,
            arguments: C::augment_args,
            input_schema: || schema_of::<C>(SchemaSettings::for_deserialize),
            output_schema: || schema_of::<C::Output>(SchemaSettings::for_serialize),
            from_cli: |matches| Ok(Box::new(Invoked(C::from_arg_matches(matches)?))),
            from_json: |value| Ok(Box::new(Invoked(decode::<C>(C::SPEC.name, value)?))),
        }
    }

    /// The last word of the name, under which the command stands in its family.
    pub fn word(&self) -> &'static str {
        self.spec.name.rsplit(' ').next().unwrap_or(self.spec.name)
    }

    /// The name of the family, for a command of two words.
    pub fn family(&self) -> Option<&'static str> {
        self.spec.name.split_once(' ').map(|(family, _)| family)
    }

    /// The command line's view of it.
    pub fn cli(&self) -> clap::Command {
        (self.arguments)(clap::Command::new(self.word()))
    }

    /// The JSON schema of its arguments.
    pub fn input_schema(&self) -> Schema {
        (self.input_schema)()
    }

    /// The JSON schema of its answer.
    pub fn output_schema(&self) -> Schema {
        (self.output_schema)()
    }

    /// From the command line.
    ///
    /// # Errors
    /// What clap refuses.
    pub fn from_cli(&self, matches: &ArgMatches) -> Result<Box<dyn Invocation>, clap::Error> {
        (self.from_cli)(matches)
    }

    /// From JSON arguments.
    ///
    /// # Errors
    /// `INVALID_ARGS` naming the argument that is wrong.
    pub fn from_json(&self, arguments: Value) -> Result<Box<dyn Invocation>> {
        (self.from_json)(arguments)
    }
}

fn decode<C: Command>(command: &str, value: Value) -> Result<C> {
    // A list would be taken for the arguments in the order in which we happen to write them down.
    if !value.is_object() {
        return Err(Error::new(Code::InvalidArgs, format!("the arguments of `{command}` are not a JSON object"))
            .kind("bad_arguments"));
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let what = error.into_inner();
        // What is typed into fields or copied can be a secret; it is not repeated where it stands in the wrong place.
        let secret = matches!(command, "type" | "set-value" | "clipboard-set" | "batch");
        let what = if secret { "its value is not of the right kind".to_owned() } else { what.to_string() };
        let place = if path == "." { String::new() } else { format!(" in `{path}`") };
        Error::new(Code::InvalidArgs, format!("the arguments of `{command}` are not valid{place}: {what}"))
            .kind("bad_arguments")
            .detail("argument", path)
    })
}

/// A schema as tools want it: self-contained, and without what only repeats the description of the tool. What
/// may be left out is told by what we read in the one direction, and by what we write in the other.
fn schema_of<T: JsonSchema>(direction: fn(SchemaSettings) -> SchemaSettings) -> Schema {
    let settings = direction(SchemaSettings::draft2020_12()).with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.remove("description");
    schema
}
