//! `open`: starts an application by its name in the index.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::disposition::{Delivery, Disposition};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Subject};
use crate::outline::{Lines, Outline, Word, made};

/// Start an application that has a desktop entry, by the entry's exact id or name
///
/// Neither a program nor arguments can be given, so nothing else can be started. Returns when the application was
/// started; a window is another matter, see `wait --window`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Open {
    /// Id of a desktop entry, or its whole name in any language
    #[arg(value_name = "APP")]
    app: String,
}

/// An application that was started.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Opened {
    /// The application's name.
    app: String,
    /// The id of its entry.
    id: String,
    /// Where the entry comes from.
    source: &'static str,
    /// The process that was started. A program that only hands over to a running one ends at once.
    pid: u32,
    /// The process's start, so that a later process of the same pid is not taken for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    process_instance: Option<String>,
    /// That it was started. Whether it shows a window is not known yet.
    accepted: bool,
    /// How far it got.
    disposition: Disposition,
}

impl Outline for Opened {
    fn outline(&self) -> String {
        Lines::new()
            .words([
                Word::Own("open"),
                Word::Quoted(&self.app),
                Word::Labelled("id", &self.id),
                made(format!("pid={}", self.pid)),
                Word::Own("accepted"),
            ])
            .finish()
    }
}

impl Command for Open {
    const SPEC: Spec = Spec::new("open", Group::Applications, Effect::Launch);
    type Output = Opened;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::AppOpen(self.app.clone())])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Opened> {
        let entry = cx.services.applications()?.find(&self.app)?;
        cx.subject = Subject { app: Some(entry.name.clone()), ..Subject::default() };
        let launched = surehand_apps::launch(entry, cx.services.environment()?)?;
        let disposition = Delivery::DeliveredUnverified.into();
        cx.disposition = Some(disposition);
        Ok(Opened {
            app: entry.name.clone(),
            id: launched.id,
            source: entry.source.token(),
            pid: launched.pid,
            process_instance: launched.generation,
            accepted: true,
            disposition,
        })
    }
}
