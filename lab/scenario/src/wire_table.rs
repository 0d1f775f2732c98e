//! The record of the wire as a table of texts.

use judge::Names;
use render::{Column, Table, TableRow, number, optional, words};
use wire::{WireRecord, WireRequest, duration, duration_left};

/// A column of requests, and the function for its cells. Values that are not kept have
/// these names, or else are shown as a hash.
type RequestColumn = (Column, fn(&WireRequest, &Names) -> Option<String>);

const COLUMNS: [RequestColumn; 12] = [
    (number("#"), |request, _| Some(request.seq.to_string())),
    (number("arrived"), |request, _| {
        Some(duration(request.arrived))
    }),
    (words("request"), |request, _| {
        Some(format!("{} {}", request.method, request.route))
    }),
    (number("status"), |request, _| {
        let status = request.status.map(|status| status.to_string());
        Some(status.unwrap_or_else(|| "no response".to_owned()))
    }),
    (optional(words("fault")), |request, _| {
        request.fault.map(|fault| fault.0.to_owned())
    }),
    (optional(number("Retry-After")), |request, _| {
        Some(request.retry_after?.to_string())
    }),
    (optional(number("too early by")), |request, _| {
        request.early.map(duration_left)
    }),
    (optional(words("key")), |request, names| {
        let key = request.idempotency_key?;
        Some(names.key(key).unwrap_or_else(|| key.to_string()))
    }),
    (optional(words("cursor")), |request, names| {
        let cursor = request.cursor?;
        Some(names.cursor(cursor).unwrap_or_else(|| cursor.to_string()))
    }),
    (optional(words("body")), |request, names| {
        let body = request.body?;
        Some(names.body(body).unwrap_or_else(|| body.to_string()))
    }),
    (optional(words(TRACE)), |request, _| {
        Some(request.trace_id.as_deref()?.chars().take(8).collect())
    }),
    (words("request id"), |request, _| {
        Some(request.request_id.to_string())
    }),
];

/// The title of the column of traces.
const TRACE: &str = "trace";

/// Every column of requests.
#[must_use]
pub fn columns_of_requests() -> Vec<Column> {
    COLUMNS.iter().map(|(column, _)| *column).collect()
}

/// The requests of a run, without the columns that none of them fills, and without the
/// trace, which all of them share. Hashed values get names.
#[must_use]
pub fn of_run(record: &WireRecord) -> Table {
    let names = Names::of(&record.entries);
    let rows = record.entries.iter();
    let requests = Table {
        columns: columns_of_requests(),
        rows: rows.map(|row| named(row, &names)).collect(),
    };
    requests.with_columns(|column| column.title != TRACE)
}

/// A row with a cell for every column.
#[must_use]
pub fn of_request(request: &WireRequest) -> TableRow {
    named(request, &Names::default())
}

fn named(request: &WireRequest, names: &Names) -> TableRow {
    let cells = COLUMNS.iter().map(|(_, cell)| cell(request, names));
    TableRow {
        cells: cells.collect(),
        failed: request.early.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use wire::RequestId;

    use super::*;

    #[test]
    fn a_column_that_no_request_fills_is_omitted() {
        let early = WireRequest {
            seq: 1,
            method: "GET",
            route: "/flaky".into(),
            early: Some(Duration::from_micros(1500)),
            request_id: RequestId::made(1),
            ..WireRequest::default()
        };
        let record = WireRecord {
            entries: vec![early],
            ..WireRecord::default()
        };

        let Table { columns, rows } = of_run(&record);

        let titles: Vec<_> = columns.iter().map(|column| column.title).collect();
        let cells: Vec<_> = rows[0].cells.iter().flatten().map(String::as_str).collect();
        let expected = "#, arrived, request, status, too early by, request id";
        assert_eq!(titles.join(", "), expected);
        let expected = "1, 0 ms, GET /flaky, no response, 2 ms, req-0000000000000001";
        assert_eq!(cells.join(", "), expected);
        assert!(rows[0].failed);
    }
}
