//! Passes the target triple on to the program, which prints it in `version`.

#[expect(clippy::disallowed_methods, reason = "this is how Cargo and a build script talk")]
fn main() {
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=SUREHAND_TARGET={target}");
    println!("cargo::rerun-if-changed=build.rs");
}
