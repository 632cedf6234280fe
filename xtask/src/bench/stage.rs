//! An application on a private desktop of its own.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::process::{asked, printed, say, temporary, wait_until};

/// An application that can be measured.
#[derive(Debug)]
pub(super) struct Application {
    /// What `--apps` calls it.
    pub(super) name: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    /// A part of the title of the window that is read.
    title: &'static str,
    /// Whether its window is too large to be read whole.
    large: bool,
}

const CHROMIUM: &[&str] = &[
    "--force-renderer-accessibility",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-gpu",
    "--user-data-dir={home}/chromium",
    "{page}",
];

/// `{home}` stands for a directory of the stage, `{page}` for a page in it, `{fixtures}` for the fixtures of testkit.
pub(super) const APPLICATIONS: &[Application] = &[
    Application { name: "gtk3", program: "gtk3-widget-factory", arguments: &[], title: "", large: false },
    Application { name: "gtk4", program: "gtk4-widget-factory", arguments: &[], title: "", large: false },
    Application { name: "qt", program: "featherpad", arguments: &["--standalone"], title: "", large: false },
    Application {
        name: "writer",
        program: "soffice",
        arguments: &["--norestore", "--nofirststartwizard", "-env:UserInstallation=file://{home}/office", "--writer"],
        title: "Writer",
        large: false,
    },
    Application { name: "chromium", program: "chromium", arguments: CHROMIUM, title: "Orders", large: false },
];

/// What is clicked in.
pub(super) const CLICKS: &[Application] = &[
    Application {
        name: "gtk3",
        program: "/usr/bin/python3",
        arguments: &["{fixtures}/gtk3_app.py"],
        title: "",
        large: false,
    },
    Application {
        name: "gtk4",
        program: "/usr/bin/python3",
        arguments: &["{fixtures}/gtk4_app.py"],
        title: "",
        large: false,
    },
    Application {
        name: "qt5",
        program: "/usr/bin/python3",
        arguments: &["{fixtures}/qt_app.py", "5"],
        title: "",
        large: false,
    },
    Application {
        name: "qt6",
        program: "/usr/bin/python3",
        arguments: &["{fixtures}/qt_app.py", "6"],
        title: "",
        large: false,
    },
    Application { name: "chromium", program: "chromium", arguments: CHROMIUM, title: "Orders", large: false },
];

/// Windows that are too large to be read whole. `{rows}` stands for how many rows the table has.
pub(super) const LARGE: &[Application] = &[
    Application {
        name: "gtk3",
        program: "/usr/bin/python3",
        arguments: &["{fixtures}/large_app.py", "gtk3", "--rows", "{rows}"],
        title: "Ledger gtk3",
        large: true,
    },
    Application {
        name: "gtk4",
        program: "/usr/bin/python3",
        arguments: &["{fixtures}/large_app.py", "gtk4", "--rows", "{rows}"],
        title: "Ledger gtk4",
        large: true,
    },
    Application {
        name: "qt5",
        program: "/usr/bin/python3",
        arguments: &["{fixtures}/large_app.py", "qt5", "--rows", "{rows}"],
        title: "Ledger qt5",
        large: true,
    },
    Application {
        name: "qt6",
        program: "/usr/bin/python3",
        arguments: &["{fixtures}/large_app.py", "qt6", "--rows", "{rows}"],
        title: "Ledger qt6",
        large: true,
    },
    Application {
        name: "calc",
        program: "soffice",
        arguments: &["--norestore", "--nofirststartwizard", "-env:UserInstallation=file://{home}/office", "--calc"],
        title: "Calc",
        large: true,
    },
];

/// How long an application may take until its window is there and does not change any more.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long it may take to end.
const END: Duration = Duration::from_secs(10);

/// The window that is read.
#[derive(Debug)]
pub(super) struct Window {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) pid: u64,
}

/// A private desktop with one application on it. What was started is taken down when it goes.
#[derive(Debug)]
pub(super) struct Stage {
    application: &'static Application,
    rows: u64,
    program: PathBuf,
    home: PathBuf,
    desktop: Option<String>,
    environment: BTreeMap<String, String>,
    child: Option<Child>,
    window: Window,
}

impl Stage {
    /// Starts the desktop and the application, and waits until its window has come to rest.
    ///
    /// # Errors
    /// When one of them does not come up.
    pub(super) fn set(program: &Path, application: &'static Application) -> Result<Stage> {
        Stage::with_rows(program, application, 0)
    }

    /// The same, with a table of so many rows where it has one.
    ///
    /// # Errors
    /// As [`Stage::set`].
    pub(super) fn with_rows(program: &Path, application: &'static Application, rows: u64) -> Result<Stage> {
        let window = Window { id: String::new(), title: String::new(), pid: 0 };
        let mut stage = Stage {
            application,
            rows,
            program: program.to_owned(),
            home: home(application.name)?,
            desktop: None,
            environment: BTreeMap::new(),
            child: None,
            window,
        };
        let started = stage.answer(&["desktop", "start", "--size", "1280x900"])?;
        let desktop = started["id"].as_str().context("`desktop start` told no id")?.to_owned();
        stage.desktop = Some(desktop.clone());
        let told = stage.answer(&["desktop", "env", &desktop])?;
        let variables = told["environment"].as_object().context("`desktop env` told none")?;
        let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        stage.environment = variables.iter().filter_map(text).collect();
        stage.child = Some(stage.launch()?);
        stage.window = stage.at_rest()?;
        Ok(stage)
    }

    pub(super) fn application(&self) -> &Application {
        self.application
    }

    pub(super) fn window(&self) -> &Window {
        &self.window
    }

    /// A program in this desktop session.
    pub(super) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.environment);
        command
    }

    /// The binary in this desktop session.
    pub(super) fn surehand(&self) -> Command {
        let mut command = self.command(&self.program);
        command.env("SUREHAND_HOME", &self.home);
        command
    }

    /// Takes everything down.
    ///
    /// # Errors
    /// When the desktop cannot be stopped.
    pub(super) fn clear(mut self) -> Result<()> {
        self.take_down()
    }

    /// The file that a fixture writes its events to.
    pub(super) fn log(&self) -> PathBuf {
        self.home.join("log")
    }

    fn launch(&self) -> Result<Child> {
        let page = self.home.join("orders.html");
        std::fs::write(&page, orders())?;
        let home = self.home.to_str().context("the temporary directory's name is not valid text")?;
        let page = page.to_str().context("the temporary directory's name is not valid text")?;
        let mut command = self.command(self.application.program);
        let fixtures = crate::process::root().join("crates/testkit/fixtures");
        let fixtures = fixtures.to_str().context("the repository's name is not valid text")?;
        let rows = self.rows.to_string();
        command.env("SUREHAND_FIXTURE_LOG", self.log()).args(self.application.arguments.iter().map(|word| {
            let word = word.replace("{home}", home).replace("{page}", page);
            word.replace("{fixtures}", fixtures).replace("{rows}", &rows)
        }));
        // Chromium does not start its sandbox as root; nothing but the page above is shown in it.
        if self.application.program == "chromium" && is_root() {
            command.arg("--no-sandbox");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().with_context(|| format!("cannot start {}", self.application.program))
    }

    /// Waits until the window is there and two looks in a row see the same number of elements. Nothing signals
    /// that an application has finished starting.
    fn at_rest(&self) -> Result<Window> {
        let mut last = None;
        let found = wait_until(PATIENCE, || {
            let listed = self.answer(&["list-windows"])?;
            let windows = listed["windows"].as_array().map(Vec::as_slice).unwrap_or_default();
            let fits = |window: &&Value| {
                window["accessible"] == true
                    && window["title"].as_str().is_some_and(|title| title.contains(self.application.title))
            };
            let Some(window) = windows.iter().find(fits) else { return Ok(None) };
            let id = window["id"].as_str().unwrap_or_default().to_owned();
            let Ok(seen) = self.answer(&["snapshot", "--window-id", &id]) else { return Ok(None) };
            let mut names = Vec::new();
            let nodes = count(&seen["tree"], &mut names);
            let same = last.replace(nodes) == Some(nodes);
            let title = window["title"].as_str().unwrap_or_default().to_owned();
            let pid = window["pid"].as_u64().unwrap_or(0);
            let read = self.application.large || seen["complete"] == true;
            Ok((same && nodes > 10 && read).then_some(Window { id, title, pid }))
        })?;
        found.with_context(|| format!("{} shows no window that comes to rest", self.application.program))
    }

    /// The data that a command of ours answers with.
    ///
    /// # Errors
    /// When it fails.
    pub(super) fn answer(&self, arguments: &[&str]) -> Result<Value> {
        let mut command = self.surehand();
        // Before there is a desktop, its programs have to be found.
        if self.environment.is_empty()
            && let Some(path) = crate::process::variable("PATH")
        {
            command.env("PATH", path).env("HOME", &self.home);
        }
        command.args(["--format", "json"]).args(arguments);
        let answer: Value = serde_json::from_str(&printed(&mut command)?).context("the answer is not JSON")?;
        ensure!(answer["ok"] == true, "{}: {}", arguments.join(" "), answer["error"]["message"]);
        Ok(answer["data"].clone())
    }

    fn take_down(&mut self) -> Result<()> {
        let stopped = match self.desktop.take() {
            Some(desktop) => self.answer(&["desktop", "stop", &desktop]).map(drop),
            None => Ok(()),
        };
        if let Some(mut child) = self.child.take() {
            // Its display is gone, so it ends by itself; one that does not is ended.
            if !matches!(wait_until(END, || Ok(child.try_wait()?)), Ok(Some(_))) {
                child.kill()?;
                child.wait()?;
            }
        }
        if stopped.is_ok() {
            // An application that is still writing its settings can make this fail once.
            let removed = wait_until(END, || Ok(std::fs::remove_dir_all(&self.home).is_ok().then_some(())))?;
            if removed.is_none() {
                bail!("{} cannot be removed", self.home.display());
            }
        }
        stopped
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if (self.desktop.is_some() || self.child.is_some())
            && let Err(error) = self.take_down()
        {
            say(format_args!("warning: {error:#}; the state is in {}", self.home.display()));
        }
    }
}

/// A state directory that nobody else has. Short, because sockets are made below it.
fn home(name: &str) -> Result<PathBuf> {
    let made = temporary().join(format!("surehand-bench-{}-{name}", std::process::id()));
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&made).with_context(|| format!("cannot make the directory {}", made.display()))?;
    Ok(made)
}

/// Counts the elements of a tree and collects what they are called.
pub(super) fn count<'v>(node: &'v Value, names: &mut Vec<&'v str>) -> u64 {
    names.extend(node["name"].as_str());
    let children = node["children"].as_array().map(Vec::as_slice).unwrap_or_default();
    1 + children.iter().map(|child| count(child, names)).sum::<u64>()
}

fn is_root() -> bool {
    asked(Command::new("id").arg("-u")).is_some_and(|uid| uid.trim() == "0")
}

/// A page as offices have them: a form, and a table of fifty rows with links and buttons.
fn orders() -> String {
    let mut page = String::from(
        "<!doctype html><meta charset=utf-8><title>Orders</title><h1>Orders</h1><form><label>Customer <input name=c>\
         </label><label>Note <textarea></textarea></label><label><input type=checkbox>Express</label>\
         <button>Save</button></form><table><tr><th>Number<th>Customer<th>State<th>",
    );
    for row in 1..=50 {
        // Writing to a string cannot fail.
        let _ =
            write!(page, "<tr><td><a href=#{row}>{row}</a><td>Customer {row}<td>open<td><button>Ship {row}</button>");
    }
    page + "</table>"
}
