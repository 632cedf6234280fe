//! Do and undo: plans of file effects that a person can read before, and take back afterwards.
//!
//! # The way of a plan
//!
//! 1. [`policy`] judges the declared [capabilities](capability) and every [action] against the root.
//! 2. [`compile`] looks at the files once, orders the actions so that no step needs a name that another one
//!    still holds (chains and cycles of names are taken apart), and records what each step expects to find.
//! 3. The result is a [`plan`]: canonical JSON, fixed by its SHA-256, kept in the state directory.
//! 4. [`engine`] carries the steps out in groups, with the [`journal`] ahead of every effect; the same engine
//!    rolls back, recovers, undoes and redoes, because taking back a step is a step as well.
//!
//! | module | concept |
//! |---|---|
//! | [`sys`] | the one trait through which everything reaches files; its Linux implementation |
//! | [`path`] | names beneath a root, as bytes |
//! | [`root`] | an opened root: the handles of its directories, and our own folder in it |
//! | [`capability`], [`refusal`], [`authority`], [`policy`] | what is allowed, and one refusal for each rule |
//! | [`action`], [`compile`], [`plan`] | what is asked for, in which steps, fixed |
//! | [`effect`] | how one step is checked, prepared, applied, probed and taken back |
//! | [`journal`], [`anchor`] | the record beside the data, and its head in our state |
//! | [`engine`] | groups, failure, crash, undo, redo |
//! | [`vault`], [`history`] | what is kept for undo, and what readers see |
//! | [`workspace`] | what commands work with: configured roots, plans by their digest |
//!
//! # The rules that everything follows from
//!
//! - **A file is only ever renamed.** Each step moves inodes between known places, by renames that replace
//!   nothing (or exchange two names). What is new is made complete under a name inside `.surehand` first. So a
//!   recorded inode is at its old place or at its new one, and one look tells which.
//! - **The intent is durable before the effect, the effect is durable before `ok`.** An intent names the inodes.
//! - **Taking back is doing.** The inverse of a step is a step with its own intent, so a crash in a rollback, an
//!   undo or a recovery is settled by the same look as a crash in the first place.
//!
//! # One move, on paper
//!
//! `a/x` to `b/x`, where inode 7 is at `a/x`. *Plan*: step `shift a/x -> b/x`, expects inode 7 with its size and
//! times. *Apply*: lock `.surehand/lock`; settle what an earlier run left open. Check that inode 7 is at `a/x`
//! and nothing at `b/x`. Append `started` with the inode, `fdatasync`. Rename without replacing. Sync `b`, then `a`.
//! Append `ok`. Where a crash falls:
//!
//! | crash | on the disk | recovery finds inode 7 | and writes |
//! |---|---|---|---|
//! | before the intent is durable | `a/x` | no intent | nothing |
//! | after it, before the rename is durable | `a/x` | at the source | `failed`, not done |
//! | after the rename is durable | `b/x` | at the target | `ok` |
//! | (somebody took it away meanwhile) | elsewhere | nowhere | `unknown`, never replayed |
//!
//! *Undo* is `shift b/x -> a/x` with an intent of its own; if something else is at `a/x` by now, nothing is moved,
//! and both stay.
//!
//! # One write, on paper
//!
//! New content for `n.txt`, where inode 3 is. *Prepare*: the content goes into a new file, inode 9, under a unique
//! name in `.surehand/vault`, with the old mode and attributes; it is synced, and so is the vault. *Intent*: inode 9
//! in the vault, inode 3 at `n.txt`, the SHA-256 of the new content; durable. *Apply*: exchange both names; one call,
//! so at any moment one of them is at `n.txt` and the other in the vault. Sync both directories, append `ok`.
//! A probe that finds 9 at `n.txt` and 3 in the vault says done, the other way round not done, anything else
//! unknown. What a crash before the intent leaves in the vault is named by no line, holds only a copy of the plan's
//! content, and is swept. *Undo* checks that `n.txt` still is inode 9 with that SHA-256, and exchanges again.

pub mod action;
pub mod anchor;
pub mod authority;
pub mod canonical;
pub mod capability;
pub mod compile;
pub mod effect;
pub mod engine;
pub mod history;
pub mod journal;
pub mod path;
pub mod plan;
pub mod policy;
pub mod refusal;
pub mod root;
pub mod sys;
pub mod vault;
pub mod workspace;
