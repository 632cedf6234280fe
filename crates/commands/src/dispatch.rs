//! The one way in which commands are run.

use surehand_core::disposition::Delivery;
use surehand_core::time::Cancel;
use surehand_core::{Error, Result};

use crate::command::{Answer, Invocation, Spec};
use crate::context::{Cx, Services};
use crate::gate::Record;

/// What became of a command.
pub struct Outcome {
    /// What is fixed about the command.
    pub spec: Spec,
    /// Its answer or its error.
    pub result: Result<Box<dyn Answer>>,
}

impl Outcome {
    /// The exit status for a process that ran just this.
    pub fn exit_status(&self) -> u8 {
        match &self.result {
            Ok(answer) => answer.exit_status().unwrap_or(0),
            // It failed, and nothing of it is left: another thing than a failure that leaves something.
            Err(error) if error.kind_of() == Some("rolled_back") => 6,
            Err(error) => error.code().exit_status(),
        }
    }
}

/// Runs a command: asks the gate, does it, and has what it did recorded, whether it succeeded or not.
pub fn dispatch(invocation: Box<dyn Invocation>, services: &dyn Services, cancel: &Cancel) -> Outcome {
    let spec = invocation.spec();
    let mut cx = Cx::new(services, cancel);
    let admitted = invocation.resources(&cx).and_then(|resources| services.gate().admit(&spec, &resources));
    let result = match admitted {
        Err(refused) => Err(refused),
        Ok(()) => {
            let result = invocation.run(&mut cx);
            if spec.effect.is_journaled() {
                record(services, &spec, &cx, &result);
            }
            result
        }
    };
    Outcome { spec, result }
}

fn record(services: &dyn Services, spec: &Spec, cx: &Cx<'_>, result: &Result<Box<dyn Answer>>) {
    let (code, disposition) = match result {
        // Nothing was to be done and nothing was.
        Ok(_) if cx.disposition == Some(Delivery::NotDelivered.into()) => return,
        Ok(_) => (None, cx.disposition.unwrap_or(Delivery::Unknown.into())),
        Err(error) => (Some(error.code().token()), Error::delivered(error).into()),
    };
    services.gate().record(&Record { command: spec.name, subject: &cx.subject, code, disposition });
}
