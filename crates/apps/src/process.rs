//! Telling a process apart from a later one with the same pid.

use std::fs;

/// The generation of a process: the first eight characters of the boot's id, a dash, and the process's start
/// in clock ticks since that boot. `None` when there is no such process.
///
/// Source: `/proc/sys/kernel/random/boot_id` and field 22 of `/proc/PID/stat`. The start alone would repeat
/// after the machine was started again.
pub fn process_generation(pid: u32) -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    Some(format!("{}-{}", boot.get(..8)?, start_ticks(&String::from_utf8_lossy(&stat))?))
}

/// Field 22. The second field is the program's name in brackets and may itself hold brackets and blanks, so
/// fields are counted after the last closing one.
fn start_ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_found_behind_any_name() {
        let fields: String = (3..=52).map(|n| format!(" {n}")).collect();
        assert_eq!(start_ticks(&format!("7 (a) b) c){fields}")), Some(22));
        assert_eq!(start_ticks("7 (a) S 1"), None);
        assert_eq!(start_ticks(""), None);
    }

    #[test]
    fn it_is_the_same_twice_and_absent_for_nobody() {
        let own = std::process::id();
        let generation = process_generation(own).unwrap();
        assert_eq!(process_generation(own).as_ref(), Some(&generation));
        let (boot, ticks) = generation.split_once('-').unwrap();
        assert!(boot.len() == 8 && ticks.parse::<u64>().is_ok(), "{generation}");
        assert_eq!(process_generation(u32::MAX), None);
    }

    /// The adapter makes these tokens too, for what it finds on the accessibility bus, and has this very test;
    /// they are compared with each other.
    #[test]
    fn a_generation_is_eight_digits_of_the_boot_a_dash_and_the_start() {
        let pid = std::process::id();
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        let stat = fs::read(format!("/proc/{pid}/stat")).unwrap();
        let stat = String::from_utf8_lossy(&stat);
        let ticks = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().nth(19).unwrap();
        assert_eq!(process_generation(pid), Some(format!("{}-{ticks}", &boot[..8])));
        assert_eq!(process_generation(u32::MAX), None);
    }
}
