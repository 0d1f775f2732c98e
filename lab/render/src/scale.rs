//! The axis of a chart: the position of a time, in columns.
//!
//! A linear axis would show nothing of a run in which two attempts of 2 ms surround a
//! wait of an hour. So the axis makes two exceptions: each stretch between two events gets
//! one column before the rest is divided by length, and a pause that is far longer than
//! everything else is cut, with a visible break. The order never changes: what starts
//! later is never further left.

use std::{ops::Range, time::Duration};

/// A bar that takes part in dividing the axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// Where it starts.
    pub(crate) start: Duration,
    /// Where it ends.
    pub(crate) end: Duration,
    /// Only waiting happens here, so it may be cut.
    pub(crate) pause: bool,
}

/// A shorter pause is never cut: an ordinary backoff is to scale.
const LONG_PAUSE: Duration = Duration::from_secs(10);

/// A pause is cut only if it is this many times longer than the uncut rest.
const DWARFS: u32 = 8;

/// The break and a bit of bar on both sides.
const NARROWEST_CUT: f64 = 4.0;

/// Sums of fractions may be this much below whole columns.
const ROUNDING: f64 = 1e-6;

/// Maps times to columns.
#[derive(Debug)]
pub(crate) struct Scale {
    columns: usize,
    /// Adjacent pieces in order of time.
    pieces: Vec<Piece>,
}

/// The stretch between two neighbouring events, or one event that takes no time.
///
/// An attempt in virtual time takes no time. It is a piece of its own so that it is
/// visible, and so that the next bar starts to its right.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: Duration,
    to: Duration,
    pause: bool,
    cut: bool,
    left: f64,
    width: f64,
}

impl Scale {
    /// Divides `columns`, at least one, among the stretches between the starts and ends of
    /// `extents`.
    pub(crate) fn new(extents: &[Extent], columns: usize) -> Self {
        let mut pieces = pieces(extents);
        if let Some(shortest) = shortest_cut(&pieces) {
            for piece in &mut pieces {
                piece.cut = piece.pause && piece.length() >= shortest;
            }
        }
        if !share_out(&mut pieces, columns) {
            // With so many long pauses, nothing but breaks would be visible.
            pieces.iter_mut().for_each(|piece| piece.cut = false);
            share_out(&mut pieces, columns);
        }
        Self { columns, pieces }
    }

    /// The number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// The columns of a bar: at least one.
    pub(crate) fn bar(&self, start: Duration, end: Duration) -> Range<usize> {
        let (left, right) = if start < end {
            (self.leave(start), self.enter(end))
        } else {
            (self.enter(start), self.leave(start))
        };
        let first = column(left).min(self.columns - 1);
        first..column(right).clamp(first + 1, self.columns)
    }

    /// The two columns of every break within a bar.
    pub(crate) fn cuts(&self, bar: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let (start, end) = (bar.start, bar.end);
        self.breaks()
            .map(|first| first..first + 2)
            .filter(move |cut| start <= cut.start && cut.end <= end)
    }

    /// The first of the two columns of every break.
    fn breaks(&self) -> impl Iterator<Item = usize> {
        let cuts = self.pieces.iter().filter(|piece| piece.cut);
        cuts.map(|cut| column(cut.left + cut.width / 2.0) - 1)
    }

    /// The left position of a time.
    fn enter(&self, time: Duration) -> f64 {
        let index = self.pieces.partition_point(|piece| piece.to < time);
        let piece = self.pieces.get(index).or(self.pieces.last());
        piece.map_or(0.0, |piece| piece.position(time, 0.0))
    }

    /// The right position of a time.
    fn leave(&self, time: Duration) -> f64 {
        let index = self.pieces.partition_point(|piece| piece.from <= time);
        let piece = self.pieces.get(index.saturating_sub(1));
        piece.map_or(0.0, |piece| piece.position(time, 1.0))
    }
}

impl Piece {
    fn length(&self) -> Duration {
        self.to - self.from
    }

    /// The position of a time in this piece. An instant has no length, so `instant` selects
    /// its left (0) or right (1) side.
    fn position(&self, time: Duration, instant: f64) -> f64 {
        let fraction = if self.from == self.to {
            instant
        } else {
            let since = time.saturating_sub(self.from).as_secs_f64();
            (since / self.length().as_secs_f64()).min(1.0)
        };
        self.left + self.width * fraction
    }
}

fn pieces(extents: &[Extent]) -> Vec<Piece> {
    let mut times: Vec<_> = extents
        .iter()
        .flat_map(|extent| [extent.start, extent.end])
        .collect();
    times.sort_unstable();
    times.dedup();

    let piece = |from, to, pause| Piece {
        from,
        to,
        pause,
        cut: false,
        left: 0.0,
        width: 0.0,
    };
    let mut pieces = Vec::new();
    for (index, &time) in times.iter().enumerate() {
        if extents
            .iter()
            .any(|extent| extent.start == time && extent.end == time)
        {
            pieces.push(piece(time, time, false));
        }
        if let Some(&next) = times.get(index + 1) {
            let is_work =
                |extent: &Extent| !extent.pause && extent.start < next && time < extent.end;
            pieces.push(piece(time, next, !extents.iter().any(is_work)));
        }
    }
    pieces
}

/// The length from which pauses are cut; none if no pause is.
fn shortest_cut(pieces: &[Piece]) -> Option<Duration> {
    let mut pauses: Vec<_> = pieces
        .iter()
        .filter(|piece| piece.pause)
        .map(Piece::length)
        .collect();
    pauses.sort_unstable_by(|a, b| b.cmp(a));

    let mut rest: Duration = pieces.iter().map(Piece::length).sum();
    let mut shortest = None;
    for pause in pauses.into_iter().take_while(|pause| *pause > LONG_PAUSE) {
        rest -= pause;
        if pause / DWARFS > rest {
            shortest = Some(pause);
        }
    }
    shortest
}

/// Sets the width of each piece. Returns `false`, and changes nothing, if the breaks
/// would be too narrow to draw.
fn share_out(pieces: &mut [Piece], columns: usize) -> bool {
    let columns = columns as f64;
    let cuts = pieces.iter().filter(|piece| piece.cut).count() as f64;
    let whole = pieces.len() as f64 - cuts;
    let uncut = pieces.iter().filter(|piece| !piece.cut);
    let length: f64 = uncut.map(|piece| piece.length().as_secs_f64()).sum();

    // With too many pieces for one column each, each gets a fraction.
    let least = (columns / 2.0 / whole).min(1.0);
    let for_cuts = match (cuts > 0.0, length > 0.0) {
        (false, _) => 0.0,
        (true, true) => columns / 2.0,
        (true, false) => columns - whole * least,
    };
    if cuts > 0.0 && for_cuts / cuts < NARROWEST_CUT {
        return false;
    }
    let per_second = if length > 0.0 {
        (columns - whole * least - for_cuts) / length
    } else {
        0.0
    };

    for piece in &mut *pieces {
        piece.width = if piece.cut {
            for_cuts / cuts
        } else {
            least + per_second * piece.length().as_secs_f64()
        };
    }
    if least == 1.0 {
        round(pieces, columns);
    }
    let mut left = 0.0;
    for piece in pieces {
        piece.left = left;
        left += piece.width;
    }
    true
}

/// Makes widths whole, so that equal durations look equal. The widest piece takes the
/// remainder, since it shows least there.
fn round(pieces: &mut [Piece], columns: f64) {
    for piece in &mut *pieces {
        piece.width = (piece.width + ROUNDING).floor();
    }
    let used: f64 = pieces.iter().map(|piece| piece.width).sum();
    let widest = pieces.iter_mut().max_by(|a, b| a.width.total_cmp(&b.width));
    if let Some(widest) = widest.filter(|piece| piece.length() > Duration::ZERO) {
        widest.width += columns - used;
    }
}

/// A position is between zero and the number of columns.
fn column(position: f64) -> usize {
    (position + ROUNDING).floor() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(start: u64, end: u64) -> Extent {
        extent(start, end, false)
    }

    fn pause(start: u64, end: u64) -> Extent {
        extent(start, end, true)
    }

    fn extent(start: u64, end: u64, pause: bool) -> Extent {
        let (start, end) = (Duration::from_millis(start), Duration::from_millis(end));
        Extent { start, end, pause }
    }

    fn draw(extents: &[Extent], columns: usize) -> (Vec<Range<usize>>, Vec<usize>) {
        let scale = Scale::new(extents, columns);
        let bars = extents
            .iter()
            .map(|extent| scale.bar(extent.start, extent.end));
        (bars.collect(), scale.breaks().collect())
    }

    #[test]
    fn the_columns_are_divided_by_length() {
        let (bars, breaks) = draw(&[work(0, 300), work(300, 400)], 42);

        assert_eq!(bars, [0..31, 31..42]);
        assert!(breaks.is_empty(), "{breaks:?}");
    }

    #[test]
    fn an_instant_gets_a_column_of_its_own() {
        let (bars, _) = draw(&[work(0, 0), pause(0, 100), work(100, 100)], 10);

        assert_eq!(bars, [0..1, 1..9, 9..10]);
    }

    #[test]
    fn a_pause_far_longer_than_the_rest_is_cut() {
        let (bars, breaks) = draw(&[work(0, 2), pause(2, 120_002), work(120_002, 120_004)], 20);

        assert_eq!(bars, [0..5, 5..15, 15..20]);
        assert_eq!(breaks, [9]);
    }

    #[test]
    fn every_long_pause_is_cut_with_idle_time_and_nothing_else() {
        let idle = [work(0, 2), work(3_600_000, 3_600_002)];
        let stalled = [work(0, 2), work(2, 120_000)];
        let backoff = [work(0, 2), pause(2, 5_000), work(5_000, 5_002)];
        let (one, other) = (pause(2, 120_002), pause(120_004, 3_720_004));
        let between = work(120_002, 120_004);
        let several = [work(0, 2), one, between, other, work(3_720_004, 3_720_006)];

        for (extents, columns, breaks) in [
            (&idle[..], 20, 1),
            (&stalled, 20, 0),
            (&backoff, 20, 0),
            (&several, 40, 2),
        ] {
            assert_eq!(draw(extents, columns).1.len(), breaks, "{extents:?}");
        }
    }

    #[test]
    fn nothing_is_cut_if_only_breaks_would_remain() {
        let waits: Vec<_> = (0..20)
            .map(|n| pause(n * 100_000, n * 100_000 + 99_999))
            .collect();

        let (bars, breaks) = draw(&waits, 20);

        assert!(breaks.is_empty(), "{breaks:?}");
        assert!(bars.iter().all(|bar| bar.end <= 20), "{bars:?}");
    }

    #[test]
    fn an_axis_without_extents_can_be_drawn() {
        let scale = Scale::new(&[], 10);

        assert_eq!(scale.bar(Duration::ZERO, Duration::MAX), 0..1);
    }

    #[test]
    fn a_time_outside_the_axis_is_drawn_at_its_edge() {
        let scale = Scale::new(&[work(100, 200)], 10);

        let before = scale.bar(Duration::ZERO, Duration::from_millis(50));
        let after = scale.bar(Duration::from_secs(1), Duration::from_secs(2));

        assert_eq!((before, after), (0..1, 9..10));
    }
}
