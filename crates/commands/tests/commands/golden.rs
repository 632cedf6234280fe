//! Answers written down, so that a change of any of them is seen.

use crate::rig::{Rig, Told};

/// The answers of one topic.
pub(crate) struct Golden {
    name: &'static str,
    text: String,
}

impl Golden {
    pub(crate) fn of(name: &'static str) -> Self {
        Golden { name, text: String::new() }
    }

    /// Runs a command and writes its answer down.
    pub(crate) fn case(&mut self, about: &str, rig: &Rig, line: &[&str]) -> Told {
        let told = rig.run(line);
        let shown: Vec<String> = line.iter().map(|word| shown(word)).collect();
        self.add(about, &shown.join(" "), &told);
        told
    }

    /// Writes down an answer that is there already.
    pub(crate) fn add(&mut self, about: &str, line: &str, told: &Told) {
        assert!(!told.json.contains('\n'), "an envelope is one line");
        let part = |title: &str, text: &str| match text {
            "" => String::new(),
            text => format!("-- {title}\n{text}\n"),
        };
        let records: Vec<String> = told.records.iter().map(ToString::to_string).collect();
        self.text += &format!("## {about}\n$ {line}\n");
        self.text += &part("envelope", &indented(&told.json));
        self.text += &part("text", &told.text);
        self.text += &part("record", &records.join("\n"));
        self.text += &format!("-- exit {}\n\n", told.exit);
    }

    /// Compares everything that was written down with what is kept.
    #[track_caller]
    pub(crate) fn check(self) {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(self.name, self.text));
    }
}

/// A word of a command line, quoted where it would not be seen as one.
fn shown(word: &str) -> String {
    let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_graphic());
    if plain { word.to_owned() } else { surehand_core::text::quote(word) }
}

/// JSON over several lines for reading. Only blanks and line breaks are added: order and escapes stay as they
/// were sent.
fn indented(json: &str) -> String {
    let mut text = String::new();
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    let mut rest = json.chars().peekable();
    while let Some(c) = rest.next() {
        if quoted {
            text.push(c);
            (quoted, escaped) = (escaped || c != '"', !escaped && c == '\\');
            continue;
        }
        let line = |text: &mut String, depth: usize| {
            text.push('\n');
            text.push_str(&"  ".repeat(depth));
        };
        match c {
            '{' | '[' if rest.peek().is_some_and(|next| matches!(next, '}' | ']')) => {
                text.push(c);
                text.extend(rest.next());
            }
            '{' | '[' => {
                depth += 1;
                text.push(c);
                line(&mut text, depth);
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut text, depth);
                text.push(c);
            }
            ',' => {
                text.push(c);
                line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            c => {
                quoted = c == '"';
                text.push(c);
            }
        }
    }
    text
}

#[test]
fn indenting_changes_nothing_but_blanks() {
    let json = r#"{"a":[],"b":[{"c":"x,{\"}\\"},1],"d":"\u202e"}"#;
    let text = indented(json);
    assert_eq!(text.lines().count(), 10, "{text}");
    assert!(text.contains(r#""x,{\"}\\""#) && text.contains(r#""\u202e""#), "{text}");
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(value(&text), value(json));
}
