//! `clipboard-get`, `clipboard-set` and `clipboard-clear`.

use serde_json::json;
use surehand_commands::gate::Resource;
use surehand_core::clipboard::Content;
use surehand_testkit::fake::Scene;

use crate::golden::Golden;
use crate::rig::Rig;

const SECRET: &str = "correct horse";

fn text(text: &str) -> Content {
    Content::Text(text.to_owned())
}

fn picture(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&vec![9; (width * height * 3) as usize]).unwrap();
    writer.finish().unwrap();
    bytes
}

/// A head that claims more pixels than anybody has memory for, and the beginning of none.
fn huge() -> Vec<u8> {
    let mut bytes = Vec::new();
    drop(png::Encoder::new(&mut bytes, 100_000, 100_000).write_header().unwrap());
    bytes.truncate(33);
    bytes.extend_from_slice(b"\0\0\0\0IDAT\x35\xaf\x06\x1e");
    bytes
}

#[test]
fn reading() {
    let mut golden = Golden::of("clipboard-get");
    let rig = Rig::empty();
    for kind in ["text", "auto", "image", "file-urls"] {
        golden.case("nothing there", &rig, &["clipboard-get", "--kind", kind]);
    }
    let files = Content::FileUrls(vec!["file:///a%20b".into(), "file:///c".into()]);
    rig.fake().change(|scene| scene.copy([text("/a b\n/c\u{202e}"), files, Content::Image(picture(3, 2))]));
    for kind in ["text", "auto", "image", "file-urls"] {
        golden.case("everything there", &rig, &["clipboard-get", "--kind", kind]);
    }
    golden.case("into a file", &rig, &["clipboard-get", "--out", "x.txt"]);
    golden.case("into a file that is there", &rig, &["clipboard-get", "--out", "x.txt"]);
    golden.case("out of the folder", &rig, &["clipboard-get", "--out", "../x.txt"]);
    golden.case("a picture into a file", &rig, &["clipboard-get", "--kind", "image", "--out", "x.png"]);
    golden.case("names into a file", &rig, &["clipboard-get", "--kind", "file-urls", "--out", "y"]);
    rig.fake().change(|scene| scene.copy([Content::Image(b"\x89PNG\r\n\x1a\nnothing".to_vec())]));
    golden.case("a picture that is none", &rig, &["clipboard-get", "--kind", "image"]);
    rig.fake().change(|scene| scene.copy([Content::Image(huge())]));
    golden.case("a picture that is too large", &rig, &["clipboard-get", "--kind", "image"]);
    rig.fake().change(Scene::holds_back_copies);
    golden.case("an owner that does not answer", &rig, &["clipboard-get"]);
    golden.check();
    assert_eq!(rig.services.output.lock().unwrap()["x.txt"], "/a b\n/c\u{202e}".as_bytes());
}

#[test]
fn setting() {
    let mut golden = Golden::of("clipboard-set");
    let mut rig = Rig::empty();
    golden.case("text", &rig, &["clipboard-set", SECRET]);
    assert_eq!(rig.fake().change(|scene| scene.copied().to_vec()), [text(SECRET)]);
    golden.case("no text at all", &rig, &["clipboard-set", ""]);
    rig.services.stdin = Some("from elsewhere".to_owned());
    golden.case("text from standard input", &rig, &["clipboard-set", "--stdin"]);
    assert_eq!(rig.fake().change(|scene| scene.copied().to_vec()), [text("from elsewhere")]);
    rig.services.files.insert("p.png".to_owned(), picture(4, 4));
    rig.services.files.insert("bad.png".to_owned(), picture(40, 40)[..90].to_vec());
    golden.case("a picture", &rig, &["clipboard-set", "--image", "p.png"]);
    golden.case("half a picture", &rig, &["clipboard-set", "--image", "bad.png"]);
    rig.services.files.insert("huge.png".to_owned(), huge());
    golden.case("too large a picture", &rig, &["clipboard-set", "--image", "huge.png"]);
    golden.case("no picture", &rig, &["clipboard-set", "--image", "none.png"]);
    golden.case("files", &rig, &["clipboard-set", "--file-url", "p.png", "--file-url", "file:///files/bad.png"]);
    let files = Content::FileUrls(vec!["file:///files/p.png".into(), "file:///files/bad.png".into()]);
    assert_eq!(rig.fake().change(|scene| scene.copied().to_vec()), [files]);
    golden.case("a file that is not there", &rig, &["clipboard-set", "--file-url", "none.png"]);
    golden.case("a NUL in a URL", &rig, &["clipboard-set", "--file-url", "file:///a%00b"]);
    golden.case("nothing", &rig, &["clipboard-set"]);
    golden.case("too much", &rig, &["clipboard-set", SECRET, "--image", "p.png"]);
    golden.case("a NUL", &rig, &["clipboard-set", "a\0b"]);
    rig.fake().change(|scene| scene.copies_at_once(text("mine")));
    golden.case("another program is quicker", &rig, &["clipboard-set", SECRET]);
    rig.fake().change(|scene| scene.alters_copies(text("other")));
    golden.case("something else is handed out", &rig, &["clipboard-set", SECRET]);
    rig.fake().change(Scene::holds_back_copies);
    golden.case("it cannot be read back", &rig, &["clipboard-set", SECRET]);
    golden.check();
}

#[test]
fn clearing() {
    let mut golden = Golden::of("clipboard-clear");
    let rig = Rig::empty();
    rig.fake().change(|scene| scene.copy([text(SECRET)]));
    golden.case("something there", &rig, &["clipboard-clear"]);
    assert!(rig.fake().change(|scene| scene.copied().is_empty()));
    golden.case("nothing there", &rig, &["clipboard-clear"]);
    rig.fake().change(|scene| scene.copies_at_once(text("back again")));
    golden.case("a manager puts it back", &rig, &["clipboard-clear"]);
    golden.check();
}

#[test]
fn what_is_copied_is_nowhere_but_in_the_answer() {
    let rig = Rig::empty();
    for line in [&["clipboard-set", SECRET][..], &["clipboard-set", SECRET, "--stdin"]] {
        let told = rig.run(line);
        let all = format!("{}{}{:?}", told.json, told.text, told.records);
        assert!(!all.contains("horse") && !all.contains(&SECRET.len().to_string()), "{all}");
        assert_eq!(told.records.len(), 1, "it is recorded that it was done");
    }
    let told = rig.call("clipboard-set", json!({ "text": [SECRET] }));
    assert!(!told.json.contains("horse"), "{}", told.json);
    rig.fake().change(|scene| scene.copy([text(SECRET)]));
    let told = rig.run(&["clipboard-get"]);
    assert!(told.json.contains(SECRET) && told.records.is_empty());
    // Asked by the word that others use for it.
    assert!(rig.call("clipboard-get", json!({ "format": "auto" })).json.contains(SECRET));
    rig.services.gate.asked.lock().unwrap().clear();
    rig.run(&["clipboard-get"]);
    rig.run(&["clipboard-set", "--image", "p.png"]);
    let asked: Vec<_> =
        rig.services.gate.asked.lock().unwrap().iter().map(|(_, resources)| resources.clone()).collect();
    assert_eq!(
        asked,
        [vec![Resource::ClipboardRead], vec![Resource::ClipboardSet, Resource::FileRead("p.png".to_owned())]]
    );
}
