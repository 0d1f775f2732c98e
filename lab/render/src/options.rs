//! How texts are drawn.

/// The options of a rendering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The width of the terminal, in columns; at least 40.
    pub width: usize,
    /// Whether to add colour, as ANSI escapes. Colour adds no meaning.
    pub color: bool,
    /// Whether to use ASCII only.
    pub ascii: bool,
    /// The most rows to show, at least 3. Middle rows are omitted if there are more.
    pub rows: usize,
    /// Whether to show each request and its response as sent over the wire.
    pub exchanges: bool,
    /// How the reader called the lab. Suggested commands start with it.
    pub lab: &'static str,
}

impl Options {
    /// The default of [`Options::width`].
    pub const WIDTH: usize = 80;
    /// The narrowest supported width, in columns.
    pub const NARROWEST: usize = 40;
    /// The default of [`Options::rows`].
    pub const ROWS: usize = 60;
    /// The default of [`Options::lab`]: how the lab is called in a checkout.
    pub const LAB: &'static str = "cargo run -p lab --";
}

impl Options {
    /// A sign or a text, or its replacement if only ASCII may be used.
    pub fn or_ascii<T>(&self, sign: T, ascii: T) -> T {
        if self.ascii { ascii } else { sign }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            width: Self::WIDTH,
            color: false,
            ascii: false,
            rows: Self::ROWS,
            exchanges: false,
            lab: Self::LAB,
        }
    }
}
