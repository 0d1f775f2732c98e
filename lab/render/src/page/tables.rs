//! Tables: of texts, and of rows with a small picture each.

use maud::{Markup, html};

use crate::table::Table;

/// A table that scrolls if the screen is too narrow. Its columns have titles, and may be
/// numbers.
#[must_use]
pub fn wide_table<'a>(
    class: Option<&str>,
    (id, caption): (&str, &str),
    columns: impl IntoIterator<Item = (&'a str, bool)>,
    bodies: Markup,
) -> Markup {
    html! {
        div.wide role="region" aria-labelledby=(id) tabindex="0" {
            table class=[class] {
                caption id=(id) { (caption) }
                thead { tr {
                    @for (title, is_number) in columns {
                        th class=[is_number.then_some("num")] scope="col" { (title) }
                    }
                } }
                (bodies)
            }
        }
    }
}

/// A table of texts. The first cell of a row names it.
#[must_use]
pub fn table(class: Option<&str>, caption: (&str, &str), of: &Table) -> Markup {
    let columns = of
        .columns
        .iter()
        .map(|column| (column.title, column.number));
    wide_table(
        class,
        caption,
        columns,
        html! {
            tbody {
                @for row in &of.rows {
                    tr.failed[row.failed] {
                        @for (at, (column, cell)) in of.columns.iter().zip(&row.cells).enumerate() {
                            @let text = cell.as_deref().unwrap_or("—");
                            @if at == 0 {
                                th.num[column.number] scope="row" { (text) }
                            } @else {
                                td.num[column.number] { (text) }
                            }
                        }
                    }
                }
            }
        },
    )
}

/// A column of a table whose rows have a small picture. Each has a title.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureColumn<'a> {
    /// The name of the row.
    Name(&'a str),
    /// A short text, which is never cut.
    Words(&'a str),
    /// A text that takes the remaining width, in several lines if that is too narrow.
    Rest(&'a str),
    /// A number. On a narrow screen its title stands before it.
    Number(&'a str),
    /// The small picture.
    Picture(&'a str),
}

impl<'a> PictureColumn<'a> {
    fn title(self) -> &'a str {
        match self {
            Self::Name(title)
            | Self::Words(title)
            | Self::Rest(title)
            | Self::Number(title)
            | Self::Picture(title) => title,
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Name(_) | Self::Words(_) => "fit",
            Self::Rest(_) => "rest",
            Self::Number(_) => "num fit",
            Self::Picture(_) => "picture",
        }
    }
}

/// A table whose rows have a small picture each, with a caption for those who do not see it. The
/// roles keep it a table on a narrow screen, where a row is drawn as two lines.
#[must_use]
pub fn picture_table(
    caption: &str,
    columns: &[PictureColumn<'_>],
    rows: impl IntoIterator<Item = Vec<Markup>>,
) -> Markup {
    html! {
        table.traces role="table" {
            caption.unseen { (caption) }
            thead role="rowgroup" { tr role="row" {
                @for column in columns {
                    th class=(column.class()) role="columnheader" scope="col" { (column.title()) }
                }
            } }
            tbody role="rowgroup" {
                @for row in rows { (picture_row(columns, row)) }
            }
        }
    }
}

fn picture_row(columns: &[PictureColumn<'_>], cells: Vec<Markup>) -> Markup {
    html! {
        tr role="row" {
            @for (column, cell) in columns.iter().zip(cells) {
                @match column {
                    PictureColumn::Name(_) => {
                        th class=(column.class()) role="rowheader" scope="row" { (cell) }
                    }
                    PictureColumn::Number(title) => {
                        td class=(column.class()) role="cell" data-name=(title) { (cell) }
                    }
                    _ => td class=(column.class()) role="cell" { (cell) },
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_with_a_picture_has_a_cell_for_each_column() {
        let columns = [
            PictureColumn::Name("scenario"),
            PictureColumn::Rest("ending"),
            PictureColumn::Number("requests"),
            PictureColumn::Picture("what happened"),
        ];
        let cells = [
            html! { "flaky" },
            html! { "ok" },
            html! { (3) },
            html! { svg {} },
        ];

        let table = picture_table("The last runs", &columns, [cells.to_vec()]).into_string();

        let (_, body) = table.split_once("<tbody").expect("rows");
        insta::assert_snapshot!(body, @r#" role="rowgroup"><tr role="row"><th class="fit" role="rowheader" scope="row">flaky</th><td class="rest" role="cell">ok</td><td class="num fit" role="cell" data-name="requests">3</td><td class="picture" role="cell"><svg></svg></td></tr></tbody></table>"#);
        assert_eq!(table.matches("scope=\"col\"").count(), columns.len());
    }
}
