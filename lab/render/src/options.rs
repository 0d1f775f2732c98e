//! How texts are drawn.

/// How a text is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Columns of the terminal. Fewer than 40 are taken as 40.
    pub width: usize,
    /// Lines of the terminal, if it is one.
    pub height: Option<usize>,
    /// Whether to add colour, as ANSI escapes. It never says anything new.
    pub color: bool,
    /// Whether to use nothing but ASCII.
    pub ascii: bool,
    /// The most rows to show; of more the middle is left out. Fewer than 3 are
    /// taken as 3.
    pub rows: usize,
    /// Whether to say under each row why it is so.
    pub explain: bool,
    /// Whether to show each request and its response as they went over the wire.
    pub exchanges: bool,
    /// How the reader called the lab: what a text advises to run begins with it.
    pub lab: &'static str,
}

impl Options {
    /// The default of [`Options::width`].
    pub const WIDTH: usize = 80;
    /// The fewest columns that anything is set in.
    pub const NARROWEST: usize = 40;
    /// The default of [`Options::rows`].
    pub const ROWS: usize = 60;
    /// The default of [`Options::lab`]: how the lab is called in a checkout.
    pub const LAB: &'static str = "cargo run -p lab --";
}

impl Default for Options {
    fn default() -> Self {
        Self {
            width: Self::WIDTH,
            height: None,
            color: false,
            ascii: false,
            rows: Self::ROWS,
            explain: false,
            exchanges: false,
            lab: Self::LAB,
        }
    }
}
