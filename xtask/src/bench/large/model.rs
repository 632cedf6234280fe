//! What the rows of a table have to be.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// Columns of the tables in the fixtures.
const COLUMNS: u64 = 2;

/// Columns and rows of an empty sheet of LibreOffice Calc.
const SHEET: (u64, u64) = (16_384, 1_048_576);

/// What stands in a table.
#[derive(Debug, Clone, Copy)]
pub(super) enum Model {
    /// The table of `large_app.py`.
    Ledger {
        /// How many rows it has.
        rows: u64,
    },
    /// An empty sheet, whose cells are called by their places.
    Sheet,
}

impl Model {
    /// Whether the application tells by itself when it kept its user waiting.
    pub(super) fn has_clock(self) -> bool {
        matches!(self, Model::Ledger { .. })
    }

    /// Whether cells far down take the application so long that a page has fewer of them.
    fn has_slow_cells(self) -> bool {
        matches!(self, Model::Sheet)
    }

    /// How many cells there are, and how many in a row.
    fn size(self) -> (u64, u64) {
        match self {
            Model::Ledger { rows } => (rows * COLUMNS, COLUMNS),
            Model::Sheet => (SHEET.0 * SHEET.1, SHEET.0),
        }
    }

    /// What the cell is called, counted row by row from 0.
    fn cell(self, number: u64) -> String {
        let (_, columns) = self.size();
        let (row, column) = (number / columns, number % columns);
        match self {
            Model::Ledger { .. } if column == 0 => format!("item {row}"),
            Model::Ledger { .. } => (row * 100).to_string(),
            Model::Sheet => format!("{}{}", letters(column), row + 1),
        }
    }

    /// Checks what is said to be missing: how many cells, and where to go on.
    pub(super) fn gap(self, gap: &Value) -> Result<()> {
        let (cells, columns) = self.size();
        if gap["reason"] == "not_published" {
            // GTK 4 says nowhere how many rows there are.
            return Ok(());
        }
        let number = |key: &str| gap[key].as_u64().with_context(|| format!("`{key}` is missing: {gap}"));
        ensure!(number("columns")? == columns, "a row has {columns} cells: {gap}");
        ensure!(number("missing")? < cells && number("missing")? + 2_000 >= cells, "there are {cells} cells: {gap}");
        let next = number("next_offset")?;
        ensure!(next > number("offset")? && next < cells && next % columns == 0, "no row begins there: {gap}");
        Ok(())
    }

    /// Where to read on: at the start, in the middle and at the end; nowhere where the gap names no place.
    pub(super) fn places(self, gap: &Value) -> Vec<(&'static str, u64)> {
        let (cells, columns) = self.size();
        if gap["next_offset"].is_null() {
            return Vec::new();
        }
        let middle = cells / 2 / columns * columns;
        vec![("start", 0), ("middle", middle), ("end", cells - 4)]
    }

    /// Checks the part that a snapshot shows of its own accord: it begins at the first row, without a hole.
    pub(super) fn first(self, data: &Value) -> Result<()> {
        let mut names = Vec::new();
        collect(&data["tree"], &mut names);
        let rows = names.len();
        ensure!(rows >= 8, "only {rows} cells are shown: {names:?}");
        match self {
            Model::Ledger { .. } => {
                let titles = ["Item", "Cost"].iter().all(|title| has_text(&data["tree"], title));
                ensure!(titles, "the titles of the columns are missing");
                let mut items: Vec<u64> =
                    names.iter().filter_map(|name| name.strip_prefix("item ")?.parse().ok()).collect();
                items.dedup();
                let first = items.first().copied().unwrap_or(u64::MAX);
                ensure!(first <= 1, "the first row shown is {first}");
                ensure!(items.iter().zip(first..).all(|(row, wanted)| *row == wanted), "rows are missing: {items:?}");
            }
            Model::Sheet => {
                for cell in ["A1", "B1", "A2", "C7"] {
                    ensure!(names.iter().any(|name| name == cell), "the cell {cell} is missing: {names:?}");
                }
            }
        }
        Ok(())
    }

    /// Checks a page: these cells in this order, and where it goes on.
    pub(super) fn page(self, page: &Value, gap: &Value, offset: u64) -> Result<()> {
        let (cells, _) = self.size();
        let children = page["tree"]["children"].as_array().context("the page is empty")?;
        let names: Vec<&str> = children
            .iter()
            .filter_map(|child| child["name"].as_str())
            .filter(|name| !matches!(*name, "Item" | "Cost"))
            .collect();
        // Cells that take the application long are fewer at a time.
        ensure!(!names.is_empty() && names.len() <= 200, "{} cells at a time", names.len());
        let end = offset + names.len() as u64;
        ensure!(self.has_slow_cells() || end == cells.min(offset + 200), "only {} cells at a time", names.len());
        let wanted: Vec<String> = (offset..end).map(|number| self.cell(number)).collect();
        ensure!(names == wanted, "there are {names:?} and there should be {wanted:?}");
        let told = page["gaps"].as_array().into_iter().flatten().find(|told| told["offset"].is_u64());
        let told = told.with_context(|| format!("it does not say where it is: {}", page["gaps"]))?;
        ensure!(told["offset"] == offset, "it says it is elsewhere: {told}");
        let next = (end < cells).then_some(end);
        ensure!(told["next_offset"].as_u64() == next, "it goes on at {next:?}: {told}");
        ensure!(told["columns"] == gap["columns"], "it has other columns: {told}");
        Ok(())
    }
}

/// The names of everything that is a cell or stands in one.
fn collect(node: &Value, names: &mut Vec<String>) {
    if node["role"] == "cell" || node["role"] == "statictext" {
        names.extend(node["name"].as_str().map(str::to_owned));
    }
    node["children"].as_array().into_iter().flatten().for_each(|child| collect(child, names));
}

fn has_text(node: &Value, text: &str) -> bool {
    node["name"] == text || node["children"].as_array().into_iter().flatten().any(|child| has_text(child, text))
}

/// What a sheet calls a column: A to Z, then AA.
fn letters(column: u64) -> String {
    let mut letters = String::new();
    let mut left = column + 1;
    while left > 0 {
        left -= 1;
        letters.insert(0, char::from(b'A' + (left % 26) as u8));
        left /= 26;
    }
    letters
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn columns_of_a_sheet_are_called_by_letters() {
        assert_eq!([0, 25, 26, 701, 702, 16_383].map(letters), ["A", "Z", "AA", "ZZ", "AAA", "XFD"]);
    }

    #[test]
    fn a_page_with_a_wrong_row_is_found_out() {
        let model = Model::Ledger { rows: 5_000 };
        let gap = json!({ "columns": 2 });
        let cells =
            |from: u64| (from..from + 200).map(|number| json!({ "name": model.cell(number) })).collect::<Vec<_>>();
        let page = |from| json!({ "tree": { "children": cells(from) }, "gaps": [{ "offset": 100, "next_offset": 300, "columns": 2 }] });
        model.page(&page(100), &gap, 100).unwrap();
        assert!(model.page(&page(102), &gap, 100).is_err());
        assert!(model.page(&json!({ "tree": { "children": [] } }), &gap, 100).is_err());
    }
}
