//! How a report of the lab is told from any other file, so that only reports are replaced.

/// How a page begins. Browsers ignore the comment.
pub(crate) const PAGE_START: &str = "<!DOCTYPE html><!-- report of lab -->";

/// How a report in JUnit XML begins. Readers of XML ignore the comment.
pub(crate) const XML_START: &str =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- report of lab -->\n";

/// The longest start that [`is_report`] needs, in bytes.
pub const LONGEST_REPORT_START: usize = XML_START.len();

/// Whether a file that begins with these bytes is a report of the lab.
#[must_use]
pub fn is_report(start: &[u8]) -> bool {
    [PAGE_START, XML_START]
        .iter()
        .any(|known| start.starts_with(known.as_bytes()))
}
