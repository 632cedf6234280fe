//! From the arguments and the environment of the process to a command and its settings.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};
use rustix::event::{PollFd, PollFlags, Timespec};
use surehand_commands::after::WaitFor;
use surehand_commands::command::Invocation;
use surehand_commands::context::Allowed;
use surehand_commands::registry::{COMMANDS, FAMILIES};
use surehand_core::desktop::Environment;
use surehand_core::time::Cancel;
use surehand_core::{Code, Error, Result};
use surehand_runtime::{Helpers, Places, Settings};

use crate::person;

/// How answers are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// One JSON line.
    Json,
    /// Short lines.
    Outline,
}

/// What to run.
pub(crate) struct Arguments {
    pub(crate) invocation: Box<dyn Invocation>,
    pub(crate) settings: Result<Settings>,
    pub(crate) format: Option<Format>,
    pub(crate) verbose: bool,
    /// What is waited for afterwards.
    pub(crate) wait: Result<Option<WaitFor>>,
}

/// What the arguments mean.
pub(crate) enum Parsed {
    /// Run a command.
    Run(Box<Arguments>),
    /// Print a text: help, version or completions.
    Text(String),
    /// They are not valid.
    Refused {
        /// The command they were for, as far as that can be told.
        command: String,
        /// The error for the envelope.
        error: Error,
        /// The text for people.
        usage: String,
        /// The format that was asked for, as far as that can be told.
        format: Option<Format>,
    },
}

/// The command line, built from the registry.
pub(crate) fn command_line() -> Command {
    let mut root = Command::new("surehand")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A sure hand on the desktop for AI agents")
        .long_about(
            "A sure hand on the desktop for AI agents.\n\nReads applications through the accessibility tree, acts only \
             on elements it can prove, and opens only applications it has indexed. Snapshots, screenshots and other \
             output may hold private data: keep them out of public logs.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(
            Arg::new("desktop")
                .long("desktop")
                .value_name("ID")
                .global(true)
                .help("Private desktop to work on, by id or name [variable: SUREHAND_DESKTOP]"),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .global(true)
                .value_parser(PossibleValuesParser::new(["json", "outline"]))
                .help("How to answer: `json`, or `outline` for short lines, which is the default on a terminal"),
        )
        .arg(
            Arg::new("output-dir")
                .long("output-dir")
                .value_name("DIR")
                .global(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Folder that output files may be written into"),
        )
        .arg(
            Arg::new("session")
                .long("session")
                .value_name("ID")
                .global(true)
                .help("Session to work in: its snapshots and its trace [variable: SUREHAND_SESSION]"),
        )
        .arg(
            Arg::new("trace")
                .long("trace")
                .value_name("PATH")
                .global(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("File inside the folder for output that the trace is added to, instead of that of the session"),
        )
        .arg(
            Arg::new("trace-strict")
                .long("trace-strict")
                .global(true)
                .action(ArgAction::SetTrue)
                .help("Do nothing that cannot be written into the trace before"),
        )
        .arg(
            Arg::new("wait-for")
                .long("wait-for")
                .short('w')
                .value_name("SELECTOR")
                .global(true)
                .conflicts_with("wait-for-gone")
                .help("After `snapshot`, `press` or an action on a ref, wait until `role:text` is in the window, and show it"),
        )
        .arg(
            Arg::new("wait-for-gone")
                .long("wait-for-gone")
                .value_name("SELECTOR")
                .global(true)
                .help("The same until nothing of it is in the window any more"),
        )
        .arg(
            Arg::new("wait-timeout")
                .long("wait-timeout")
                .value_name("MS")
                .global(true)
                .value_parser(clap::value_parser!(u64))
                .help("Milliseconds these two wait at most [default: 30000]"),
        )
        .arg(
            Arg::new("headed")
                .long("headed")
                .global(true)
                .action(ArgAction::SetTrue)
                .help("Allow the pointer, the keyboard and the focus to be used"),
        )
        .arg(
            Arg::new("force")
                .long("force")
                .global(true)
                .action(ArgAction::SetTrue)
                .help("Allow key combinations that reach beyond their window; a person confirms it at the terminal"),
        )
        .arg(
            Arg::new("verbose")
                .long("verbose")
                .short('v')
                .global(true)
                .action(ArgAction::SetTrue)
                .help("Tell on standard error what is being done"),
        );
    for (family, about) in FAMILIES {
        let mut parent = Command::new(*family).about(*about).subcommand_required(true).arg_required_else_help(true);
        for definition in COMMANDS.iter().filter(|definition| definition.family() == Some(family)) {
            parent = parent.subcommand(definition.cli());
        }
        root = root.subcommand(parent);
    }
    for definition in COMMANDS.iter().filter(|definition| definition.family().is_none()) {
        root = root.subcommand(definition.cli());
    }
    root.subcommand(
        Command::new("completions")
            .about("Print completions for a shell")
            .arg(Arg::new("shell").required(true).value_parser(clap::value_parser!(clap_complete::Shell))),
    )
}

/// Parses the arguments of this process.
pub(crate) fn parse() -> Parsed {
    let matches = match command_line().try_get_matches_from(translated(std::env::args_os())) {
        Ok(matches) => matches,
        Err(error) => return refused(&error),
    };
    if let Some(("completions", chosen)) = matches.subcommand()
        && let Some(shell) = chosen.get_one::<clap_complete::Shell>("shell")
    {
        let mut text = Vec::new();
        clap_complete::generate(*shell, &mut command_line(), "surehand", &mut text);
        return Parsed::Text(String::from_utf8_lossy(&text).into_owned());
    }
    let Some((name, chosen)) = chosen(&matches) else {
        return refused(&command_line().error(ErrorKind::MissingSubcommand, "no command was given"));
    };
    let Some(definition) = surehand_commands::registry::find(&name) else {
        return refused(&command_line().error(ErrorKind::InvalidSubcommand, "there is no such command"));
    };
    match definition.from_cli(chosen) {
        Err(error) => refused(&error),
        Ok(invocation) => Parsed::Run(Box::new(Arguments {
            invocation,
            settings: settings(&matches),
            format: matches.get_one::<String>("format").map(|word| format(word)),
            verbose: matches.get_flag("verbose"),
            wait: wait_for(&matches),
        })),
    }
}

/// The arguments with what to look for in the clipboard told apart from how to answer: both are called `--format` by
/// those who know the interface from elsewhere, and no word means both.
fn translated(given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = given.collect();
    if !words.iter().any(|word| word == "clipboard-get") {
        return words;
    }
    let sought = |word: &str| ["text", "auto", "image", "file-urls"].contains(&word);
    for at in 1..words.len() {
        let follows = words.get(at + 1).and_then(|next| next.to_str()).is_some_and(sought);
        let Some(word) = words[at].to_str() else { continue };
        if word == "--format" && follows {
            words[at] = "--kind".into();
        } else if let Some(kind) = word.strip_prefix("--format=").filter(|kind| sought(kind)) {
            words[at] = format!("--kind={kind}").into();
        }
    }
    words
}

/// What is to be waited for after the command.
fn wait_for(matches: &ArgMatches) -> Result<Option<WaitFor>> {
    let word = |name: &str| matches.get_one::<String>(name);
    let timeout = matches.get_one::<u64>("wait-timeout").copied();
    let (word, gone) = match (word("wait-for"), word("wait-for-gone")) {
        (Some(_), Some(_)) => {
            return Err(
                Error::new(Code::InvalidArgs, "give `--wait-for` or `--wait-for-gone`, not both").kind("bad_wait_for")
            );
        }
        (Some(word), None) => (word, false),
        (None, Some(word)) => (word, true),
        (None, None) if timeout.is_some() => {
            return Err(Error::new(
                Code::InvalidArgs,
                "`--wait-timeout` belongs to `--wait-for` and `--wait-for-gone`",
            )
            .kind("bad_wait_for"));
        }
        (None, None) => return Ok(None),
    };
    Ok(Some(WaitFor { selector: word.parse()?, gone, timeout_ms: timeout.unwrap_or(30_000) }))
}

/// The name of the chosen command, and its own arguments.
fn chosen(matches: &ArgMatches) -> Option<(String, &ArgMatches)> {
    let (first, matches) = matches.subcommand()?;
    match matches.subcommand() {
        Some((second, matches)) => Some((format!("{first} {second}"), matches)),
        None => Some((first.to_owned(), matches)),
    }
}

fn refused(error: &clap::Error) -> Parsed {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return Parsed::Text(error.to_string());
    }
    // An argument that refuses itself with one of our errors says more than the parser around it.
    let own = error.source().and_then(|source| source.downcast_ref::<Error>()).cloned();
    // What was to be typed may be a secret, and what the shell made several words of is not repeated.
    let unquoted = matches!(asked_for().as_str(), "type" | "set-value" | "clipboard-set")
        && error.kind() == ErrorKind::UnknownArgument;
    let usage = if unquoted {
        "error: there are more arguments than the command takes, of which one is a text\n\nQuote the text, or give it with `--stdin`.\n"
            .to_owned()
    } else {
        error.to_string()
    };
    let message = || match error.kind() {
        // What the parser has to say then is the whole help, and that is for people.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "no command was given".to_owned(),
        _ => {
            // One sentence can be spread over lines, with one missing argument on each.
            let sentence: Vec<&str> = usage.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
            let sentence = sentence.join(" ");
            sentence.strip_prefix("error: ").unwrap_or(&sentence).to_owned()
        }
    };
    let error = own.unwrap_or_else(|| {
        Error::new(Code::InvalidArgs, message()).kind("usage").suggest("see `surehand COMMAND --help`")
    });
    Parsed::Refused { command: asked_for(), error, usage, format: format_asked_for() }
}

/// The arguments as text; what is no text is only looked at, so that it may lose something.
fn given() -> Vec<String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The command that the arguments were for, so that the envelope can name it although they do not parse.
fn asked_for() -> String {
    command_in(&given())
}

/// The first command that is named in arguments. Values of options are words as well, so each is looked at.
fn command_in(arguments: &[String]) -> String {
    let words: Vec<&str> = arguments.iter().skip(1).map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let is_command = |name: &String| surehand_commands::registry::find(name).is_some();
    (0..words.len())
        .flat_map(|at| [words[at..].iter().take(2).copied().collect::<Vec<_>>().join(" "), words[at].to_owned()])
        .find(is_command)
        .unwrap_or_default()
}

fn format(word: &str) -> Format {
    if word == "outline" { Format::Outline } else { Format::Json }
}

/// The format in arguments that do not parse.
fn format_asked_for() -> Option<Format> {
    let words = given();
    let given = words.iter().find_map(|word| word.strip_prefix("--format="));
    let after = words.iter().position(|word| word == "--format").and_then(|at| words.get(at + 1));
    given.or(after.map(String::as_str)).map(format)
}

#[expect(clippy::disallowed_methods, reason = "this binary is where the environment is read")]
fn settings(matches: &ArgMatches) -> Result<Settings> {
    // A variable that is not text cannot name anything we use, and is passed on to nobody.
    let variables: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let environment = Environment(variables);
    let places = Places::of(&environment, rustix::process::geteuid().as_raw())?;
    let output = match matches.get_one::<PathBuf>("output-dir") {
        None => None,
        Some(folder) => Some(std::fs::canonicalize(folder).map_err(|error| {
            let folder = surehand_core::text::quote(&folder.to_string_lossy());
            Error::new(Code::InvalidArgs, format!("the folder for output, {folder}, cannot be used"))
                .kind("bad_output_folder")
                .platform(error.to_string())
        })?),
    };
    let desktop = matches
        .get_one::<String>("desktop")
        .cloned()
        .or_else(|| environment.0.get("SUREHAND_DESKTOP").filter(|id| !id.is_empty()).cloned());
    let session = matches
        .get_one::<String>("session")
        .cloned()
        .or_else(|| environment.0.get("SUREHAND_SESSION").filter(|id| !id.is_empty()).cloned());
    if let Some(session) = &session {
        surehand_core::session::check_id(session)?;
    }
    let trace = matches.get_one::<PathBuf>("trace").cloned();
    let trace_strict = matches.get_flag("trace-strict");
    if trace_strict && trace.is_none() && session.is_none() {
        return Err(Error::new(
            Code::InvalidArgs,
            "`--trace-strict` is given, and there is nothing to write a trace into",
        )
        .kind("no_trace")
        .suggest("give `--trace` or `--session` as well"));
    }
    Ok(Settings {
        session,
        trace,
        trace_strict,
        environment,
        places,
        desktop,
        output,
        allowed: Allowed { headed: matches.get_flag("headed"), force: matches.get_flag("force") },
        helpers: std::env::current_exe().ok().map(|program| Helpers { program, client: person::client() }),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        target: env!("SUREHAND_TARGET").to_owned(),
    })
}

/// More than this on standard input is no text for anything; commands that take less say so.
const MAX_INPUT: usize = 64 << 20;

/// How long standard input is waited for in all; a person may be writing it.
const INPUT_WAIT: Duration = Duration::from_secs(600);

/// How often it is looked whether the call was cancelled meanwhile.
const INPUT_LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// The text on standard input.
pub(crate) fn standard_input(cancel: &Cancel) -> Result<String> {
    let failed = |errno: rustix::io::Errno| {
        Error::new(Code::InvalidArgs, "standard input cannot be read").platform(errno.to_string())
    };
    let stdin = std::io::stdin();
    let end = Instant::now() + INPUT_WAIT;
    let mut bytes = Vec::new();
    let mut part = [0; 65_536];
    loop {
        if cancel.is_raised() || Instant::now() >= end {
            let kind = if cancel.is_raised() { "cancelled" } else { "deadline" };
            return Err(Error::new(Code::Timeout, "standard input did not come to an end in time").kind(kind));
        }
        let mut waiting = [PollFd::new(&stdin, PollFlags::IN)];
        match rustix::event::poll(&mut waiting, Some(&INPUT_LOOK)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(errno) => return Err(failed(errno)),
        }
        match rustix::io::read(&stdin, &mut part) {
            Ok(0) => break,
            Ok(count) => bytes.extend_from_slice(&part[..count]),
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(failed(errno)),
        }
        if bytes.len() > MAX_INPUT {
            return Err(Error::new(Code::InvalidArgs, format!("standard input holds more than {MAX_INPUT} bytes")));
        }
    }
    let mut text = String::from_utf8(bytes)
        .map_err(|_| Error::new(Code::InvalidArgs, "standard input is not text in UTF-8").platform("invalid data"))?;
    // A shell's `echo` and here-documents end with a line break that nobody means.
    if text.ends_with('\n') {
        text.pop();
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command_line().debug_assert();
    }

    #[test]
    fn a_usage_error_names_its_command_also_after_options() {
        let of = |line: &str| command_in(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(of("surehand --desktop d1 click"), "click");
        assert_eq!(of("surehand --desktop d1 --format json desktop start --size x"), "desktop start");
        assert_eq!(of("surehand desktop"), "");
        assert_eq!(of("surehand find --name open"), "find");
    }

    #[test]
    fn what_to_look_for_in_the_clipboard_is_told_from_how_to_answer() {
        let of = |line: &str| {
            let words = translated(line.split(' ').map(OsString::from));
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("s clipboard-get --format image --format json"), "s clipboard-get --kind image --format json");
        assert_eq!(
            of("s --format outline clipboard-get --format=auto"),
            "s --format outline clipboard-get --kind=auto"
        );
        assert_eq!(of("s snapshot --format image"), "s snapshot --format image");
    }

    #[test]
    fn every_family_has_commands_and_every_command_a_family_that_is_listed() {
        for definition in COMMANDS {
            if let Some(family) = definition.family() {
                assert!(FAMILIES.iter().any(|(name, _)| *name == family), "{}", definition.spec.name);
            }
        }
    }
}
