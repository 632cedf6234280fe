//! The clipboard of a desktop session, and the life of the process that keeps what we put there.
//!
//! An X11 clipboard holds nothing by itself: whoever owns it is asked again at every paste. So [`Clipboard::own`] starts
//! a helper ([`crate::helper`]) that has no other job. It is given the content through a pipe, never as an argument or in
//! a file, takes the clipboard, says so, and hands the content out to whoever asks. It has no time limit. It is over
//!
//! - when another program takes the clipboard, which the server tells it (a reader in the middle of a long transfer is
//!   still served, for at most five seconds); `clipboard-set` and `clipboard-clear` are such programs;
//! - when its server ends, and with a private desktop, as one of whose processes it is known by its environment;
//! - when it is told to by a signal. Where there is a manager of clipboards this one is asked to keep the content then.
//!
//! Killed at once, it takes the content with it, as any program does whose text was copied.

use std::io::Read as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use surehand_core::clipboard::{Clipboard, Content, Kind, MOST_BYTES, Owner};
use surehand_core::desktop::Environment;
use surehand_core::time::{Call, Cancel};
use surehand_core::{Code, Error, Result};

use crate::helper::{self, Program, Role, Stage};
use crate::x11::{ClipboardOwner, Display};

/// How long a helper may take to get the clipboard.
const BEGIN: std::time::Duration = std::time::Duration::from_secs(10);

/// The clipboard of the desktop session that an environment describes. It needs a display and nothing else.
#[derive(Debug, Clone)]
pub struct LinuxClipboard {
    environment: Environment,
    program: Option<Program>,
}

/// What an owner is told before it is given the content.
#[derive(Debug, Serialize, Deserialize)]
struct Order {
    kind: Kind,
}

impl LinuxClipboard {
    /// Of this environment. Without a program nothing can be put there, only read.
    pub fn new(environment: Environment, program: Option<Program>) -> LinuxClipboard {
        LinuxClipboard { environment, program }
    }
}

fn connect(environment: &Environment, call: &Call<'_>) -> Result<Display> {
    let name = environment.0.get("DISPLAY").filter(|name| !name.is_empty()).ok_or_else(|| {
        Error::new(
            Code::PlatformNotSupported,
            "no X display is named in the environment, and the clipboard is with one",
        )
        .kind("no_display")
        .suggest("run `surehand doctor`")
    })?;
    let authority = environment.0.get("XAUTHORITY").map(PathBuf::from);
    Display::connect(call, name, authority.as_deref())
}

impl Clipboard for LinuxClipboard {
    fn read(&self, call: &Call<'_>, wanted: &[Kind]) -> Result<Option<Content>> {
        connect(&self.environment, call)?.read_clipboard(call, wanted)
    }

    fn own(&self, call: &Call<'_>, content: &Content) -> Result<Owner> {
        let program = self.program.as_ref().ok_or_else(|| {
            Error::new(Code::PlatformNotSupported, "nothing can be kept in the clipboard from here").kind("no_helper")
        })?;
        // Here as well, so that a display that is not there is told apart from a helper that does not start.
        drop(connect(&self.environment, call)?);
        let bytes = match content {
            Content::Text(text) => text.as_bytes().to_vec(),
            Content::Image(png) => png.clone(),
            Content::FileUrls(urls) => urls.join("\n").into_bytes(),
        };
        helper::start(program, Role::ClipboardOwner, &self.environment, call, &Order { kind: content.kind() }, &bytes)
    }

    fn owner(&self, call: &Call<'_>) -> Result<Option<Owner>> {
        Ok(connect(&self.environment, call)?.clipboard_owner()?.map(Owner::from))
    }

    fn clear(&self, call: &Call<'_>) -> Result<()> {
        connect(&self.environment, call)?.clear_clipboard(call)
    }
}

/// Is the owner of the clipboard until it is over.
///
/// # Errors
/// That it could not begin, which it has answered, or that its server is gone.
pub(crate) fn keep(stage: Stage<'_>) -> Result<()> {
    let Stage { environment, input, output, end, clock } = stage;
    let nobody = Cancel::default();
    let call = Call::lasting(clock, &nobody, BEGIN);
    let content = take_content(input);
    let display = content.and_then(|content| Ok((connect(environment, &call)?, content)));
    let begun = display.as_ref().map_err(Clone::clone);
    let owner = begun.and_then(|(display, content)| ClipboardOwner::take(display, &call, content));
    let told = helper::answer(output, owner.as_ref().map(|owner| Owner::from(owner.window())));
    told.map_err(|error| Error::new(Code::Internal, "nobody listens").platform(error.kind().to_string()))?;
    owner?.serve(end)
}

fn take_content(input: &mut dyn std::io::Read) -> Result<Content> {
    let Order { kind } = helper::take_order(input)?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(MOST_BYTES).unwrap_or(u64::MAX);
    input
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| Error::new(Code::Internal, "the content did not arrive").platform(error.kind().to_string()))?;
    if bytes.len() > MOST_BYTES {
        return Err(Error::new(Code::InvalidArgs, format!("it is more than {MOST_BYTES} bytes")).kind("too_large"));
    }
    let text = |bytes| String::from_utf8(bytes).map_err(|_| Error::new(Code::Internal, "the content is no text"));
    Ok(match kind {
        Kind::Image => Content::Image(bytes),
        Kind::Text => Content::Text(text(bytes)?),
        Kind::FileUrls => Content::FileUrls(text(bytes)?.lines().map(str::to_owned).collect()),
    })
}
