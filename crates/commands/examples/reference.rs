//! Everything the reference is written from, as JSON on standard output: the commands with their arguments and
//! schemas, the codes, the words. `cargo xtask codegen` runs it.

use std::io::Write as _;

use clap::Arg;
use schemars::JsonSchema;
use serde_json::{Value, json};
use surehand_commands::command::{Audience, Definition, Effect, Group, Piped};
use surehand_commands::registry::{COMMANDS, FAMILIES};
use surehand_core::Code;
use surehand_core::act::Unverified;
use surehand_core::actionability::{CheckKind, CheckStatus};
use surehand_core::disposition::{Delivery, Retry};
use surehand_core::node::Capability;
use surehand_core::role::{Role, SYNONYMS};
use surehand_core::state::State;
use surehand_core::tree::GapReason;

fn main() -> std::io::Result<()> {
    let reference = json!({
        "families": FAMILIES.iter().map(|(name, about)| json!({ "name": name, "about": about })).collect::<Vec<_>>(),
        "groups": words::<Group>(),
        "effects": words::<Effect>(),
        "audiences": words::<Audience>(),
        "piped": words::<Piped>(),
        "commands": COMMANDS.iter().map(command).collect::<Vec<_>>(),
        "codes": Code::ALL.iter().map(code).collect::<Vec<_>>(),
        "roles": Role::ALL.iter().map(role).collect::<Vec<_>>(),
        "synonyms": SYNONYMS.iter().map(|(word, role)| json!({ "word": word, "role": role })).collect::<Vec<_>>(),
        "states": words::<State>(),
        "capabilities": words::<Capability>(),
        "deliveries": deliveries(),
        "retries": words::<Retry>(),
        "unverified": words::<Unverified>(),
        "gaps": words::<GapReason>(),
        "checks": words::<CheckKind>(),
        "check_results": words::<CheckStatus>(),
    });
    writeln!(std::io::stdout().lock(), "{reference:#}")
}

fn command(definition: &Definition) -> Value {
    let spec = definition.spec;
    let mut command = definition.cli().bin_name(format!("surehand {}", spec.name));
    let text = |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string);
    json!({
        "name": spec.name,
        "group": spec.group,
        "effect": spec.effect,
        "audience": spec.audience,
        "piped": spec.piped,
        "about": text(command.get_about()),
        "description": text(command.get_long_about()),
        "usage": command.render_usage().to_string().trim_start_matches("Usage: "),
        "arguments": command
            .get_arguments()
            // Every command has it, and no definition says so.
            .filter(|argument| argument.get_id() != "help")
            .map(|argument| self::argument(argument, definition))
            .collect::<Vec<_>>(),
        "input": definition.input_schema(),
        "output": definition.output_schema(),
    })
}

fn argument(argument: &Arg, definition: &Definition) -> Value {
    let takes_value = argument.get_action().takes_values();
    let id = argument.get_id().as_str();
    let words: Vec<Value> = argument
        .get_possible_values()
        .iter()
        .filter(|_| takes_value)
        .map(|value| json!({ "word": value.get_name(), "meaning": value.get_help().map(ToString::to_string) }))
        .collect();
    let value_name = argument.get_value_names().and_then(|names| names.first()).map(|name| name.as_str().to_owned());
    json!({
        "id": id,
        "short": argument.get_short(),
        "long": argument.get_long(),
        "value": takes_value.then(|| value_name.unwrap_or_else(|| id.to_uppercase())),
        "help": argument.get_help().map(ToString::to_string),
        "required": argument.is_required_set(),
        "repeated": matches!(argument.get_action(), clap::ArgAction::Append),
        "default": argument.get_default_values().iter().filter_map(|word| word.to_str()).next().filter(|_| takes_value),
        "words": words,
        "in_json": definition.input_schema().pointer(&format!("/properties/{id}")).is_some(),
    })
}

fn code(code: &Code) -> Value {
    json!({ "code": code.token(), "meaning": code.meaning(), "exit": code.exit_status() })
}

fn role(role: &Role) -> Value {
    json!({ "word": role.token(), "interactive": role.is_interactive() })
}

fn deliveries() -> Vec<Value> {
    words::<Delivery>()
        .into_iter()
        .map(|mut word| {
            let delivery: Option<Delivery> = serde_json::from_value(word["word"].clone()).ok();
            word["retry"] = json!(delivery.map(Delivery::retry));
            word
        })
        .collect()
}

/// The words of an enumeration with what its documentation says of each.
fn words<T: JsonSchema>() -> Vec<Value> {
    let schema = schemars::schema_for!(T).to_value();
    let each = schema["oneOf"].as_array().cloned().unwrap_or_default();
    each.iter().map(|word| json!({ "word": word["const"], "meaning": word["description"] })).collect()
}
