//! A trace as one page for people.
//!
//! Everything is in the one file, and nothing in it runs: there is no script, and the policy in its head forbids any,
//! as it forbids loading from anywhere. What comes out of the trace goes through [`Html::text`], which is the only way
//! to put text into the page, so that a label of an application stays a label.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use serde_json::{Map, Value};
use surehand_core::session::Session;
use surehand_core::text::is_invisible;

use super::read::Read;
use super::story::{Mood, Run, runs};

const STYLE: &str = include_str!("style.css");

/// Nothing but the styles and pictures that are in the file itself.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// The page.
pub(crate) struct Page {
    pub(crate) html: String,
    /// How many commands it shows.
    pub(crate) commands: usize,
}

/// A page that is being written.
#[derive(Default)]
struct Html(String);

impl Html {
    /// Markup of ours. It is always written down in this file, so that nothing else can get in this way.
    fn own(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Text, whatever is in it. What cannot be seen, and what turns the direction of text around, is shown as its number.
    fn text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' | '\t' => self.0.push(' '),
                c if c.is_control() || is_invisible(c) => {
                    let _ = write!(self.0, "\\u{{{:x}}}", u32::from(c));
                }
                c => self.0.push(c),
            }
        }
        self
    }

    /// A number.
    fn number(&mut self, number: impl Into<f64>) -> &mut Self {
        let number = number.into();
        let _ =
            if number.fract().abs() < 0.005 { write!(self.0, "{number:.0}") } else { write!(self.0, "{number:.2}") };
        self
    }
}

/// Writes the page of a session.
pub(crate) fn page(
    session: &Session,
    read: &Read,
    left_out: usize,
    pictures: &BTreeMap<String, Vec<u8>>,
    version: &str,
) -> Page {
    let runs = runs(&read.events);
    let mut html = Html::default();
    let title = session.name.as_deref().unwrap_or(&session.session_id);
    html.own("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.own("<meta http-equiv=\"Content-Security-Policy\" content=\"").text(POLICY).own("\">\n");
    html.own("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html.own("<meta name=\"referrer\" content=\"no-referrer\">\n<title>")
        .text(title)
        .own(" - trace</title>\n<style>\n");
    html.own(STYLE).own("</style>\n</head>\n<body>\n<main>\n");
    header(&mut html, session, &runs, title);
    if left_out > 0 {
        html.own("<p class=\"note\">Only the last events are shown; earlier ones that were left out: ");
        html.number(left_out as f64).own(".</p>\n");
    }
    for warning in &read.warnings {
        html.own("<p class=\"note\">Part of the trace could not be read. ").text(warning).own("</p>\n");
    }
    if runs.is_empty() {
        html.own("<h2>Commands</h2>\n<p class=\"empty\">Nothing was done in this session.</p>\n");
    } else {
        html.own("<h2>Timeline</h2>\n");
        strip(&mut html, &runs);
        html.own("<h2>Commands</h2>\n<ol class=\"runs\">\n");
        let first = runs.first().map_or(0, |run| run.began);
        for (at, run) in runs.iter().enumerate() {
            command(&mut html, at, run, first, pictures);
        }
        html.own("</ol>\n");
    }
    html.own("<footer>Written by surehand ").text(version).own(". ");
    html.own("Texts of people and applications were taken out of the events when they were written. ");
    html.own("Pictures show what was on the screen: treat this file as private.</footer>\n</main>\n</body>\n</html>\n");
    Page { html: html.0, commands: runs.len() }
}

fn header(html: &mut Html, session: &Session, runs: &[Run], title: &str) {
    html.own("<header>\n<p class=\"kicker\">Trace of a session</p>\n<h1>").text(title).own("</h1>\n<p class=\"when\">");
    if session.name.is_some() {
        html.own("Session <code>").text(&session.session_id).own("</code>, ");
    }
    html.own("started ").text(&readable(&session.created_at));
    match &session.ended_at {
        Some(ended) => html.own(", ended ").text(&readable(ended)),
        None => html.own(", not ended yet"),
    };
    html.own(".</p>\n<dl class=\"facts\">\n");
    let count = |mood: Mood| runs.iter().filter(|run| run.mood() == mood).count();
    let mut fact = |class: &'static str, name: &'static str, value: usize| {
        html.own("<div class=\"").own(class).own("\"><dt>").own(name).own("</dt><dd>");
        html.number(value as f64).own("</dd></div>\n");
    };
    fact("", "Commands", runs.len());
    fact("good", "Done", count(Mood::Good));
    fact("unsure", "Effect unknown", count(Mood::Unsure));
    fact("bad", "Not done", count(Mood::Bad));
    if count(Mood::Open) > 0 {
        fact("", "Without an end", count(Mood::Open));
    }
    let processes: std::collections::BTreeSet<u64> = runs.iter().map(|run| run.pid).collect();
    fact("", "Processes", processes.len());
    html.own("</dl>\n</header>\n");
}

/// `2026-01-02T03:04:05.678Z` as people write it.
fn readable(time: &str) -> String {
    match time.split_once('T') {
        Some((day, rest)) => {
            let clock: String = rest.chars().take(8).collect();
            let zone = if rest.ends_with('Z') { " UTC" } else { "" };
            format!("{day} {clock}{zone}")
        }
        None => time.to_owned(),
    }
}

const WIDTH: f64 = 1_000.0;
const MARGIN: f64 = 14.0;

/// More processes than this share the last line of the timeline.
const LANES: usize = 12;

/// The timeline: one bar for each command, one line for each process.
fn strip(html: &mut Html, runs: &[Run]) {
    let first = runs.first().map_or(0, |run| run.began);
    let end = runs.iter().map(|run| run.began + run.took.unwrap_or(0)).max().unwrap_or(first);
    let span = end.saturating_sub(first).max(1) as f64;
    let mut lanes: Vec<u64> = Vec::new();
    let mut free: Vec<(u64, u64)> = Vec::new();
    let mut lane_of = Vec::new();
    for run in runs {
        // A command line is a process for each command: one that has ended leaves its line to the next.
        let ends = run.began + run.took.unwrap_or(0);
        let lane = free.iter().position(|(pid, until)| *pid == run.pid || *until <= run.began);
        let lane = lane.unwrap_or_else(|| {
            if free.len() < LANES {
                free.push((0, 0));
                lanes.push(run.pid);
            }
            free.len() - 1
        });
        if let Some(slot) = free.get_mut(lane) {
            *slot = (run.pid, slot.1.max(ends));
        }
        lane_of.push(lane);
    }
    let height = 34.0 + free.len().max(1) as f64 * 22.0;
    html.own("<svg class=\"strip\" role=\"img\" aria-label=\"Timeline of the commands\" viewBox=\"0 0 1000 ");
    html.number(height).own("\">\n");
    let at = |ms: f64| MARGIN + ms / span * (WIDTH - 2.0 * MARGIN);
    for (x, anchor, ms) in [
        (at(0.0), "start", 0.0),
        (at(span / 4.0), "middle", span / 4.0),
        (at(span / 2.0), "middle", span / 2.0),
        (at(span * 3.0 / 4.0), "middle", span * 3.0 / 4.0),
        (at(span), "end", span),
    ] {
        html.own("<line x1=\"").number(x).own("\" x2=\"").number(x).own("\" y1=\"6\" y2=\"");
        html.number(height - 20.0).own("\"/><text y=\"").number(height - 7.0).own("\" x=\"").number(x);
        html.own("\" text-anchor=\"").own(anchor).own("\">").text(&after(ms)).own("</text>\n");
    }
    for ((place, run), lane) in runs.iter().enumerate().zip(lane_of) {
        let x = at(run.began.saturating_sub(first) as f64);
        let width = (run.took.unwrap_or(0) as f64 / span * (WIDTH - 2.0 * MARGIN)).max(4.0).min(WIDTH - x - 4.0);
        html.own("<a href=\"#c").number(place as f64 + 1.0).own("\"><rect class=\"").own(run.mood().word());
        html.own("\" rx=\"2\" x=\"").number(x).own("\" y=\"").number(9.0 + lane as f64 * 22.0);
        html.own("\" width=\"").number(width.max(2.0)).own("\" height=\"16\"><title>").text(&run.command).own(": ");
        html.text(&run.outcome()).own("</title></rect></a>\n");
    }
    html.own("</svg>\n<ul class=\"legend\">");
    for mood in [Mood::Good, Mood::Unsure, Mood::Bad, Mood::Open] {
        if runs.iter().any(|run| run.mood() == mood) {
            html.own("<li class=\"").own(mood.word()).own("\"><i></i>").own(mood.badge()).own("</li>");
        }
    }
    html.own("</ul>\n");
}

/// A span of time from the beginning.
fn after(ms: f64) -> String {
    match ms {
        ms if ms < 1_000.0 => format!("{ms:.0} ms"),
        ms if ms < 60_000.0 => format!("{:.1} s", ms / 1_000.0),
        ms => {
            let seconds = (ms / 1_000.0).round();
            format!("{:.0} min {:.0} s", (seconds / 60.0).floor(), seconds % 60.0)
        }
    }
}

fn command(html: &mut Html, at: usize, run: &Run, first: u64, pictures: &BTreeMap<String, Vec<u8>>) {
    let mood = run.mood();
    html.own("<li class=\"run ")
        .own(mood.word())
        .own("\" id=\"c")
        .number(at as f64 + 1.0)
        .own("\">\n<div class=\"head\">");
    let name = if run.command.is_empty() { "(its start was not written)" } else { &run.command };
    html.own("<h3>").text(name).own("</h3>");
    if let Some(target) = run.target() {
        html.own("<span class=\"on\">").text(&target).own("</span>");
    }
    html.own("<span class=\"badge ").own(mood.word()).own("\">").own(mood.badge()).own("</span>");
    html.own("<span class=\"time\">at ").text(&after(run.began.saturating_sub(first) as f64));
    if let Some(took) = run.took {
        html.own(", took ").text(&after(took as f64));
    }
    html.own("</span></div>\n<p class=\"outcome\">").text(&run.outcome()).own("</p>\n");
    chips(html, run);
    shots(html, run, pictures);
    events(html, run);
    html.own("</li>\n");
}

fn chips(html: &mut Html, run: &Run) {
    let told = |value: &&Value| !matches!(value, Value::Null | Value::Bool(false));
    let arguments: Vec<_> = run.arguments.iter().filter(|(_, value)| told(value)).collect();
    if arguments.is_empty() && run.code().is_none() {
        return;
    }
    html.own("<ul class=\"chips\">");
    for (name, value) in arguments {
        html.own("<li class=\"mono\"><b>").text(name).own("</b> ").text(&shown(value)).own("</li>");
    }
    for (label, word) in [("code", run.code()), ("kind", run.kind())] {
        if let Some(word) = word {
            html.own("<li class=\"mono\"><b>").own(label).own("</b> ").text(word).own("</li>");
        }
    }
    html.own("</ul>\n");
}

/// A value as people read it.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) if fields.get("redacted") == Some(&Value::Bool(true)) => "(left out)".to_owned(),
        Value::Object(fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name} {}", shown(value))).collect();
            fields.join(", ")
        }
        Value::Array(items) if items.len() > 8 => format!("{} items", items.len()),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

fn shots(html: &mut Html, run: &Run, pictures: &BTreeMap<String, Vec<u8>>) {
    let taken = |event: &&Map<String, Value>| event.get("event").and_then(Value::as_str) == Some("action.artifacts");
    let shots: Vec<_> = run.events.iter().filter(taken).collect();
    if shots.is_empty() {
        return;
    }
    html.own("<div class=\"pictures\">\n");
    for shot in shots {
        let when = if shot.get("when").and_then(Value::as_str) == Some("before") { "Before" } else { "After" };
        html.own("<figure><figcaption>").own(when);
        let png = shot.get("picture").and_then(Value::as_str).and_then(|name| pictures.get(name));
        let Some(png) = png else {
            html.own(": no picture").own("</figcaption></figure>\n");
            continue;
        };
        let size = |name: &str| shot.get(name).and_then(Value::as_f64).unwrap_or(1.0).clamp(1.0, 65_535.0);
        let boxes: Vec<&Map<String, Value>> =
            shot.get("boxes").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object).collect();
        if !boxes.is_empty() {
            html.own(", with the refs of the snapshot; the one acted on is the thick one");
        }
        html.own("</figcaption><div class=\"frame\"><img alt=\"The window ").own(when);
        html.own(" the command\" width=\"").number(size("width")).own("\" height=\"").number(size("height"));
        html.own("\" src=\"data:image/png;base64,");
        base64::engine::general_purpose::STANDARD.encode_string(png, &mut html.0);
        html.own("\">");
        if !boxes.is_empty() {
            html.own("<svg viewBox=\"0 0 ").number(size("width")).own(" ").number(size("height")).own("\">");
            let is_meant = |element: &&&Map<String, Value>| element.get("meant") == Some(&Value::Bool(true));
            // The one that is meant is drawn last, over the others.
            let others = boxes.iter().filter(|element| !is_meant(element));
            for element in others.chain(boxes.iter().filter(is_meant)) {
                mark(html, element);
            }
            html.own("</svg>");
        }
        html.own("</div></figure>\n");
    }
    html.own("</div>\n");
}

fn mark(html: &mut Html, element: &Map<String, Value>) {
    let number = |name: &str| element.get(name).and_then(Value::as_f64).unwrap_or(0.0).clamp(-65_535.0, 65_535.0);
    let reference: String = element.get("ref").and_then(Value::as_str).unwrap_or_default().chars().take(8).collect();
    let (x, y, w, h) = (number("x"), number("y"), number("w").max(0.0), number("h").max(0.0));
    let meant = element.get("meant") == Some(&Value::Bool(true));
    html.own(if meant { "<g class=\"meant\">" } else { "<g>" });
    html.own("<rect class=\"box\" x=\"").number(x).own("\" y=\"").number(y).own("\" width=\"").number(w);
    html.own("\" height=\"").number(h).own("\"/>");
    let width = reference.chars().count() as f64 * 7.0 + 5.0;
    let (left, top) = (number("tx"), number("ty"));
    html.own("<rect class=\"tag\" rx=\"2\" x=\"")
        .number(left)
        .own("\" y=\"")
        .number(top)
        .own("\" width=\"")
        .number(width);
    html.own("\" height=\"15\"/><text x=\"").number(left + 3.0).own("\" y=\"").number(top + 11.5).own("\">");
    html.text(&reference).own("</text></g>");
}

fn events(html: &mut Html, run: &Run) {
    html.own("<details><summary>");
    html.number(run.events.len() as f64).own(if run.events.len() == 1 { " event" } else { " events" });
    html.own("</summary>\n<div class=\"scroll\"><table><thead><tr><th>Time</th><th>Event</th><th>Details</th></tr></thead><tbody>\n");
    for event in &run.events {
        let time = event.get("ts_ms").and_then(Value::as_u64).unwrap_or(run.began);
        html.own("<tr><td class=\"num\">+")
            .text(&after(time.saturating_sub(run.began) as f64))
            .own("</td><td class=\"mono\">");
        html.text(event.get("event").and_then(Value::as_str).unwrap_or_default()).own("</td><td class=\"mono\">");
        let known = ["ts_ms", "pid", "n", "event", "call"];
        let rest = event.iter().filter(|(name, _)| !known.contains(&name.as_str()));
        let rest: Vec<String> = rest.map(|(name, value)| format!("{name}: {}", shown(value))).collect();
        html.text(&rest.join(" · ")).own("</td></tr>\n");
    }
    html.own("</tbody></table></div></details>\n");
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use surehand_core::session::Artifacts;

    use super::*;

    fn session(name: &str) -> Session {
        Session {
            session_id: "abc".into(),
            name: Some(name.into()),
            created_at: "2026-01-02T03:04:05.678Z".into(),
            ended_at: None,
            trace: true,
            artifacts: Artifacts::Full,
        }
    }

    fn of(name: &str, events: &Value) -> String {
        let events = events.as_array().into_iter().flatten().filter_map(|event| event.as_object().cloned()).collect();
        let read = Read { segments: 1, events, warnings: vec!["<b>warned</b>".into()] };
        page(&session(name), &read, 3, &BTreeMap::from([("1.png".to_owned(), b"png".to_vec())]), "1<2").html
    }

    #[test]
    fn nothing_that_an_application_says_becomes_markup() {
        let evil = "</title><script>alert(1)</script>\" onload='x' <img src=//e.example>\u{202e}&";
        let html = of(
            evil,
            &json!([
                { "event": evil, "call": 1, "pid": 1, "ts_ms": 5, evil: evil },
                { "event": "command.start", "call": 1, "pid": 1, "command": evil, "arguments": { evil: [evil, { evil: evil }] } },
                { "event": "action.dispatch.ok", "call": 1, "pid": 1, "app": evil, "role": evil },
                { "event": "action.artifacts", "call": 1, "pid": 1, "when": evil, "picture": "1.png", "width": evil,
                  "height": 1e300, "boxes": [{ "ref": evil, "x": evil, "y": -1e300, "w": 5, "h": 5 }, evil] },
                { "event": "snapshot.saved", "call": 1, "pid": 1, "app": evil, "elements": 1, "refs": 1, "snapshot_id": evil },
                { "event": "command.end", "call": 1, "pid": 1, "ok": true, "code": evil, "kind": evil },
                { "event": "command.end", "call": 2, "pid": 1, "ok": false, "code": evil, "kind": evil, "delivery": evil },
            ]),
        );
        let lower = html.to_lowercase();
        for forbidden in ["<script", "<img src=//", "\" onload", "' onload", "<b>warned", "\u{202e}", "1<2"] {
            assert!(!lower.contains(forbidden), "{forbidden}");
        }
        assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "it is shown as the text that it is");
        // Every bracket that opens is one of ours.
        let tags = [
            "!doctype",
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "main",
            "header",
            "p",
            "h1",
            "h2",
            "h3",
            "code",
            "dl",
            "div",
            "dt",
            "dd",
            "svg",
            "line",
            "text",
            "a",
            "rect",
            "ul",
            "li",
            "i",
            "ol",
            "span",
            "b",
            "figure",
            "figcaption",
            "img",
            "g",
            "details",
            "summary",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "footer",
        ];
        for part in html.split('<').skip(1) {
            let tag: String =
                part.trim_start_matches('/').chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '!').collect();
            assert!(tags.contains(&tag.as_str()), "<{}", &part[..part.len().min(40)]);
        }
        assert!(html.contains(r#"src="data:image/png;base64,cG5n""#));
    }

    #[test]
    fn every_outcome_is_told_in_plain_words() {
        let ends = [
            (json!({ "ok": true, "delivery": "delivered_verified" }), "Done, and the effect was seen."),
            (json!({ "ok": true, "delivery": "delivered_unverified" }), "Whether it had the effect was not seen."),
            (json!({ "ok": true, "delivery": "not_delivered" }), "it was so already."),
            (json!({ "ok": false, "code": "STALE_REF", "delivery": "not_delivered" }), "Nothing was sent"),
            (json!({ "ok": false, "code": "TIMEOUT", "delivery": "delivery_uncertain" }), "It may have reached"),
        ];
        for (mut end, words) in ends {
            end["event"] = json!("command.end");
            end["call"] = json!(1);
            let start = json!({ "event": "command.start", "call": 1, "command": "click", "effect": "act" });
            let html = of("x", &json!([start, end]));
            assert!(html.contains(words), "{words}");
        }
        let html = of("x", &json!([{ "event": "command.start", "call": 1, "command": "click" }]));
        assert!(html.contains("No end was written"));
        assert!(of("x", &json!([])).contains("Nothing was done in this session."));
    }

    #[test]
    fn nothing_is_loaded_and_nothing_runs() {
        let html = of("x", &json!([{ "event": "command.start", "call": 1, "command": "click" }]));
        assert!(html.contains("Content-Security-Policy\" content=\"default-src &#39;none&#39;"));
        for word in ["http:", "https:", "<script", "<link", "@import", "url("] {
            assert!(!html.contains(word), "{word}");
        }
    }
}
