//! What the kernel tells of a process.

use std::fs;

use surehand_core::object::Process;

/// The start of a process, unique across boots: two processes of the same pid never share it.
///
/// The same token is made where applications are launched, so that a launched process and the one found on
/// the accessibility bus can be compared.
pub(crate) fn generation(pid: u32) -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(format!("{}-{}", boot.get(..8)?, stat_field(&stat, 22)?))
}

/// The process of that pid as it is now.
pub(crate) fn process(pid: u32) -> Option<Process> {
    Some(Process { pid, generation: generation(pid)? })
}

/// Whether the very process is running: neither gone, nor a zombie, nor another one of the same pid.
pub(crate) fn is_running(process: &Process) -> bool {
    let alive = state(process.pid).is_some_and(|state| !matches!(state, 'Z' | 'X'));
    alive && generation(process.pid).as_ref() == Some(&process.generation)
}

/// Whether the process has been stopped by a signal or a debugger, so that asking it anything is in vain.
pub(crate) fn is_stopped(pid: u32) -> bool {
    state(pid).is_some_and(|state| matches!(state, 'T' | 't'))
}

/// The file name of the program, from the kernel and not from what the process calls itself.
pub(crate) fn program(pid: u32) -> String {
    let exe = fs::read_link(format!("/proc/{pid}/exe")).ok();
    let name = exe.as_deref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
    name.map(|name| name.strip_suffix(" (deleted)").unwrap_or(&name).to_owned())
        .or_else(|| fs::read_to_string(format!("/proc/{pid}/comm")).ok().map(|comm| comm.trim_end().to_owned()))
        .unwrap_or_default()
}

/// What the process has mapped into its memory, as text; nothing where that may not be read.
pub(crate) fn maps(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default()
}

fn state(pid: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat_field(&stat, 3)?.chars().next()
}

/// A field of `/proc/PID/stat` by its number in proc(5). The second one, the program's name in parentheses,
/// can itself hold blanks and parentheses, so fields are counted from the last closing one.
fn stat_field(stat: &str, number: usize) -> Option<&str> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(number.checked_sub(3)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_with_parentheses_does_not_shift_the_fields() {
        let stat = "7 (a) S (b) R 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4242 99";
        assert_eq!(stat_field(stat, 3), Some("R"));
        assert_eq!(stat_field(stat, 22), Some("4242"));
    }

    #[test]
    fn this_process_is_running_and_another_generation_of_it_is_not() {
        let own = process(std::process::id()).expect("own process");
        assert!(is_running(&own) && !is_stopped(own.pid));
        assert!(!is_running(&Process { generation: "00000000-1".into(), ..own }));
    }
}
