//! Snapshots of whole timelines, each as text, as rows of a page, and as one line of a list.

use super::*;
use crate::Sheet;

/// Compares all pictures of a timeline with those in a file.
fn assert_pictures(name: &str, timelines: [&Timeline; 1]) {
    let [timeline] = timelines;
    let [wide] = text([timeline], &Options::default());
    let narrow = Options {
        width: 50,
        ascii: true,
        ..Options::default()
    };
    let [narrow] = text([timeline], &narrow);
    let brief = Sheet::filled(&Options::default(), |sheet| brief(sheet, 0, timeline));
    let pictures = [
        ("text", wide),
        ("narrow text in ASCII", narrow),
        ("brief text", brief),
        ("line", in_lines(&line(&[timeline]).into_string())),
        ("page", in_lines(&page(&[timeline], true))),
    ];
    let pictures = pictures.map(|(title, picture)| format!("== {title}\n{picture}"));
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, pictures.join("\n"));
    });
}

/// HTML with a line for each element.
fn in_lines(html: &str) -> String {
    let closed = ["rect", "line"].map(|name| format!("></{name}>"));
    let html = closed
        .iter()
        .fold(html.to_owned(), |html, end| html.replace(end, "/>"));
    html.replace("><", ">\n<") + "\n"
}

fn with(row: Row, bars: &[Bar]) -> Row {
    Row {
        bars: bars.to_vec(),
        ..row
    }
}

fn at_level(level: u32, row: Row) -> Row {
    Row { level, ..row }
}

/// A wait with the longest that it could have been.
fn wait(from: u64, to: u64, at_most: u64) -> Row {
    let label = format!("wait {} ms", to - from);
    let note = format!("backoff, at most {} ms", at_most - from);
    let bar = Bar {
        at_most: Some(ms(at_most)),
        ..Bar::new(Kind::Wait, ms(from), ms(to))
    };
    with(row(Kind::Wait, from, to, &label, &note), &[bar])
}

#[test]
fn attempts_and_waits() {
    let timeline = timeline([
        row(Kind::Failed, 0, 2, "attempt 1", "503 Service Unavailable"),
        wait(2, 133, 202),
        row(
            Kind::Failed,
            133,
            135,
            "attempt 2",
            "503 Service Unavailable",
        ),
        wait(135, 422, 535),
        row(Kind::Good, 422, 424, "attempt 3", "200 OK"),
    ]);

    assert_pictures("attempts_and_waits", [&timeline]);
}

/// The wait was decided as 188 ms, and the client was woken after 500.
#[test]
fn a_late_wait() {
    let row_of_wait = wait(0, 188, 200);
    let late = Bar::new(Kind::Late, ms(188), ms(500));
    let bars = [row_of_wait.bars[0], late];
    let timeline = timeline([
        row(Kind::Failed, 0, 0, "attempt 1", "503 Service Unavailable"),
        with(row_of_wait, &bars),
        row(Kind::Good, 500, 501, "attempt 2", "200 OK"),
    ]);

    assert_pictures("a_late_wait", [&timeline]);
}

#[test]
fn a_wait_of_two_minutes() {
    let timeline = timeline([
        row(Kind::Failed, 0, 2, "attempt 1", "503 Service Unavailable"),
        row(Kind::Wait, 2, 120_002, "wait 120 s", "Retry-After"),
        row(Kind::Good, 120_002, 120_004, "attempt 2", "200 OK"),
    ]);

    assert_pictures("a_wait_of_two_minutes", [&timeline]);
}

#[test]
fn a_run_that_goes_on() {
    let open = |kind, from, label: &str, note: &str, at_most: Option<u64>| {
        let bar = Bar {
            kind,
            from: ms(from),
            to: None,
            at_most: at_most.map(ms),
        };
        let row = with(row(kind, from, from, label, note), &[bar]);
        Row { end: None, ..row }
    };
    let rows = [
        row(Kind::Failed, 0, 2, "attempt 1", "503 Service Unavailable"),
        open(
            Kind::Wait,
            2,
            "waiting 8 s",
            "5.0 s left · Retry-After",
            Some(8_002),
        ),
        open(Kind::InFlight, 900, "attempt 2", "in flight", None),
    ];
    let timeline = Timeline {
        now: ms(3_002),
        ..timeline(rows)
    };

    assert_pictures("a_run_that_goes_on", [&timeline]);
}

/// One call with its own rows below a heading, and the service's side of each attempt.
#[test]
fn rows_under_a_call() {
    let heading = Row {
        is_call: true,
        bars: Vec::new(),
        ..row(Kind::Good, 0, 152, "call 1", "2 attempts · ok")
    };
    let service = |from, to, note| at_level(3, row(Kind::Service, from, to, "service", note));
    let attempt = |kind, from, to, label, note| at_level(2, row(kind, from, to, label, note));
    let folded = |row| Row {
        folded: true,
        ..row
    };
    let timeline = timeline([
        heading,
        attempt(Kind::Cut, 0, 20, "attempt 1", "the connection broke off"),
        service(5, 15, "no response · fault lost_response"),
        at_level(2, wait(20, 132, 220)),
        folded(attempt(Kind::Good, 132, 152, "attempt 2", "201 Created")),
        service(137, 147, "201"),
    ]);

    assert_pictures("rows_under_a_call", [&timeline.clone()]);
    assert_pictures("rows_that_are_not_folded", [&timeline.unfolded()]);
}

/// Four workers: one is refused, one waits for a slot.
#[test]
fn folded_calls_and_a_limit() {
    let call = |number: u64, kind, note, bars: &[Bar]| Row {
        is_call: true,
        folded: true,
        ..with(row(kind, 0, 200, &format!("call {number}"), note), bars)
    };
    let bar = |kind, from, to| Bar::new(kind, ms(from), ms(to));
    let refused = [
        bar(Kind::Failed, 0, 0),
        bar(Kind::Wait, 0, 40),
        bar(Kind::Queue, 40, 100),
        bar(Kind::Good, 100, 200),
    ];
    let served = [bar(Kind::Good, 0, 100)];
    let queued = [bar(Kind::Queue, 0, 100), bar(Kind::Good, 100, 200)];
    let timeline = Timeline {
        limit: Some(Limit {
            label: "attempts in flight".to_owned(),
            note: "limit 2 → 1 after one response with 429; at most 2 in flight".to_owned(),
            steps: vec![(ms(0), 2), (ms(0), 1), (ms(200), 2)],
            used: vec![(ms(0), 2), (ms(100), 1), (ms(200), 0)],
        }),
        remarks: vec!["12 more spans were not recorded: the trace was full".to_owned()],
        ..timeline([
            call(1, Kind::Good, "2 attempts · ok", &refused),
            call(2, Kind::Good, "200 OK", &served),
            call(3, Kind::Good, "200 OK", &queued),
            call(4, Kind::Stop, "1 attempt · deadline", &served),
        ])
    };

    assert_pictures("folded_calls_and_a_limit", [&timeline]);
}

#[test]
fn a_flood() {
    let attempt = |number: u64| {
        let at = 3 * number;
        row(
            Kind::Good,
            at,
            at + 2,
            &format!("attempt {number}"),
            "200 OK",
        )
    };

    let timeline = timeline((0..100).map(attempt));
    let timeline = timeline.without_middle(7, |rows| format!("{} rows not shown", rows.len()));

    assert_pictures("a_flood", [&timeline]);
}

/// Requests of a case, as the wire shows them: nothing says why the client paused.
#[test]
fn requests_with_pauses() {
    let early = Tag {
        words: "✗ retry-after-seconds".to_owned(),
        is_bad: true,
    };
    let request = |kind, from, to, note: &str, pause: Option<u64>| {
        let pause = pause.map(|start| Bar::new(Kind::Pause, ms(start), ms(from)));
        let bars: Vec<_> = pause
            .into_iter()
            .chain([Bar::new(kind, ms(from), ms(to))])
            .collect();
        with(row(kind, from, to, "GET", note), &bars)
    };
    let timeline = timeline([
        request(Kind::Failed, 0, 1, "503  Retry-After: 2 s", None),
        Row {
            tags: vec![early],
            ..request(
                Kind::Cut,
                1_021,
                1_022,
                "200  incomplete  980 ms too early",
                Some(1),
            )
        },
        request(
            Kind::Good,
            3_100,
            3_101,
            "200  cursor A  next B  perhaps sent again by the transport",
            Some(1_022),
        ),
    ]);

    assert_pictures("requests_with_pauses", [&timeline]);
}

#[test]
fn a_call_that_gave_up() {
    let timeline = timeline([
        row(Kind::Failed, 0, 3, "attempt 1", "503 Service Unavailable"),
        row(
            Kind::Stop,
            3,
            3,
            "gave up",
            "Retry-After 120 s > 30 s allowed",
        ),
    ]);

    assert_pictures("a_call_that_gave_up", [&timeline]);
}

/// In virtual time an attempt takes no time at all.
#[test]
fn moments() {
    let attempt = |number: u64| row(Kind::Good, 0, 0, &format!("attempt {number}"), "200 OK");

    assert_pictures("moments", [&timeline((1..=3).map(attempt))]);
}

#[test]
fn a_client_of_which_only_the_service_is_known() {
    let request = row(
        Kind::Service,
        0,
        3,
        "service",
        "GET /flaky 503 · fault flaky_503",
    );

    assert_pictures(
        "a_client_of_which_only_the_service_is_known",
        [&timeline([request])],
    );
}

#[test]
fn pages_of_a_listing_that_repeat() {
    let page = |number: u64| {
        let attempt = row(
            Kind::Good,
            number,
            number,
            &format!("call {number}"),
            "200 OK",
        );
        Row {
            is_call: true,
            folded: true,
            ..attempt
        }
    };

    assert_pictures(
        "pages_of_a_listing_that_repeat",
        [&timeline((1..=6).map(page))],
    );
}

#[test]
fn nothing() {
    assert_pictures("nothing", [&Timeline::default()]);
}

/// Equal times have equal places, in a text, on a page and in a list.
#[test]
fn two_sides_have_one_axis() {
    let slow = timeline([
        row(Kind::Failed, 0, 2, "attempt 1", "503"),
        row(Kind::Wait, 2, 98, "wait 96 ms", "backoff"),
        row(Kind::Good, 98, 100, "attempt 2", "200 OK"),
    ]);
    let quick = timeline([
        row(Kind::Failed, 0, 2, "attempt 1", "503"),
        row(Kind::Good, 2, 50, "attempt 2", "200 OK"),
    ]);

    let [above, below] = text([&slow, &quick], &Options::default());
    insta::assert_snapshot!(format!("{above}{below}"), @"
     0 ms  ▕█▏                                               attempt 1   503
     2 ms   ▕░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▏   wait 96 ms   backoff
    98 ms                                               ▕█▏  attempt 2   200 OK
     0 ms  ▕█▏                                               attempt 1   503
     2 ms   ▕█████████████████████▏                          attempt 2   200 OK
    ");

    let page = page(&[&slow, &quick], false);
    let half = elements(&page, &["rect"])
        .filter(|bar| percent_of(bar, "x") == Some(2.0))
        .filter_map(|bar| percent_of(bar, "width"));
    assert_eq!(half.collect::<Vec<_>>(), [96.0, 48.0]);
    let list = line(&[&slow, &quick]).into_string();
    let half = elements(&list, &["rect"])
        .filter(|bar| percent_of(bar, "x") == Some(1.96))
        .filter_map(|bar| percent_of(bar, "width"));
    assert_eq!(half.collect::<Vec<_>>(), [94.08, 47.04]);
}

#[test]
fn a_colour_adds_only_escapes() {
    let timeline = timeline([
        row(Kind::Failed, 0, 2, "attempt 1", "503 Service Unavailable"),
        wait(2, 133, 202),
        row(Kind::Good, 133, 135, "attempt 2", "200 OK"),
    ]);
    let options = Options {
        color: true,
        ..Options::default()
    };

    let [plain] = text([&timeline], &Options::default());
    let [coloured] = text([&timeline], &options);

    assert!(
        coloured.contains("\u{1b}[31m"),
        "a failed attempt is red: {coloured:?}"
    );
    let mut parts = coloured.split('\u{1b}');
    let head = parts.next().unwrap_or_default().to_owned();
    let uncoloured = parts.fold(head, |text, part| {
        text + part.split_once('m').expect("an end").1
    });
    assert_eq!(uncoloured, plain);
}

#[test]
fn numbers_of_a_limit_do_not_overlap() {
    let steps = [64, 32, 16, 8, 4, 2, 1];
    let timeline = Timeline {
        limit: Some(Limit {
            label: "attempts in flight".to_owned(),
            note: String::new(),
            steps: steps.map(|limit| (ms(0), limit)).to_vec(),
            used: vec![(ms(0), 1)],
        }),
        ..timeline([row(Kind::Good, 0, 200, "attempt 1", "200 OK")])
    };

    let page = page(&[&timeline], false);

    let (_, limit) = page.split_once("row limit").expect("a limit");
    let (limit, _) = limit.split_once("</svg>").expect("its end");
    let heights = elements(limit, &["text"]).map(|text| percent_of(text, "y").expect("a height"));
    let heights: Vec<_> = heights.collect();
    assert!(heights.len() >= 5, "{heights:?}");
    assert!(
        heights.windows(2).all(|pair| pair[1] - pair[0] >= 13.0),
        "{heights:?}"
    );
}

/// A caption stands behind its bar, or else before the row's bars, or else on its line.
#[test]
fn no_caption_leaves_the_picture_or_lies_under_a_bar() {
    let late = Bar::new(Kind::Late, ms(100), ms(400));
    let pause = Bar::new(Kind::Pause, ms(10), ms(395));
    let attempt = Bar::new(Kind::Good, ms(395), ms(400));
    let timeline = timeline([
        row(Kind::Failed, 0, 5, "attempt 1", "503"),
        row(Kind::Good, 350, 360, "attempt 2", "200 OK"),
        with(row(Kind::Wait, 60, 400, "wait 40 ms", "backoff"), &[late]),
        with(row(Kind::Good, 395, 400, "GET", "200"), &[pause, attempt]),
        Row {
            end: None,
            ..row(Kind::Good, 100, 100, "POST", "201")
        },
    ]);

    let page = page(&[&timeline], false);

    let captions = page.split("<text class=\"").skip(1).map(|text| {
        let (attributes, words) = text.split_once('>').expect("a text");
        let class = attributes.split('"').next().unwrap_or_default();
        let [x, dx, anchor] = ["x", "dx", "text-anchor"].map(|name| values(attributes, name)[0]);
        let words = words.split('<').next().unwrap_or_default();
        format!("{words}: {class} at {x}{dx} {anchor}")
    });
    insta::assert_snapshot!(captions.collect::<Vec<_>>().join("\n"), @"
    5 ms: lasted at 1.250%6 start
    10 ms: lasted at 87.500%-6 end
    late 300 ms: lasted on late at 100.000%-6 end
    5 ms: lasted on at 100.000%-6 end
    ");
}

/// In a card a check mark is a verdict.
#[test]
fn requests_have_no_signs_of_their_own() {
    let kinds = Kind::ALL.map(|kind| row(kind, 0, 5, "GET", "200"));
    let timeline = timeline(kinds);

    let waterfall = Waterfall {
        timeline: &timeline,
        axis: &axis(&[&timeline]),
        title: "Requests",
        prefix: "",
        layout: Layout::Requests,
        folds_repeated: false,
    };
    let page = waterfall.draw(|_| None).into_string();
    let legend = legend(&[&timeline], Layout::Requests).into_string();

    assert_eq!(values(&page, "id").len(), Kind::ALL.len());
    assert!(!(page + &legend).contains(['✓', '✗']));
}
