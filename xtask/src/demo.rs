//! `cargo xtask demo`: a text editor writes and saves a file, driven as a user would drive it.
//!
//! The binary is run, never linked. Whether it worked is judged by the file on the disk and by the title of
//! the editor's window, not by what the binary says of itself.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use self::surehand::{Surehand, refs};
use crate::process::{cargo, print, printed, root, say, shown, started_in, temporary, wait_until};

mod surehand;

/// What is typed. Letters beyond ASCII and more than one line, because those are what goes wrong.
const TEXT: &str = "Written by a sure hand.\nZwölf Boxkämpfer, Ωμέγα, ½ und ✓\n";

/// The name of the file that is saved.
const FILE: &str = "letter.txt";

/// How long the file system and the editor may take for what no event tells.
const PATIENCE: Duration = Duration::from_secs(10);

/// `cargo xtask demo`
#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Where the results go; a folder that is new or empty [default: target/demo/<time>].
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Leave the desktop, the editor and the state directory there after a success, to look at them.
    #[arg(long)]
    keep: bool,
}

impl Demo {
    /// Installs what is missing, builds, and goes through the demonstration.
    ///
    /// # Errors
    /// The first step that fails; the desktop is taken down then.
    pub(crate) fn run(self) -> Result<()> {
        crate::packages::ensure(&["desktop", "demo"])?;
        let program = build()?;
        let output = output_folder(self.output)?;
        let home = private_directory()?;
        say(format_args!("results: {}", output.display()));
        let mut surehand = Surehand::new(program, home.clone(), output.clone());
        let done = demonstrate(&mut surehand, &output, self.keep, PATIENCE);
        if let Err(error) = done {
            // What went wrong first is what is to be read; a second failure is said beside it.
            if let Err(second) = surehand.take_down() {
                say(format_args!("warning: {second:#}; its state is in {}", home.display()));
            } else {
                remove(&home);
            }
            return Err(error.context(format!("the demo failed; what was seen is in {}", output.display())));
        }
        print(format_args!("\nThe editor saved exactly what was typed: {}", output.join(FILE).display()));
        print(format_args!("{} steps, all of their answers, and a picture: {}", surehand.steps(), output.display()));
        match surehand.desktop() {
            Some(desktop) => print(format_args!(
                "The desktop is still up. To stop it: SUREHAND_HOME={} {} desktop stop {desktop}",
                home.display(),
                surehand.program().display(),
            )),
            None => remove(&home),
        }
        Ok(())
    }
}

/// The steps, in order. Each line of the story is one run of the binary.
fn demonstrate(surehand: &mut Surehand, output: &Path, keep: bool, patience: Duration) -> Result<()> {
    let file = output.join(FILE);
    let path = file.to_str().context("the output folder's name is not valid text")?;

    surehand.start_desktop()?;
    surehand.step("open", &["open", "mousepad"])?;
    let opened = surehand.step("wait-editor", &["wait", "--window", "Mousepad", "--timeout", "20000"])?;
    let editor = refs::string(&opened, "/data/window/id")?;
    let window = surehand.step("snapshot", &["snapshot", "--app", "mousepad"])?;
    let found = surehand.step("find-text-area", &["find", "--app", "mousepad", "--role", "textfield", "--first"])?;
    let text_area = refs::string(&found, "/data/match/ref_id").context("the editor shows no text area")?;
    surehand.step("type", &["type", &text_area, TEXT])?;

    let save_as = refs::only(&window, "menuitem", "Save As...")?;
    surehand.step("click-save-as", &["click", &save_as])?;
    let dialog = surehand.step("wait-dialog", &["wait", "--window", "Save As", "--timeout", "10000"])?;
    let dialog = refs::string(&dialog, "/data/window/id")?;
    ensure!(dialog != editor, "the window found for the dialog is the editor itself");
    let shown = surehand.step("snapshot-dialog", &["snapshot", "--window-id", &dialog])?;
    let name = refs::only(&shown, "textfield", "Name:")?;
    surehand.step("set-file-name", &["set-value", &name, path])?;
    let save = refs::only(&shown, "button", "Save")?;
    surehand.step("click-save", &["click", &save])?;

    wait_gone(surehand, &dialog, patience)?;
    verify_file(&file, patience)?;
    surehand.step("wait-title", &["wait", "--window", FILE, "--timeout", "10000"])?;
    verify_title(&surehand.step("list-windows", &["list-windows", "--app", "mousepad"])?, &editor)?;
    let value = surehand.step("get-text", &["get", &text_area, "--property", "value"])?;
    ensure!(
        refs::string(&value, "/data/value")? == TEXT,
        "the editor's text area does not hold what was typed: {}",
        value.pointer("/data/value").unwrap_or(&Value::Null)
    );
    surehand.step("screenshot", &["screenshot", "editor.png"])?;
    verify_picture(&output.join("editor.png"))?;

    if !keep {
        surehand.step("close-app", &["close-app", "mousepad"])?;
        surehand.stop_desktop()?;
    }
    Ok(())
}

/// Waits until the dialog is in the list of windows no more. There is no wait for a window's end yet.
fn wait_gone(surehand: &mut Surehand, id: &str, patience: Duration) -> Result<()> {
    let gone = wait_until(patience, || {
        let answer = surehand.ask(&["list-windows"])?;
        let windows = refs::windows(&answer)?;
        let there = windows.iter().any(|window| window["id"] == *id);
        Ok((!there).then_some(answer))
    })?;
    let answer = gone.context("the dialog is still there after Save was clicked")?;
    surehand.keep("dialog-gone", &answer)
}

/// The file on the disk is the proof. The editor writes it some moments after its dialog has gone.
fn verify_file(file: &Path, patience: Duration) -> Result<()> {
    let mut seen = None;
    let same = wait_until(patience, || {
        seen = std::fs::read(file).ok();
        Ok((seen.as_deref() == Some(TEXT.as_bytes())).then_some(()))
    })?;
    if same.is_none() {
        match seen {
            None => bail!("the editor wrote no file {}", file.display()),
            Some(bytes) => bail!(
                "{} does not hold what was typed: {:?} instead of {TEXT:?}",
                file.display(),
                String::from_utf8_lossy(&bytes)
            ),
        }
    }
    say(format_args!("     verified: {} bytes on the disk are exactly those typed", TEXT.len()));
    Ok(())
}

/// The editor names the file in its title, and marks it with a star while it is not saved.
fn verify_title(answer: &Value, editor: &str) -> Result<()> {
    let windows = refs::windows(answer)?;
    let window = windows.iter().find(|window| window["id"] == *editor);
    let title = window.context("the editor's window is not in the list")?["title"].as_str().unwrap_or_default();
    ensure!(title.contains(FILE), "the editor's title does not name the file: {title:?}");
    ensure!(!title.starts_with('*'), "the editor says that the file is not saved: {title:?}");
    say(format_args!("     verified: the editor's title is {title:?}"));
    Ok(())
}

/// A picture is there, and is one: the signature of PNG and a size in its first chunk.
fn verify_picture(file: &Path) -> Result<()> {
    let bytes = std::fs::read(file).with_context(|| format!("there is no picture {}", file.display()))?;
    let header =
        bytes.get(..24).filter(|header| header.starts_with(b"\x89PNG\r\n\x1a\n") && &header[12..16] == b"IHDR");
    let header = header.with_context(|| format!("{} is not a PNG file", file.display()))?;
    let number = |at: usize| header[at..at + 4].iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte));
    let (width, height) = (number(16), number(20));
    ensure!(width > 0 && height > 0, "the picture is empty");
    say(format_args!("     verified: a picture of {width}x{height} pixels"));
    Ok(())
}

/// Builds the binary and returns where cargo put it.
fn build() -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "-p", "surehand-cli", "--message-format=json-render-diagnostics"]);
    say(format_args!("+ {}", shown(&command)));
    executable(&printed(&mut command)?).context("cargo built no program `surehand`")
}

/// The program among cargo's messages.
fn executable(messages: &str) -> Option<PathBuf> {
    messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|message| {
        let program = message["executable"].as_str().filter(|_| message["target"]["name"] == "surehand");
        program.map(PathBuf::from)
    })
}

/// The folder for the results: absolute, and with nothing in it that could be taken for a result of this run.
fn output_folder(wanted: Option<PathBuf>) -> Result<PathBuf> {
    let folder = match wanted {
        Some(folder) => started_in()?.join(folder),
        None => {
            let time = asked_time().unwrap_or_else(|| seconds().to_string());
            root().join("target/demo").join(time)
        }
    };
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let folder = folder.canonicalize()?;
    ensure!(
        std::fs::read_dir(&folder)?.next().is_none(),
        "the folder {} is not empty; name a new one",
        folder.display()
    );
    Ok(folder)
}

/// Local time as a folder's name.
fn asked_time() -> Option<String> {
    crate::process::asked(Command::new("date").arg("+%Y%m%d-%H%M%S")).map(|time| time.trim().to_owned())
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// A state directory that nobody else has. Short, because sockets are made below it.
fn private_directory() -> Result<PathBuf> {
    let made = temporary().join(format!("surehand-demo-{}-{}", std::process::id(), seconds()));
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&made).with_context(|| format!("cannot make the directory {}", made.display()))?;
    Ok(made)
}

fn remove(home: &Path) {
    if let Err(error) = std::fs::remove_dir_all(home) {
        say(format_args!("warning: {} is left over: {error}", home.display()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole story against a script that answers like surehand, and that plays the editor: it saves what was
    /// typed when Save is clicked, after `edit` has gone over it.
    #[cfg(unix)]
    fn story(edit: &str) -> Result<Vec<String>> {
        let data = |data: Value| serde_json::json!({ "version": "1.0", "ok": true, "command": "x", "data": data });
        let editor = data(serde_json::json!({ "tree": { "role": "window", "children": [
            { "role": "menuitem", "name": "Save As...      ", "ref_id": "@s01:e2" },
            { "role": "button", "name": "Save As...", "ref_id": "@s01:e3" },
        ] } }));
        let dialog = data(serde_json::json!({ "tree": { "role": "dialog", "children": [
            { "role": "textfield", "name": "Name:", "ref_id": "@s03:e1" },
            { "role": "textfield", "name": "Folder Name:", "ref_id": "@s03:e2" },
            { "role": "button", "name": "Save", "ref_id": "@s03:e3" },
        ] } }));
        let windows = data(serde_json::json!({ "windows": [{ "id": "w-1", "title": "letter.txt - Mousepad" }] }));
        let script = format!(
            r#"here=$(dirname "$0"); answer='{{"version":"1.0","ok":true,"command":"x","data":'
            for last; do :; done
            case "$*" in
            *"desktop start"*) echo "$answer"'{{"desktop":{{"id":"d1"}}}}}}' ;;
            *"--window Save As"*) echo "$answer"'{{"window":{{"id":"w-2"}}}}}}' ;;
            *"wait --window"*) echo "$answer"'{{"window":{{"id":"w-1"}}}}}}' ;;
            *"snapshot --app"*) echo '{editor}' ;;
            *"snapshot --window-id w-2"*) echo '{dialog}' ;;
            *"find --app"*) echo "$answer"'{{"match":{{"ref_id":"@s02:e1"}}}}}}' ;;
            *"list-windows"*) echo '{windows}' ;;
            *"get @s02:e1"*) printf '%s\n' '{value}' ;;
            *"type @s02:e1"*) printf %s "$last" >"$here/typed"; echo "$answer"'{{}}}}' ;;
            *"set-value @s03:e1"*) printf %s "$last" >"$here/name"; echo "$answer"'{{}}}}' ;;
            *"click @s03:e3"*) {edit} "$here/typed" >"$(cat "$here/name")"; echo "$answer"'{{}}}}' ;;
            *"screenshot editor.png"*) printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\5\0\0\0\3\040' >"$here/out/editor.png"
                echo "$answer"'{{}}}}' ;;
            *) echo "$answer"'{{}}}}' ;;
            esac"#,
            value = data(serde_json::json!({ "value": TEXT })),
        );
        let (folder, mut surehand) = surehand::tests::stand_in(&script);
        let done = demonstrate(&mut surehand, &folder.path().join("out"), false, Duration::from_millis(200));
        assert_eq!(surehand.desktop().is_none(), done.is_ok());
        done?;
        let names = std::fs::read_dir(folder.path().join("out"))?.map(|entry| Ok(entry?.file_name()));
        let mut names =
            names.map(|name: Result<_>| Ok(name?.to_string_lossy().into_owned())).collect::<Result<Vec<_>>>()?;
        names.sort_unstable();
        Ok(names)
    }

    #[cfg(unix)]
    #[test]
    fn the_story_goes_to_its_end_and_leaves_every_answer() {
        let files = story("cat").unwrap();
        assert_eq!(files.len(), 20, "{files:?}");
        assert_eq!((&*files[0], &*files[17]), ("01-desktop-start.json", "18-desktop-stop.json"));
        assert_eq!(&files[18..], ["editor.png", FILE]);
    }

    #[cfg(unix)]
    #[test]
    fn the_story_does_not_believe_answers() {
        let error = story("tr a b <").unwrap_err();
        assert!(error.to_string().contains("does not hold what was typed"), "{error:#}");
    }

    #[test]
    fn the_program_is_the_one_that_cargo_names() {
        let messages = concat!(
            "{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"surehand_core\"},\"executable\":null}\n",
            "not JSON\n",
            "{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"surehand\"},\"executable\":\"/t/debug/surehand\"}\n",
        );
        assert_eq!(executable(messages), Some(PathBuf::from("/t/debug/surehand")));
        assert_eq!(executable("{\"reason\":\"build-finished\"}"), None);
    }

    #[test]
    fn a_file_that_differs_by_a_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        std::fs::write(&file, TEXT).unwrap();
        verify_file(&file, Duration::ZERO).unwrap();
        std::fs::write(&file, format!("{TEXT}\n")).unwrap();
        assert!(verify_file(&file, Duration::ZERO).unwrap_err().to_string().contains("does not hold"));
        std::fs::remove_file(&file).unwrap();
        assert!(verify_file(&file, Duration::ZERO).unwrap_err().to_string().contains("wrote no file"));
        std::fs::write(&file, TEXT).unwrap();
        assert!(verify_picture(&file).unwrap_err().to_string().contains("not a PNG"));
        assert!(output_folder(Some(folder.path().to_path_buf())).unwrap_err().to_string().contains("not empty"));
    }

    #[test]
    fn an_unsaved_or_unnamed_title_is_noticed() {
        let list = |title: &str| serde_json::json!({ "data": { "windows": [{ "id": "w-1", "title": title }] } });
        verify_title(&list("letter.txt - Mousepad"), "w-1").unwrap();
        assert!(verify_title(&list("*letter.txt - Mousepad"), "w-1").is_err());
        assert!(verify_title(&list("Untitled 1 - Mousepad"), "w-1").is_err());
        assert!(verify_title(&list("letter.txt - Mousepad"), "w-2").is_err());
    }
}
