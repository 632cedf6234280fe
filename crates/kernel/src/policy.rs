//! What may be planned: capabilities first, then every action by its effect and the files it touches.

use std::path::Path;

use surehand_core::Result;

use crate::action::{Action, Request};
use crate::authority::path_of;
use crate::capability::{Capability, ScopeKind, THE_ROOT, Verb};
use crate::path::{Odd, RelPath, shown};
use crate::refusal::{Refusal, Rule};
use crate::root::Root;

/// Judges declared capabilities: each has to be granted, and a scope of files has to be within the root.
///
/// # Errors
/// [`Rule::ScopeOutside`] or [`Rule::NotGranted`], naming the capability.
pub fn check_capabilities(declared: &[Capability], granted: &[Capability], root: &Path) -> Result<(), Refusal> {
    for capability in declared {
        if capability.verb.scope() == ScopeKind::Root && !scope_is_within(&capability.scope, root) {
            let why = format!("the scope of `{}` is not within the root", shown(capability.to_string().as_bytes()));
            return Err(Refusal::new(Rule::ScopeOutside, why).at(capability.scope.as_bytes()));
        }
        if !granted.iter().any(|grant| includes(grant, capability, root)) {
            let why = format!("{} is not granted", shown(capability.to_string().as_bytes()));
            return Err(Refusal::new(Rule::NotGranted, why));
        }
    }
    Ok(())
}

/// Whether a scope of files lies within the root as it is written. `..` never does.
fn scope_is_within(scope: &str, root: &Path) -> bool {
    scope == THE_ROOT || relative(scope, root).is_some()
}

/// The part of an absolute scope below the root.
fn relative(scope: &str, root: &Path) -> Option<Vec<u8>> {
    let path = Path::new(scope);
    let plain = path.is_absolute() && !path.components().any(|part| part == std::path::Component::ParentDir);
    let rest = plain.then(|| path.strip_prefix(root).ok()).flatten()?;
    Some(rest.as_os_str().as_encoded_bytes().to_vec())
}

/// Whether one capability includes another.
fn includes(grant: &Capability, wanted: &Capability, root: &Path) -> bool {
    if grant.verb != wanted.verb {
        return false;
    }
    if grant.verb.scope() != ScopeKind::Root || grant.scope == wanted.scope {
        return grant.scope == wanted.scope;
    }
    let absolute = |scope: &str| if scope == THE_ROOT { root.to_path_buf() } else { Path::new(scope).to_path_buf() };
    let (outer, inner) = (absolute(&grant.scope), absolute(&wanted.scope));
    let plain =
        |path: &Path| path.is_absolute() && !path.components().any(|part| part == std::path::Component::ParentDir);
    plain(&outer) && plain(&inner) && inner.starts_with(outer)
}

/// Judges one action: covered by what is declared, reversible, and every path within the root, by its name and by the
/// handles that lead to it. The source of a move is judged by its parent, so that a link can be moved; it is not followed.
///
/// # Errors
/// The refusal, as an error that names rule, action and path.
pub fn check_action(request: &Request, root: &Root<'_>, declared: &[Capability]) -> Result<Vec<RelPath>> {
    let id = id_of(request);
    let action = &request.action;
    if let Action::Delete { path } = action {
        let why = "what is deleted has no way back; put it into the vault with `fs.trash`";
        return Err(Refusal::new(Rule::Irreversible, why).of(&id).at(&path.0).into());
    }
    let mut paths = Vec::new();
    for bytes in action.paths() {
        let path = RelPath::new(bytes).map_err(|odd| odd_path(odd).of(&id).at(bytes))?;
        for verb in action.verbs() {
            if !declared.iter().any(|capability| covers(capability, *verb, &path, root)) {
                let why = format!("`{}` is not declared for it", verb.token());
                return Err(Refusal::new(Rule::NotDeclared, why).of(&id).at(bytes).into());
            }
        }
        root.judge(&path).map_err(|error| named(error, &id))?;
        paths.push(path);
    }
    Ok(paths)
}

/// Judges a window by the application it belongs to: the seam for steps that act on applications.
///
/// # Errors
/// [`Rule::WindowOutOfScope`].
pub fn check_window(verb: Verb, app: &str, declared: &[Capability]) -> Result<(), Refusal> {
    if declared.iter().any(|capability| capability.verb == verb && capability.scope == app) {
        return Ok(());
    }
    Err(Refusal::new(
        Rule::WindowOutOfScope,
        format!("`{}` is not declared for {}", verb.token(), shown(app.as_bytes())),
    ))
}

fn covers(capability: &Capability, verb: Verb, path: &RelPath, root: &Root<'_>) -> bool {
    capability.verb == verb
        && (capability.scope == THE_ROOT
            || relative(&capability.scope, &root.path)
                .is_some_and(|rest| rest.is_empty() || RelPath::new(rest).is_ok_and(|scope| path.is_within(&scope))))
}

fn odd_path(odd: Odd) -> Refusal {
    match odd {
        Odd::Absolute => Refusal::new(Rule::PathEscapes, "it is absolute; paths are relative to the root"),
        Odd::Upward => Refusal::new(Rule::PathEscapes, "it leads upward"),
        Odd::Malformed => {
            Refusal::new(Rule::PathOdd, "it is empty, too long, or has an empty component, a `.` or a NUL")
        }
    }
}

/// The id of an action: its own, or what it does where.
pub fn id_of(request: &Request) -> String {
    match &request.id {
        Some(id) => id.clone(),
        None => {
            let kind = request.action.kind();
            let word = kind.rsplit('.').next().unwrap_or(kind);
            let path = request.action.paths().first().map(|path| String::from_utf8_lossy(path).into_owned());
            format!("{word}:{}", path.unwrap_or_default())
        }
    }
}

/// Adds the action to a refusal that does not know it.
fn named(error: surehand_core::Error, id: &str) -> surehand_core::Error {
    if error.details().contains_key("action") { error } else { error.detail("action", id) }
}

/// The absolute path of something below a root, for showing.
pub fn absolute(root: &Root<'_>, path: &RelPath) -> std::path::PathBuf {
    root.path.join(path_of(path.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(texts: &[&str]) -> Vec<Capability> {
        texts.iter().map(|text| text.parse().expect("a capability")).collect()
    }

    #[test]
    fn capabilities_have_to_be_granted_within_the_root() {
        let root = Path::new("/r/a");
        let rule = |declared: &[&str], granted: &[&str]| {
            check_capabilities(&list(declared), &list(granted), root).err().map(|refusal| refusal.rule)
        };
        assert_eq!(rule(&["fs.move:ROOT"], &["fs.move:ROOT"]), None);
        assert_eq!(rule(&["fs.move:/r/a/b"], &["fs.move:ROOT"]), None);
        assert_eq!(rule(&["fs.move:ROOT"], &["fs.move:/r/a/b"]), Some(Rule::NotGranted));
        assert_eq!(rule(&["fs.write:ROOT"], &["fs.move:ROOT"]), Some(Rule::NotGranted));
        assert_eq!(rule(&["fs.move:/r"], &["fs.move:/r"]), Some(Rule::ScopeOutside));
        assert_eq!(rule(&["fs.move:/r/ab"], &["fs.move:/r/ab"]), Some(Rule::ScopeOutside));
        assert_eq!(rule(&["fs.move:/r/a/../b"], &["fs.move:/"]), Some(Rule::ScopeOutside));
        assert_eq!(rule(&["ui.act:calc"], &["ui.act:notes"]), Some(Rule::NotGranted));
        assert_eq!(rule(&["clipboard.set"], &["clipboard.set"]), None);
    }

    #[test]
    fn a_window_of_another_application_is_out_of_scope() {
        let declared = list(&["ui.act:notes"]);
        assert!(check_window(Verb::UiAct, "notes", &declared).is_ok());
        let refused = check_window(Verb::UiAct, "calc", &declared).expect_err("another application");
        assert_eq!(refused.rule, Rule::WindowOutOfScope);
        assert!(check_window(Verb::Window, "notes", &declared).is_err());
    }
}
