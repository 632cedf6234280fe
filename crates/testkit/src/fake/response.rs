//! What an application does with an operation.

use std::time::Duration;

use surehand_core::error::{Code, Error, Result};
use surehand_core::node::Content;
use surehand_core::object::ObjectId;
use surehand_core::platform::Operation;
use surehand_core::reading::Reading;
use surehand_core::role::Role;
use surehand_core::state::State;

use super::scene::Scene;

/// What happens instead of what a decent toolkit does.
pub(crate) type Response = Box<dyn FnMut(&mut Scene, &Operation) -> Result<()> + Send>;

impl Scene {
    /// Decides what an element does with operations, instead of what a decent toolkit does. It says that all
    /// went well, whatever happens.
    pub fn on(&mut self, object: &ObjectId, mut response: impl FnMut(&mut Scene, &Operation) + Send + 'static) {
        self.answer_with(object, move |scene, operation| {
            response(scene, operation);
            Ok(())
        });
    }

    /// Lets something happen when an element is pressed, after what a decent toolkit does.
    pub fn on_press(&mut self, object: &ObjectId, mut response: impl FnMut(&mut Scene) + Send + 'static) {
        let pressed = object.clone();
        self.on(object, move |scene, operation| {
            scene.obey(&pressed, operation);
            if matches!(operation, Operation::Press { .. }) {
                response(scene);
            }
        });
    }

    /// Lets an element accept every operation and do nothing: a lying toolkit.
    pub fn ignore(&mut self, object: &ObjectId) {
        self.on(object, |_, _| {});
    }

    /// Lets an element do what it is told only after a while.
    pub fn delay(&mut self, object: &ObjectId, span: Duration) {
        let late = object.clone();
        self.on(object, move |scene, operation| {
            let (late, operation) = (late.clone(), operation.clone());
            scene.after(span, move |scene| {
                if scene.lives(&late) {
                    scene.obey(&late, &operation);
                }
            });
        });
    }

    /// Lets an element change every text that is put into it.
    pub fn normalise(&mut self, object: &ObjectId, change: impl Fn(&str) -> String + Send + 'static) {
        let target = object.clone();
        self.on(object, move |scene, operation| match operation {
            Operation::SetText(text) => scene.set_text(&target, &change(text)),
            other => scene.obey(&target, other),
        });
    }

    /// Lets an element answer every operation with a failure.
    pub fn refuse(&mut self, object: &ObjectId, error: Error) {
        self.answer_with(object, move |_, _| Err(error.clone()));
    }

    /// As [`Scene::on`], with the answer that the application gives.
    pub fn answer_with(
        &mut self,
        object: &ObjectId,
        response: impl FnMut(&mut Scene, &Operation) -> Result<()> + Send + 'static,
    ) {
        self.object_mut(object);
        self.responses.insert(object.clone(), Box::new(response));
    }

    /// Carries out an operation that has reached its application.
    pub(crate) fn carry_out(&mut self, object: &ObjectId, operation: &Operation) -> Result<()> {
        let Some(live) = self.objects.get(object) else {
            return Err(Error::new(Code::StaleRef, "the application says there is no such object").kind("gone"));
        };
        if let Operation::Press { action } = operation
            && live.node.affordances.press.as_ref() != Some(action)
        {
            return Err(Error::new(Code::ActionNotSupported, "the element has no action of that name any more"));
        }
        // Taken out for the call, since it may change everything, also itself.
        match self.responses.remove(object) {
            None => {
                self.obey(object, operation);
                Ok(())
            }
            Some(mut response) => {
                let answer = response(self, operation);
                self.responses.entry(object.clone()).or_insert(response);
                answer
            }
        }
    }

    /// Does what a decent toolkit does with an operation: nothing where the element is disabled.
    pub fn obey(&mut self, object: &ObjectId, operation: &Operation) {
        let node = self.object_mut(object).node.clone();
        if node.has(State::Disabled) {
            return;
        }
        match operation {
            Operation::Press { .. } => match node.role {
                Role::CheckBox | Role::Switch => {
                    self.set_state(object, State::Checked, !node.has(State::Checked));
                }
                Role::RadioButton => {
                    self.release_siblings(object);
                    self.set_state(object, State::Checked, true);
                }
                _ => {}
            },
            // Text in the entry of a number is only typed, not entered: toolkits keep the number.
            Operation::SetText(_) | Operation::InsertText(_) if node.sets_number() => {}
            Operation::SetText(text) => self.set_text(object, text),
            Operation::InsertText(text) => {
                let held = match &node.content {
                    Reading::Known(Content::Text { text, .. }) => text.as_str(),
                    _ => "",
                };
                self.set_text(object, &format!("{held}{text}"));
            }
            Operation::SetNumber(number) => self.set_number(object, *number),
            Operation::Focus => self.set_state(object, State::Focused, true),
        }
    }
}
