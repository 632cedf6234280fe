//! Traces on disk: one file for each process, one JSON object a line.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::{Value, json};
use surehand_core::disposition::Delivery;
use surehand_core::session::{Artifacts, Session};
use surehand_core::trace::{Fields, Trace};
use surehand_core::{Code, Error, Result};

use crate::private::{PrivateDir, append_beneath};
use crate::sessions;
use crate::settings::Places;

/// The version of the lines' form.
const SCHEMA: u32 = 1;

/// A file is not added to beyond this.
const MAX_FILE: u64 = 64 << 20;

/// A longer event loses its fields.
const MAX_EVENT: usize = 1 << 20;

/// How many pictures one process keeps.
const MAX_PICTURES: u64 = 200;

/// How many bytes of pictures one process keeps.
const MAX_PICTURE_BYTES: u64 = 128 << 20;

/// The first milliseconds of this process that anything here saw, which tell its file from that of an earlier process
/// of the same number.
static BEGAN: OnceLock<i64> = OnceLock::new();

/// The place of an event among those of the process, whatever file it is in.
static PLACE: AtomicU64 = AtomicU64::new(0);

fn began() -> i64 {
    *BEGAN.get_or_init(now_ms)
}

fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// Where the lines go.
#[derive(Debug, Clone)]
enum Target {
    /// Into the session's folder.
    Session(String),
    /// Into one file below a folder.
    File { folder: PathBuf, path: String },
}

/// A trace that is being written.
#[derive(Debug)]
pub(crate) struct DiskTrace {
    places: Places,
    target: Target,
    strict: bool,
    version: String,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    file: Option<File>,
    written: u64,
    full: bool,
    pictures: u64,
    picture_bytes: u64,
}

impl DiskTrace {
    /// Into the session's own folder.
    pub(crate) fn of_session(places: &Places, session: &str, strict: bool, version: &str) -> Self {
        DiskTrace {
            places: places.clone(),
            target: Target::Session(session.to_owned()),
            strict,
            version: version.to_owned(),
            open: Mutex::default(),
        }
    }

    /// Into one file.
    pub(crate) fn into_file(places: &Places, folder: PathBuf, path: String, strict: bool, version: &str) -> Self {
        let target = Target::File { folder, path };
        DiskTrace { places: places.clone(), target, strict, version: version.to_owned(), open: Mutex::default() }
    }

    /// The session, where it is one that is traced and has not ended. It is looked at each time: another process can end
    /// it meanwhile.
    fn session(&self) -> Option<Session> {
        match &self.target {
            Target::File { .. } => None,
            Target::Session(id) => {
                sessions::manifest(&self.places, id).ok().flatten().filter(|it| it.trace && it.ended_at.is_none())
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn folder(&self, id: &str, name: &str) -> Result<PrivateDir> {
        PrivateDir::make(&self.places.session(id).join("trace"))?;
        PrivateDir::make(&self.places.session(id).join("trace").join(name))
    }

    fn begin(&self, open: &mut Open) -> Result<()> {
        let (file, session) = match &self.target {
            Target::Session(id) => {
                let folder = PrivateDir::make(&self.places.session(id).join("trace"))?;
                (folder.append(&format!("{}-{}.jsonl", std::process::id(), began()))?, Some(id))
            }
            Target::File { folder, path } => (append_beneath(folder, path)?, None),
        };
        open.written = file.metadata().map_or(0, |it| it.len());
        open.file = Some(file);
        if open.written > 0 && session.is_none() {
            is_a_trace(open)?;
        }
        let meta = json!({
            "schema": SCHEMA, "version": self.version, "os": std::env::consts::OS,
            "proc_start_ms": began(), "session_id": session,
        });
        let fields = if let Value::Object(fields) = meta { fields } else { Fields::new() };
        if open.written == 0 || session.is_none() { append(open, "trace.meta", fields) } else { Ok(()) }
    }
}

/// A file of somebody's that is no trace is not added to.
fn is_a_trace(open: &mut Open) -> Result<()> {
    let mut head = [0; 512];
    let read = match &mut open.file {
        Some(file) => file.read(&mut head).unwrap_or(0),
        None => 0,
    };
    if head[..read].windows(12).any(|part| part == b"\"trace.meta\"") {
        return Ok(());
    }
    open.file = None;
    Err(Error::new(Code::Conflict, "the file for the trace is there already, and is no trace")
        .kind("trace_not_writable")
        .suggest("choose another name for `--trace`"))
}

fn append(open: &mut Open, event: &str, fields: Fields) -> Result<()> {
    let mut line = Fields::new();
    line.insert("ts_ms".into(), now_ms().into());
    line.insert("pid".into(), std::process::id().into());
    line.insert("n".into(), PLACE.fetch_add(1, Ordering::Relaxed).into());
    line.insert("event".into(), event.into());
    let head = line.clone();
    line.extend(fields);
    let mut bytes = serde_json::to_vec(&line).map_err(|error| failed(&error.to_string()))?;
    if bytes.len() > MAX_EVENT {
        line = head;
        line.insert("omitted_bytes".into(), bytes.len().into());
        bytes = serde_json::to_vec(&line).map_err(|error| failed(&error.to_string()))?;
    }
    bytes.push(b'\n');
    if open.full {
        return Err(failed("it is full"));
    }
    if open.written + bytes.len() as u64 > MAX_FILE - MAX_EVENT as u64 && event != "trace.full" {
        append(open, "trace.full", Fields::new())?;
        open.full = true;
        return Ok(());
    }
    // One write for one line: lines of several processes in one file do not mix.
    match open.file.as_mut().map(|file| file.write_all(&bytes)) {
        Some(Ok(())) => {
            open.written += bytes.len() as u64;
            Ok(())
        }
        Some(Err(error)) => Err(failed(&error.to_string())),
        None => Err(failed("it is not open")),
    }
}

fn failed(why: &str) -> Error {
    Error::new(Code::Internal, "the trace cannot be written")
        .kind("trace_not_writable")
        .platform(why)
        .delivery(Delivery::NotDelivered)
}

impl Trace for DiskTrace {
    fn is_on(&self) -> bool {
        matches!(self.target, Target::File { .. }) || self.session().is_some()
    }

    fn is_strict(&self) -> bool {
        self.strict
    }

    fn keeps_pictures(&self) -> bool {
        self.session().is_some_and(|session| session.artifacts == Artifacts::Full)
    }

    fn write(&self, event: &str, fields: Fields) -> Result<()> {
        let mut open = self.lock();
        if open.file.is_none() {
            self.begin(&mut open).map_err(|error| match error.kind_of() {
                Some("trace_not_writable") => error,
                _ => failed(error.platform_detail().unwrap_or(error.message())),
            })?;
        }
        append(&mut open, event, fields)
    }

    fn keep_picture(&self, png: &[u8]) -> Result<Option<String>> {
        let Target::Session(id) = &self.target else { return Ok(None) };
        let mut open = self.lock();
        let size = png.len() as u64;
        if open.pictures >= MAX_PICTURES || open.picture_bytes + size > MAX_PICTURE_BYTES {
            return Ok(None);
        }
        let name = format!("{}-{}-{}.png", std::process::id(), began(), open.pictures);
        self.folder(id, sessions::SCREENS)?.write(&name, png)?;
        open.pictures += 1;
        open.picture_bytes += size;
        Ok(Some(name))
    }
}
