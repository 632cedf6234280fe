//! The fake's clipboard.

use surehand_core::clipboard::{Clipboard, Content, Kind, Owner};
use surehand_core::error::{Code, Error, Result};
use surehand_core::time::Call;

use super::scene::Scene;
use super::{FakePlatform, lock};

/// What is in the clipboard, and how whoever has it behaves.
#[derive(Debug, Default)]
pub(crate) struct Board {
    /// One entry for each kind that its owner hands out.
    held: Vec<Content>,
    owner: Option<Owner>,
    last: Owner,
    /// Another program takes the clipboard with this as soon as it is set or emptied.
    thief: Option<Content>,
    /// Our own owner hands out this instead.
    altered: Option<Content>,
    silent: bool,
}

impl Board {
    fn take(&mut self, held: Vec<Content>) -> Owner {
        self.last += 1;
        self.owner = Some(self.last);
        self.held = held;
        self.last
    }
}

impl Scene {
    /// An application copies something, in as many forms as are given.
    pub fn copy(&mut self, held: impl IntoIterator<Item = Content>) {
        let held = held.into_iter().collect();
        self.board.take(held);
    }

    /// What is in the clipboard.
    pub fn copied(&self) -> &[Content] {
        &self.board.held
    }

    /// Lets an application copy this the moment the clipboard is set or emptied the next time.
    pub fn copies_at_once(&mut self, content: Content) {
        self.board.thief = Some(content);
    }

    /// Lets the owner of what is set next hand out something else.
    pub fn alters_copies(&mut self, content: Content) {
        self.board.altered = Some(content);
    }

    /// Lets whoever has the clipboard not hand it out.
    pub fn holds_back_copies(&mut self) {
        self.board.silent = true;
    }
}

impl Clipboard for FakePlatform {
    fn read(&self, call: &Call<'_>, wanted: &[Kind]) -> Result<Option<Content>> {
        call.go_on()?;
        let scene = lock(&self.scene);
        let board = &scene.board;
        if board.silent && board.owner.is_some() {
            return Err(Error::new(Code::AppUnresponsive, "the program that has the clipboard does not hand it out")
                .kind("owner_silent"));
        }
        Ok(wanted.iter().find_map(|kind| board.held.iter().find(|content| content.kind() == *kind)).cloned())
    }

    fn own(&self, call: &Call<'_>, content: &Content) -> Result<Owner> {
        call.go_on()?;
        let board = &mut lock(&self.scene).board;
        let held = board.altered.take().unwrap_or_else(|| content.clone());
        let owner = board.take(vec![held]);
        if let Some(thief) = board.thief.take() {
            board.take(vec![thief]);
        }
        Ok(owner)
    }

    fn owner(&self, call: &Call<'_>) -> Result<Option<Owner>> {
        call.go_on()?;
        Ok(lock(&self.scene).board.owner)
    }

    fn clear(&self, call: &Call<'_>) -> Result<()> {
        call.go_on()?;
        let board = &mut lock(&self.scene).board;
        (board.owner, board.held) = (None, Vec::new());
        if let Some(thief) = board.thief.take() {
            board.take(vec![thief]);
        }
        Ok(())
    }
}
