//! Which crate may depend on what.

use anyhow::{Context, Result};
use serde_json::Value;
use toml::Table;

use super::{Repository, Violation};

/// The layers: what each crate of ours may depend on. Everything may use `testkit` in its tests.
const LAYERS: &[(&str, &[&str])] = &[
    ("surehand-core", &[]),
    ("surehand-linux", &["surehand-core"]),
    ("surehand-apps", &["surehand-core"]),
    ("surehand-kernel", &["surehand-core"]),
    ("surehand-commands", &["surehand-core", "surehand-apps", "surehand-kernel"]),
    ("surehand-runtime", &["surehand-core", "surehand-linux", "surehand-apps", "surehand-kernel", "surehand-commands"]),
    ("surehand-cli", &["surehand-core", "surehand-commands", "surehand-runtime"]),
    ("surehand-testkit", &["surehand-core", "surehand-kernel"]),
    ("xtask", &[]),
];

/// Crates from outside that only some of ours may use, outside of tests. A `*` ends a prefix.
const CONFINED: &[(&str, &[&str])] = &[
    ("tokio*", &["surehand-linux"]),
    ("futures*", &["surehand-linux"]),
    ("async-*", &["surehand-linux"]),
    ("zbus*", &["surehand-linux"]),
    ("atspi*", &["surehand-linux"]),
    ("x11rb*", &["surehand-linux"]),
    ("clap*", &["surehand-commands", "surehand-cli", "surehand-testkit", "xtask"]),
    ("anyhow", &["xtask"]),
];

/// The test crate.
const TESTKIT: &str = "surehand-testkit";

/// Dependencies between our crates only point down.
pub(super) fn layers(repository: &Repository) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    for package in repository.packages()? {
        let (name, manifest) = identity(repository, package)?;
        let Some((_, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == name) else {
            found.push(Violation::new(&manifest, 0, format!("`{name}` is in no layer; give it one in xtask")));
            continue;
        };
        for (dependency, dev) in dependencies(package)? {
            let ours = dependency.starts_with("surehand-") || dependency == "xtask";
            if ours && !allowed.contains(&dependency) && !(dev && dependency == TESTKIT) {
                let line = line_naming(repository, &manifest, dependency);
                found.push(Violation::new(&manifest, line, format!("`{name}` may not depend on `{dependency}`")));
            }
        }
    }
    Ok(found)
}

/// Async, D-Bus, X11 and argument parsing stay in the crates that are about them.
pub(super) fn confined_dependencies(repository: &Repository) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    for package in repository.packages()? {
        let (name, manifest) = identity(repository, package)?;
        for (dependency, dev) in dependencies(package)? {
            let confined = CONFINED.iter().find(|(pattern, _)| match pattern.strip_suffix('*') {
                Some(prefix) => dependency.starts_with(prefix),
                None => dependency == *pattern,
            });
            if let Some((_, homes)) = confined
                && !dev
                && !homes.contains(&&*name)
            {
                let line = line_naming(repository, &manifest, dependency);
                let what = format!("`{dependency}` may be used by {} only, not by `{name}`", homes.join(", "));
                found.push(Violation::new(&manifest, line, what));
            }
        }
    }
    Ok(found)
}

/// Every crate takes lints, package fields and dependencies from the workspace.
pub(super) fn manifests(repository: &Repository) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    for package in repository.packages()? {
        let (_, manifest) = identity(repository, package)?;
        let text = repository.file(&manifest).with_context(|| format!("{manifest} is not in the repository"))?;
        let table: Table = text.parse().with_context(|| format!("{manifest} is not valid"))?;
        let inherits = |table: Option<&toml::Value>| {
            table.and_then(|value| value.get("workspace")).and_then(toml::Value::as_bool) == Some(true)
        };
        if !inherits(table.get("lints")) {
            found.push(Violation::new(&manifest, 0, "it lacks `[lints] workspace = true`"));
        }
        for field in ["version", "edition", "rust-version", "license", "publish"] {
            if !inherits(table.get("package").and_then(|package| package.get(field))) {
                found.push(Violation::new(&manifest, 0, format!("it lacks `{field}.workspace = true`")));
            }
        }
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let targets = table.get("target").and_then(toml::Value::as_table);
            let tables = targets.iter().flat_map(|targets| targets.values()).filter_map(|target| target.get(section));
            for (dependency, value) in tables.chain(table.get(section)).filter_map(toml::Value::as_table).flatten() {
                if !inherits(Some(value)) {
                    let line = line_naming(repository, &manifest, dependency);
                    let what = format!("`{dependency}` has to come from `[workspace.dependencies]`");
                    found.push(Violation::new(&manifest, line, what));
                }
            }
        }
    }
    Ok(found)
}

/// The name of a crate and the path of its manifest.
fn identity(repository: &Repository, package: &Value) -> Result<(String, String)> {
    let name = package["name"].as_str().context("cargo metadata has a package without a name")?;
    Ok((name.to_owned(), repository.relative(&package["manifest_path"])?))
}

/// What a crate depends on directly, and whether that is for its tests only.
pub(super) fn dependencies(package: &Value) -> Result<Vec<(&str, bool)>> {
    let list = package["dependencies"].as_array().context("cargo metadata has a package without dependencies")?;
    list.iter()
        .map(|dependency| {
            let name = dependency["name"].as_str().context("cargo metadata has a dependency without a name")?;
            Ok((name, dependency["kind"] == "dev"))
        })
        .collect()
}

/// The first line of a file that begins with a name.
fn line_naming(repository: &Repository, file: &str, name: &str) -> usize {
    let text = repository.file(file).unwrap_or_default();
    text.lines().position(|line| line.starts_with(name)).map_or(0, |line| line + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::assert_found;
    use super::*;

    fn sample(name: &str, manifest: &str, dependencies: &Value) -> Repository {
        Repository::sample(&[("crates/x/Cargo.toml", manifest)]).with_packages(json!([{
            "name": name, "manifest_path": "/r/crates/x/Cargo.toml", "dependencies": dependencies,
        }]))
    }

    #[test]
    fn a_dependency_may_not_point_up_or_sideways() {
        let manifest = "[dependencies]\nsurehand-linux.workspace = true\n";
        let dependencies = json!([
            { "name": "surehand-core", "kind": null },
            { "name": "surehand-linux", "kind": null },
            { "name": "surehand-testkit", "kind": "dev" },
            { "name": "serde", "kind": null },
        ]);
        let repository = sample("surehand-commands", manifest, &dependencies);
        assert_found(
            layers,
            &repository,
            &["crates/x/Cargo.toml:2: `surehand-commands` may not depend on `surehand-linux`"],
        );
        let repository = sample("surehand-apps", "", &json!([{ "name": "surehand-testkit", "kind": null }]));
        assert_found(layers, &repository, &["may not depend on `surehand-testkit`"]);
    }

    #[test]
    fn a_new_crate_needs_a_layer() {
        assert_found(layers, &sample("surehand-new", "", &json!([])), &["`surehand-new` is in no layer"]);
    }

    #[test]
    fn a_confined_dependency_outside_of_its_home_is_found() {
        let dependencies = json!([
            { "name": "tokio", "kind": null },
            { "name": "futures-util", "kind": "dev" },
            { "name": "x11rb", "kind": "build" },
            { "name": "clap_complete", "kind": null },
        ]);
        let expected = ["`tokio` may be used by surehand-linux", "`x11rb`", "`clap_complete`"];
        assert_found(confined_dependencies, &sample("surehand-core", "", &dependencies), &expected);
        assert_found(confined_dependencies, &sample("surehand-linux", "", &dependencies), &["`clap_complete`"]);
    }

    #[test]
    fn a_manifest_of_its_own_ways_is_found() {
        let manifest = "[package]\nname = \"x\"\nversion = \"1.0.0\"\nedition.workspace = true\n\
            rust-version.workspace = true\nlicense.workspace = true\npublish.workspace = true\n\
            [dependencies]\nserde = \"1\"\nanyhow.workspace = true\n[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n";
        let expected =
            ["`[lints] workspace = true`", "`version.workspace", "Cargo.toml:12: `libc`", "Cargo.toml:9: `serde`"];
        assert_found(manifests, &sample("x", manifest, &json!([])), &expected);
        let manifest = format!(
            "{}\n[lints]\nworkspace = true\n",
            manifest.replace("version = \"1.0.0\"", "version.workspace = true")
        );
        let manifest = manifest.replace("serde = \"1\"", "").replace("libc = \"0.2\"", "");
        assert_found(manifests, &sample("x", &manifest, &json!([])), &[]);
    }
}
