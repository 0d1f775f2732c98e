//! A table of texts.

/// A table of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The columns in order.
    pub columns: Vec<Column>,
    /// The rows in order, each with a cell for every column.
    pub rows: Vec<TableRow>,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub title: &'static str,
    /// Whether its cells are numbers.
    pub number: bool,
    /// Whether it is omitted if no row has a cell for it.
    pub optional: bool,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRow {
    /// Its cells; none if empty.
    pub cells: Vec<Option<String>>,
    /// Whether it shows a failure.
    pub failed: bool,
}

/// A column of words.
#[must_use]
pub const fn words(title: &'static str) -> Column {
    Column {
        title,
        number: false,
        optional: false,
    }
}

/// A column of numbers.
#[must_use]
pub const fn number(title: &'static str) -> Column {
    Column {
        number: true,
        ..words(title)
    }
}

/// The same column, omitted if no row has a cell for it.
#[must_use]
pub const fn optional(column: Column) -> Column {
    Column {
        optional: true,
        ..column
    }
}

impl Table {
    /// Removes the optional columns that no row fills.
    #[must_use]
    pub fn without_empty_columns(self) -> Self {
        self.with_columns(|_| true)
    }

    /// Keeps these columns only, and of these the optional ones only if a row fills them.
    #[must_use]
    pub fn with_columns(mut self, is_wanted: impl Fn(&Column) -> bool) -> Self {
        let fills = |row: &TableRow, at| row.cells.get(at).is_some_and(Option::is_some);
        let is_filled = |at: usize| self.rows.iter().any(|row| fills(row, at));
        let is_shown: Vec<bool> = (0..)
            .zip(&self.columns)
            .map(|(at, column)| is_wanted(column) && (!column.optional || is_filled(at)))
            .collect();
        keep(&mut self.columns, &is_shown);
        for row in &mut self.rows {
            keep(&mut row.cells, &is_shown);
        }
        self
    }
}

fn keep<T>(cells: &mut Vec<T>, is_shown: &[bool]) {
    let mut is_shown = is_shown.iter();
    cells.retain(|_| is_shown.next() == Some(&true));
}
