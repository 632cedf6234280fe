//! A small run of the churn harness: enough to notice that refs have begun to lie. The full size is
//! `cargo xtask bench churn`.
#![cfg(target_os = "linux")]

use std::path::PathBuf;

use surehand_testkit::churn::{Config, Mode, Toolkit, Verdict, run, table};

#[test]
fn live_no_ref_leads_to_another_element_while_windows_change() {
    let report = run(&Config {
        binary: PathBuf::from(env!("CARGO_BIN_EXE_surehand")),
        adapter: None,
        seed: 20_000,
        trials: 0..80,
        toolkits: Toolkit::ALL.to_vec(),
        mode: Mode::Before,
        desktops: 2,
        progress: |_| {},
    });
    let json = report.json();
    let told = format!("{}\n{:#}", table(&json), json["stories"]);
    assert_eq!(report.trials.len(), 80);
    assert_eq!(report.count(Verdict::Wrong), 0, "{told}");
    assert_eq!(report.count(Verdict::Lost), 0, "{told}");
    let (unchanged, right) = report.unchanged();
    assert!(unchanged >= 15, "too few elements stayed as they were to say anything\n{told}");
    assert_eq!(unchanged, right, "{told}");
    // All of it would pass as well if everything was refused, or nothing ever.
    assert!(report.count(Verdict::Right) > 20 && report.count(Verdict::Refused) > 20, "{told}");
}
