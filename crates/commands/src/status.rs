//! `status`: whether and where this surehand can work.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::session::Artifacts;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, flag, made};

/// Say whether applications can be read and acted on, and where state is kept
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Status {}

/// How long connecting may take.
const LOOK_MS: u64 = 3_000;

/// How one permission stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PermissionState {
    /// It was used just now and worked.
    Granted,
    /// It was used just now and did not work.
    Denied,
    /// It was not tried.
    Unknown,
}

/// One permission.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Permission {
    /// How it stands.
    state: PermissionState,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
}

/// What has to be allowed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Permissions {
    /// Reading and acting on applications.
    accessibility: Permission,
    /// Taking pictures.
    screen_recording: Permission,
}

/// Whether and where this surehand can work.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Stands {
    /// The operating system.
    platform: String,
    /// The version.
    version: String,
    /// What is allowed.
    permissions: Permissions,
    /// The private desktop that was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    desktop: Option<String>,
    /// The surfaces that `snapshot` can read.
    supported_surfaces: Vec<&'static str>,
    /// The session that was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// Whether a trace is being written.
    tracing: bool,
    /// What the trace of the session keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    artifacts: Option<Artifacts>,
    /// The directory that state is kept in.
    state_root: String,
}

impl Outline for Stands {
    fn outline(&self) -> String {
        let token = |permission: &Permission| {
            serde_json::to_value(permission.state).ok().and_then(|state| state.as_str().map(str::to_owned))
        };
        let mut lines = Lines::new();
        lines.words([Word::Own("surehand"), made(&self.version), made(&self.platform)]);
        for (name, permission) in
            [("accessibility", &self.permissions.accessibility), ("screen", &self.permissions.screen_recording)]
        {
            lines.words([
                Word::Own(name),
                token(permission).map_or(Word::Nothing, made),
                permission.suggestion.as_deref().map_or(Word::Nothing, made),
            ]);
        }
        if let Some(desktop) = &self.desktop {
            lines.words([Word::Own("desktop"), Word::Quoted(desktop)]);
        }
        if let Some(session) = &self.session_id {
            lines.words([Word::Own("session"), made(session), flag(self.tracing, "traced")]);
        }
        lines.words([Word::Own("state"), Word::Quoted(&self.state_root)]);
        lines.finish()
    }
}

impl Command for Status {
    const SPEC: Spec = Spec::new("status", Group::System, Effect::Observe);
    type Output = Stands;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Stands> {
        let call = cx.call(LOOK_MS);
        let permission = |outcome: Result<()>| match outcome {
            Ok(()) => Permission { state: PermissionState::Granted, suggestion: None },
            Err(error) => Permission {
                state: PermissionState::Denied,
                suggestion: Some(error.suggestion().unwrap_or("run `surehand doctor`").to_owned()),
            },
        };
        let platform = cx.platform(&call);
        let accessibility = permission(match &platform {
            Ok(platform) => platform.applications(&call).map(|_| ()),
            Err(error) => Err(error.clone()),
        });
        // Asking where the pointer is goes the way pictures go, and shows nothing of the screen.
        let screen_recording = match &platform {
            Ok(platform) => permission(platform.attention(&call).map(|_| ())),
            Err(_) => Permission { state: PermissionState::Unknown, suggestion: None },
        };
        let facts = cx.services.facts();
        let current = cx.services.session();
        // One that is damaged is no reason not to say how everything else stands.
        let session = current.and_then(|id| cx.services.sessions().find(id).ok().flatten());
        Ok(Stands {
            platform: facts.os.clone(),
            version: facts.version.clone(),
            permissions: Permissions { accessibility, screen_recording },
            desktop: facts.desktop.clone(),
            supported_surfaces: crate::surface::Surface::WORDS.to_vec(),
            tracing: cx.services.trace().is_on(),
            artifacts: session.as_ref().filter(|session| session.trace).map(|session| session.artifacts),
            session_id: current.map(str::to_owned),
            state_root: facts.state_root.to_string_lossy().into_owned(),
        })
    }
}
