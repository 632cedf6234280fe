//! `cargo xtask fuzz`: looks for input that breaks what holds for all input.
//!
//! The properties are functions that the tests run over fixed random bytes. Here libFuzzer chooses the bytes, led by
//! counters of which code was reached. It needs no nightly toolchain: the counters are a pass of LLVM that the stable
//! compiler runs when it is told to. No sanitizer of memory is on, since that does need one.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{cargo, printed, root, run, say};

/// The targets, in the order in which they are run.
const TARGETS: &[&str] =
    &["chords", "clipping", "evidence", "folding", "labels", "outline", "quoting", "refs", "replies"];

/// What the compiler is told, so that libFuzzer sees where an input leads.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
];

/// More memory than this is taken by no honest input, in megabytes: the bus library bounds one message at 128.
const MEMORY: u32 = 1_024;

/// `cargo xtask fuzz`
#[derive(Debug, clap::Args)]
pub(crate) struct Fuzz {
    /// Only this target.
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(TARGETS))]
    target: Option<String>,
    /// Run only these inputs, for example one that was kept because it failed.
    #[arg(requires = "target", value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// Stop each target after so many inputs; 0 for no limit.
    #[arg(long, value_name = "N", default_value_t = 0)]
    runs: u64,
    /// Stop each target after so many seconds.
    #[arg(long, value_name = "S", default_value_t = 60)]
    seconds: u64,
    /// The same seed tries the same inputs, as far as the corpus is the same.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u32,
}

impl Fuzz {
    /// Builds the targets and runs them.
    ///
    /// # Errors
    /// When they cannot be built, or an input breaks a property; where it is kept was printed then.
    pub(crate) fn run(self) -> Result<()> {
        ensure!(cfg!(target_os = "linux"), "the targets are built on Linux only");
        let program = build()?;
        let below = root().join("target/fuzz");
        for target in TARGETS.iter().filter(|target| self.target.as_deref().is_none_or(|only| only == **target)) {
            let corpus = below.join("corpus").join(target);
            std::fs::create_dir_all(&corpus).with_context(|| format!("cannot make {}", corpus.display()))?;
            let mut fuzzer = Command::new(&program);
            fuzzer.current_dir(root()).env("SUREHAND_FUZZ_TARGET", target);
            fuzzer.args(self.arguments(target, &corpus, &below));
            run(&mut fuzzer).with_context(|| {
                format!("replay with `cargo xtask fuzz {target} FILE`; the file is below {}", below.display())
            })?;
        }
        say(format_args!("fuzz: nothing was found"));
        Ok(())
    }

    /// What libFuzzer is told.
    fn arguments(&self, target: &str, corpus: &Path, below: &Path) -> Vec<String> {
        let failures = below.join(format!("{target}-")).display().to_string();
        let mut arguments = vec![format!("-artifact_prefix={failures}"), format!("-rss_limit_mb={MEMORY}")];
        if !self.inputs.is_empty() {
            arguments.extend(self.inputs.iter().map(|input| input.display().to_string()));
            return arguments;
        }
        let runs = if self.runs == 0 { "-1".to_owned() } else { self.runs.to_string() };
        arguments.extend([
            format!("-runs={runs}"),
            format!("-max_total_time={}", self.seconds),
            format!("-seed={}", self.seed),
            "-max_len=2048".to_owned(),
            "-timeout=60".to_owned(),
            "-print_final_stats=1".to_owned(),
            "-verbosity=0".to_owned(),
            corpus.display().to_string(),
        ]);
        arguments
    }
}

/// Builds the program with all targets.
fn build() -> Result<PathBuf> {
    let told = printed(Command::new("rustc").arg("-vV"))?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc does not tell its host")?;
    let directory = root().join("target/fuzz/build");
    // Naming the target keeps the flags from build scripts, which would lack what the counters call.
    let arguments = ["build", "--locked", "--manifest-path", "fuzz/Cargo.toml", "--target", host, "--target-dir"];
    run(cargo().args(arguments).arg(&directory).env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}")))?;
    Ok(directory.join(host).join("debug/surehand-fuzz"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every target of the program is run, and no other is asked for.
    #[test]
    fn the_targets_are_those_of_the_program() {
        let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
        let names = |text: &str, start: &str| -> Vec<String> {
            let list = text.split_once(start).unwrap().1.split_once("];").unwrap().0;
            list.split("(\"").skip(1).map(|entry| entry.split_once('"').unwrap().0.to_owned()).collect()
        };
        let mut there = names(&read("crates/testkit/src/properties.rs"), "pub const CORE");
        there.extend(names(&read("fuzz/src/main.rs"), "const ABOVE"));
        there.sort_unstable();
        assert_eq!(there, TARGETS);
    }
}
