//! Sessions on disk: a folder each, with a manifest, snapshots and a trace.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use surehand_core::session::{Namespace, Segment, Session, SessionRequest, Sessions, Unwanted, check_id, unknown};
use surehand_core::{Code, Error, Result};

use crate::private::PrivateDir;
use crate::settings::Places;
use crate::store::DiskStore;
use crate::trace::DiskTrace;

/// The version of the manifest.
const SCHEMA: u32 = 1;

/// The file that says what a session is.
const MANIFEST: &str = "session.json";

/// The file that everybody who works in a session holds a shared lock on.
const ALIVE: &str = ".alive";

/// The folder of pictures in a trace.
pub(crate) const SCREENS: &str = "screens";

/// A session that was written to so recently is somebody's, also while no process is in it.
const RECENT: Duration = Duration::from_secs(300);

#[derive(Serialize, Deserialize)]
struct Manifest {
    schema: u32,
    #[serde(flatten)]
    session: Session,
}

/// The session of that id; none where nobody started one.
pub(crate) fn manifest(places: &Places, id: &str) -> Result<Option<Session>> {
    check_id(id)?;
    if !places.session(id).is_dir() {
        return Ok(None);
    }
    let Some(bytes) = PrivateDir::make(&places.session(id))?.read(MANIFEST)? else { return Ok(None) };
    let damaged = |why: String| {
        Error::new(Code::Internal, format!("what is kept of session {id} is damaged"))
            .kind("damaged_session")
            .platform(why)
            .delivery(surehand_core::disposition::Delivery::NotDelivered)
            .suggest("start another one with `session start`")
    };
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    if manifest.schema != SCHEMA || manifest.session.session_id != id {
        return Err(damaged("it is of another form or another session".into()));
    }
    Ok(Some(manifest.session))
}

/// Says that somebody works in a session, until it is dropped.
pub(crate) fn alive(places: &Places, id: &str) -> Result<Option<OwnedFd>> {
    if !places.session(id).is_dir() {
        return Ok(None);
    }
    let fd = hold(&places.session(id))?;
    match rustix::fs::flock(&fd, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Ok(Some(fd)),
        // Somebody is just removing it.
        Err(Errno::WOULDBLOCK) => Ok(None),
        Err(errno) => Err(not_usable(errno)),
    }
}

fn hold(folder: &Path) -> Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    PrivateDir::make(folder)?;
    rustix::fs::open(folder.join(ALIVE), flags, Mode::RUSR | Mode::WUSR).map_err(not_usable)
}

fn not_usable(errno: Errno) -> Error {
    Error::new(Code::Internal, "the folder of a session cannot be used")
        .kind("state_not_usable")
        .platform(errno.to_string())
        .delivery(surehand_core::disposition::Delivery::NotDelivered)
}

/// Sessions in the state directory.
#[derive(Debug)]
pub(crate) struct DiskSessions {
    places: Places,
    current: Option<String>,
    strict: bool,
    version: String,
}

impl DiskSessions {
    pub(crate) fn new(places: &Places, current: Option<&str>, strict: bool, version: &str) -> Self {
        let current = current.map(str::to_owned);
        DiskSessions { places: places.clone(), current, strict, version: version.to_owned() }
    }

    fn folder(&self) -> Result<PrivateDir> {
        PrivateDir::make(&self.places.state)?;
        PrivateDir::make(&self.places.sessions())
    }

    /// Ids that have a folder.
    fn ids(&self) -> Result<Vec<String>> {
        let mut ids: Vec<String> = self.folder()?.names()?.into_iter().filter(|name| check_id(name).is_ok()).collect();
        ids.sort_unstable();
        Ok(ids)
    }

    fn write(&self, session: &Session) -> Result<()> {
        let manifest = Manifest { schema: SCHEMA, session: session.clone() };
        let bytes = serde_json::to_vec(&manifest)
            .map_err(|error| Error::new(Code::Internal, "a session has no JSON form").platform(error.to_string()))?;
        PrivateDir::make(&self.places.session(&session.session_id))?.write(MANIFEST, &bytes)
    }

    /// Removes a folder, unless somebody is in it.
    fn remove_one(&self, id: &str) -> Result<bool> {
        let folder = self.places.session(id);
        let fd = hold(&folder)?;
        match rustix::fs::flock(&fd, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Ok(false),
            Err(errno) => return Err(not_usable(errno)),
        }
        // Out of the way first, so that whoever comes meanwhile finds no session instead of half of one.
        let aside = self.places.sessions().join(format!(".gone-{id}-{}", std::process::id()));
        rustix::fs::rename(&folder, &aside).map_err(not_usable)?;
        std::fs::remove_dir_all(&aside).map_err(|error| {
            Error::new(Code::Internal, "a session cannot be removed in full").platform(error.to_string())
        })?;
        Ok(true)
    }
}

/// When something in the folder was written last.
fn touched(folder: &Path) -> SystemTime {
    let places = [folder.to_owned(), folder.join(MANIFEST), folder.join("snapshots"), folder.join("trace")];
    let segments = std::fs::read_dir(folder.join("trace")).into_iter().flatten().flatten().map(|entry| entry.path());
    let times = places.into_iter().chain(segments).filter_map(|path| std::fs::metadata(path).ok()?.modified().ok());
    times.max().unwrap_or(SystemTime::UNIX_EPOCH)
}

fn now() -> String {
    let now = jiff::Timestamp::now();
    jiff::Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now).to_string()
}

/// Digits without those that read like another one.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// An id that sorts by time. That it is not taken is seen when its folder is made.
fn new_id(attempt: u32) -> String {
    let now = jiff::Timestamp::now();
    let digits = |mut rest: u64, count: usize| -> String {
        let mut word = vec!['0'; count];
        for digit in word.iter_mut().rev() {
            *digit = char::from(DIGITS[(rest % 32) as usize]);
            rest /= 32;
        }
        word.into_iter().collect()
    };
    let seconds = u64::try_from(now.as_second()).unwrap_or(0);
    let rest = u64::try_from(now.subsec_nanosecond()).unwrap_or(0) ^ u64::from(std::process::id()) << 5;
    format!("{}-{}", digits(seconds, 7), digits(rest.wrapping_add(u64::from(attempt)), 4))
}

impl Sessions for DiskSessions {
    fn current(&self) -> Option<&str> {
        self.current.as_deref()
    }

    fn start(&self, request: &SessionRequest) -> Result<Session> {
        self.folder()?;
        for attempt in 0..32 {
            let id = new_id(attempt);
            match rustix::fs::mkdir(self.places.session(&id), Mode::RWXU) {
                Ok(()) => {}
                Err(Errno::EXIST) => continue,
                Err(errno) => return Err(not_usable(errno)),
            }
            let session = Session {
                session_id: id,
                name: request.name.clone(),
                created_at: now(),
                ended_at: None,
                trace: request.trace,
                artifacts: request.artifacts,
            };
            self.write(&session)?;
            return Ok(session);
        }
        Err(Error::new(Code::Internal, "no free id for a session was found"))
    }

    fn end(&self, id: &str) -> Result<Session> {
        let mut session = self.find(id)?.ok_or_else(|| unknown(id))?;
        if session.ended_at.is_none() {
            session.ended_at = Some(now());
            self.write(&session)?;
        }
        Ok(session)
    }

    fn list(&self) -> Result<Vec<Session>> {
        let mut sessions = Vec::new();
        for id in self.ids()? {
            // A damaged one is told when it is asked for; the others are there all the same.
            sessions.extend(manifest(&self.places, &id).ok().flatten());
        }
        sessions.sort_by(|one, other| one.created_at.cmp(&other.created_at));
        Ok(sessions)
    }

    fn find(&self, id: &str) -> Result<Option<Session>> {
        manifest(&self.places, id)
    }

    fn remove(&self, unwanted: Unwanted) -> Result<Vec<String>> {
        let mut removed = Vec::new();
        for id in self.ids()? {
            let ended = manifest(&self.places, &id).ok().flatten().is_some_and(|session| session.ended_at.is_some());
            if !ended && (unwanted.ended || unwanted.older_than.is_none()) {
                continue;
            }
            let age = SystemTime::now().duration_since(touched(&self.places.session(&id))).unwrap_or_default();
            let old = unwanted.older_than.is_none_or(|seconds| age >= Duration::from_secs(seconds));
            if !old || !ended && age < RECENT || self.current.as_deref() == Some(&id) {
                continue;
            }
            if self.remove_one(&id)? {
                removed.push(id);
            }
        }
        Ok(removed)
    }

    fn namespace(&self, id: &str) -> Result<Namespace> {
        check_id(id)?;
        Ok(Namespace {
            snapshots: Box::new(DiskStore::new(&self.places, Some(id))),
            trace: Box::new(DiskTrace::of_session(&self.places, id, self.strict, &self.version)),
        })
    }

    fn segments(&self, id: &str) -> Result<Vec<Segment>> {
        check_id(id)?;
        let folder = self.places.session(id).join("trace");
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let folder = PrivateDir::make(&folder)?;
        let mut names: Vec<String> = folder.names()?.into_iter().filter(|name| name.ends_with(".jsonl")).collect();
        names.sort_unstable();
        let mut segments = Vec::new();
        for name in names {
            if let Some(bytes) = folder.read(&name)? {
                segments.push(Segment { name, bytes });
            }
        }
        Ok(segments)
    }

    fn picture(&self, id: &str, name: &str) -> Result<Option<Vec<u8>>> {
        check_id(id)?;
        let folder = self.places.session(id).join("trace").join(SCREENS);
        // The name stands in a file that may have been changed; it names a file of that folder or nothing.
        if !folder.is_dir() || name.contains('/') || !name.ends_with(".png") || name.starts_with('.') {
            return Ok(None);
        }
        PrivateDir::make(&folder)?.read(name)
    }

    fn keep(&self, id: &str, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        check_id(id)?;
        PrivateDir::make(&self.places.session(id))?.write(name, bytes)?;
        Ok(self.places.session(id).join(name))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use surehand_core::session::Artifacts;

    use super::*;

    fn sessions() -> (tempfile::TempDir, DiskSessions) {
        let base = tempfile::tempdir().expect("a directory");
        let places = Places { state: base.path().join("state"), runtime: base.path().join("run") };
        (base, DiskSessions::new(&places, None, false, "1"))
    }

    fn traced() -> SessionRequest {
        SessionRequest { trace: true, ..SessionRequest::default() }
    }

    #[test]
    fn a_session_is_private_and_its_id_its_own() {
        let (_base, sessions) = sessions();
        let ids: std::collections::BTreeSet<String> =
            (0..50).map(|_| sessions.start(&traced()).expect("started").session_id).collect();
        assert_eq!(ids.len(), 50);
        let id = ids.first().expect("one");
        let file = sessions.places.session(id).join(MANIFEST);
        assert_eq!(std::fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
        let ended = sessions.end(id).expect("ended");
        assert_eq!(sessions.end(id).expect("ended").ended_at, ended.ended_at, "the end does not move");
        assert_eq!(sessions.list().expect("list").len(), 50);
        assert_eq!(sessions.end("none-such").expect_err("unknown").kind_of(), Some("unknown_session"));
        std::fs::write(&file, "{").expect("written");
        assert_eq!(sessions.find(id).expect_err("damaged").kind_of(), Some("damaged_session"));
        assert_eq!(sessions.list().expect("list").len(), 49);
    }

    #[test]
    fn one_that_somebody_works_in_is_never_removed() {
        let (_base, sessions) = sessions();
        let [live, ended, held] = [(); 3].map(|()| sessions.start(&traced()).expect("started").session_id);
        sessions.end(&ended).expect("ended");
        sessions.end(&held).expect("ended");
        let holder = alive(&sessions.places, &held).expect("held").expect("held");
        let every = Unwanted { older_than: Some(0), ended: false };
        assert_eq!(sessions.remove(every).expect("removed"), [ended.as_str()], "the live one was written just now");
        let hour_ago = SystemTime::now() - Duration::from_secs(3_600);
        for path in [sessions.places.session(&live).join(MANIFEST), sessions.places.session(&live)] {
            std::fs::File::open(&path).expect("open").set_modified(hour_ago).expect("time");
        }
        assert_eq!(sessions.remove(Unwanted::default()).expect("removed").len(), 0, "it has not ended");
        drop(holder);
        assert_eq!(sessions.remove(Unwanted::default()).expect("removed"), [held.as_str()]);
        assert_eq!(sessions.remove(every).expect("removed"), [live.as_str()], "nobody has been there for an hour");
        assert_eq!(sessions.folder().expect("folder").names().expect("names").len(), 2, "only the two dots");
    }

    #[test]
    fn a_trace_ends_with_its_session_and_only_a_full_one_keeps_pictures() {
        let (_base, sessions) = sessions();
        let session =
            sessions.start(&SessionRequest { trace: true, artifacts: Artifacts::Full, name: None }).expect("started");
        let id = session.session_id.as_str();
        let space = sessions.namespace(id).expect("there");
        assert!(space.trace.is_on() && space.trace.keeps_pictures());
        space.trace.write("command.start", surehand_core::trace::Fields::new()).expect("written");
        let name = space.trace.keep_picture(b"png").expect("kept").expect("there is room");
        assert_eq!(sessions.picture(id, &name).expect("read").as_deref(), Some(&b"png"[..]));
        assert_eq!(sessions.picture(id, "../../session.json").expect("nothing"), None);
        let segments = sessions.segments(id).expect("read");
        let text = String::from_utf8(segments[0].bytes.clone()).expect("text");
        assert_eq!(text.lines().count(), 2);
        assert!(text.starts_with(r#"{"event":"trace.meta""#) || text.contains(r#""event":"trace.meta""#), "{text}");
        let mode = |path: PathBuf| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(sessions.places.session(id).join("trace").join(&segments[0].name)), 0o600);
        assert_eq!(mode(sessions.places.session(id).join("trace").join(SCREENS).join(&name)), 0o600);
        sessions.end(id).expect("ended");
        assert!(!space.trace.is_on());
        let bare = sessions.namespace("a-bare-one").expect("a namespace");
        assert!(!bare.trace.is_on(), "nobody started it");
    }
}
