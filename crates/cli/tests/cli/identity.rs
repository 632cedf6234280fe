//! The element that was seen is acted on, or none.

use surehand_core::Code;

use crate::stage::Stage;

#[test]
fn twins_are_told_apart_by_the_object_that_was_seen() {
    let mut stage = Stage::new();
    let twins = stage.snapshot().references("button", "Twin");
    assert_eq!(twins.len(), 2);
    for (number, twin) in [(2, &twins[1]), (1, &twins[0])] {
        let mark = stage.mark();
        let answer = stage.ok(&["click", twin]);
        assert_eq!(stage.told_since(mark), [format!("clicked Twin {number}")]);
        assert_eq!(answer["resolved_by"], "retained");
    }
    // The one that is left is not taken for the one that is gone.
    stage.fixture.command("remove-twin 1");
    let mark = stage.mark();
    stage.refused(&["click", &twins[0]], Code::StaleRef);
    assert!(stage.told_since(mark).is_empty());
    stage.ok(&["click", &twins[1]]);
    assert_eq!(stage.told_since(mark), ["clicked Twin 2"]);
}

#[test]
fn namesakes_in_different_frames_are_told_apart() {
    let mut stage = Stage::new();
    let deletes = stage.snapshot().references("button", "Delete");
    assert_eq!(deletes.len(), 2);
    for (title, delete) in [("Archive", &deletes[1]), ("Draft", &deletes[0])] {
        let mark = stage.mark();
        stage.ok(&["click", delete]);
        assert_eq!(stage.told_since(mark), [format!("clicked Delete in {title}")]);
    }
}

#[test]
fn a_label_gives_its_field_the_name() {
    let mut stage = Stage::new();
    let address = stage.snapshot().reference("textfield", "Address");
    let mark = stage.mark();
    stage.ok(&["set-value", &address, "1 Sea Road"]);
    assert_eq!(stage.told_since(mark), ["changed Address 1 Sea Road"]);
}

#[test]
fn a_renamed_button_is_stale_although_it_is_the_same_object() {
    let mut stage = Stage::new();
    let beta = stage.snapshot().reference("button", "Beta");
    stage.fixture.command("rename Beta 'Delete everything'");
    let mark = stage.mark();
    let error = stage.refused(&["click", &beta], Code::StaleRef);
    assert_eq!(error["details"]["kind"], "changed");
    assert_eq!(error["details"]["differs"][0], "name");
    assert_eq!(error["recovery"]["requires_fresh_snapshot"], true);
    assert!(stage.told_since(mark).is_empty());
}

#[test]
fn a_new_button_under_the_old_name_of_a_renamed_one_is_not_clicked() {
    let mut stage = Stage::new();
    let beta = stage.snapshot().reference("button", "Beta");
    stage.fixture.command("rename Beta Gone");
    stage.fixture.command("insert-first Beta");
    let mark = stage.mark();
    stage.refused(&["click", &beta], Code::StaleRef);
    assert!(stage.told_since(mark).is_empty());
}

#[test]
fn a_removed_button_is_stale_and_its_neighbours_are_not() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let [alpha, beta, gamma] = ["Alpha", "Beta", "Gamma"].map(|name| tree.reference("button", name));
    stage.fixture.command("remove Beta");
    stage.fixture.command("insert-first Zeta");
    stage.fixture.command("reverse");
    let mark = stage.mark();
    let error = stage.refused(&["click", &beta], Code::StaleRef);
    assert_eq!(error["details"]["kind"], "gone");
    stage.ok(&["click", &gamma]);
    stage.ok(&["click", &alpha]);
    assert_eq!(stage.told_since(mark), ["clicked Gamma", "clicked Alpha"]);
}

#[test]
fn a_rebuilt_button_is_found_again_when_it_was_and_is_the_only_one() {
    let mut stage = Stage::new();
    let beta = stage.snapshot().reference("button", "Beta");
    stage.fixture.command("rebuild");
    let mark = stage.mark();
    let answer = stage.ok(&["click", &beta]);
    assert_eq!(answer["resolved_by"], "only_match");
    assert_eq!(stage.told_since(mark), ["clicked Beta"]);
    // Two that look like it: neither is clicked.
    stage.fixture.command("replace Beta Beta");
    let mark = stage.mark();
    stage.refused(&["click", &beta], Code::AmbiguousTarget);
    assert!(stage.told_since(mark).is_empty());
}

#[test]
fn refs_of_an_older_snapshot_stay_good() {
    let mut stage = Stage::new();
    let first = stage.snapshot().reference("button", "Press me");
    for _ in 0..3 {
        stage.snapshot();
    }
    stage.fixture.command("count 20");
    let mark = stage.mark();
    stage.ok(&["click", &first]);
    stage.fixture.command("stop-count");
    assert_eq!(stage.told_since(mark), ["clicked Press me"]);
}

#[test]
fn what_was_true_of_a_row_is_asked_of_the_row_and_not_of_its_place() {
    let mut stage = Stage::new();
    let cell = stage.snapshot().reference("cell", "item 1");
    stage.fixture.command("clear");
    let mark = stage.mark();
    stage.refused(&["click", &cell], Code::StaleRef);
    assert!(stage.told_since(mark).is_empty());
}
