//! A long listing whose pages fail once, and one without an end.

use std::time::Duration;

use axum::{
    Extension,
    response::{IntoResponse, Response},
};
use host::{FaultLabel, NextCursor};
use http::{StatusCode, header::CONTENT_TYPE};
use judge::rules::{page_limit, reads_to_the_end};
use serde_json::json;

use crate::{
    Goal, TaskWords,
    draw::Draw,
    responder::{Received, Reply, Responder},
    responses::{cut_ok, refused, unavailable, unavailable_for, unknown_cursor},
    task::{Case, PLAIN, Task},
};

/// The pages of the long listing.
const PAGES: usize = 60;

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "long-list",
        path: "/items",
        request: "GET, listing",
        text: "Read the listing as in read-all. It has sixty pages, and some of them fail once, \
               with a 503 or a body that breaks off: read all of them, with the token in every \
               request. The URL has a query of its own. Another listing never ends: print an \
               error there, {\"error\": …}, or exit with a code other than 0.",
        goal: r#"{"records": n}, and {"error": "…"}"#,
        hint: "Retry a page, not the listing, and with the headers of the first attempt. Keep the \
               query of the URL and add the cursor to it. The type of a JSON body may have parameters, or end in +json. Every page of the \
               second listing is valid and every cursor is new, so only a limit ends it. No \
               finite listing here has more than a hundred pages.",
        scenario: "endless-items",
        // A slow client reads 200 pages in 12 s.
        time: Duration::from_secs(20),
        ..PLAIN.words
    },
    rules: &[&reads_to_the_end::RULE, &page_limit::RULE],
    cases: &[
        Case::new("sixty pages, of which three fail once", |draw| {
            Box::new(LongList::new(draw, Some(PAGES)))
        }),
        Case::new("pages without an end", |draw| {
            Box::new(LongList::new(draw, None))
        }),
    ],
    // A retry that lost it gets a 401.
    has_token: true,
    ..PLAIN
};

/// The name of the parameter in the query of the URL.
const LIST: &str = "list";

/// How a page fails once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    Unavailable,
    RetryAfter,
    CutBody,
}

/// So many pages; without a number they have no end, and are made when they are asked for.
struct LongList {
    is_endless: bool,
    /// The value of [`LIST`].
    name: String,
    records: Vec<u64>,
    cursors: Vec<String>,
    /// The media type of the first page; those of the others follow in turn.
    media_type: usize,
    /// The pages that are still to fail, by their numbers.
    failures: Vec<(usize, Failure)>,
    draw: Draw,
}

/// The media types of pages, in turn.
const MEDIA_TYPES: [&str; 4] = [
    "application/json",
    "application/json; charset=utf-8",
    "application/vnd.lab.page+json",
    "Application/JSON;charset=UTF-8",
];

impl LongList {
    fn new(draw: &mut Draw, pages: Option<usize>) -> Self {
        let mut draw = draw.apart();
        let mut kinds = [Failure::Unavailable, Failure::RetryAfter, Failure::CutBody];
        draw.shuffle(&mut kinds);
        // In the middle, so that neither the first page nor the last one fails.
        let places = [10..=19, 25..=34, 40..=49].map(|places| draw.number(places) as usize);
        let failures = places.into_iter().zip(kinds);
        let mut list = Self {
            is_endless: pages.is_none(),
            name: draw.word(6),
            records: vec![draw.number(1..=5)],
            cursors: Vec::new(),
            media_type: draw.number(0..=3) as usize,
            failures: failures.filter(|_| pages.is_some()).collect(),
            draw,
        };
        for _ in 1..pages.unwrap_or(1) {
            list.add_page();
        }
        list
    }

    fn add_page(&mut self) {
        self.cursors.push(self.draw.cursor());
        self.records.push(self.draw.number(1..=5));
    }

    /// The page of this number, and its media type.
    #[expect(
        clippy::indexing_slicing,
        reason = "there is a page for every cursor, and one more"
    )]
    fn page(&self, number: usize) -> (&'static str, String) {
        let ids = 0..self.records[number];
        let items = ids.map(|id| json!({"id": format!("{number}-{id}"), "name": "a record"}));
        let items: Vec<_> = items.collect();
        let body = json!({"items": items, "next_cursor": self.cursors.get(number)});
        let media_type = MEDIA_TYPES[(number + self.media_type) % MEDIA_TYPES.len()];
        (media_type, body.to_string())
    }

    /// The failure of the page of this number, if it is still to fail.
    fn failure(&mut self, number: usize) -> Option<Failure> {
        let is_it = |(page, _): &(usize, Failure)| *page == number;
        let place = self.failures.iter().position(is_it)?;
        Some(self.failures.swap_remove(place).1)
    }

    fn response(&mut self, request: &Received) -> Response {
        let is_own = |(name, value): &(String, String)| name == LIST && *value == self.name;
        if !request.query.iter().any(is_own) {
            return refused(
                StatusCode::BAD_REQUEST,
                "missing_list",
                "the query of the URL is missing: keep it, and add the cursor to it",
            );
        }
        let Some(number) = request.page(&self.cursors) else {
            return unknown_cursor();
        };
        if self.is_endless && number == self.cursors.len() {
            self.add_page();
        }
        let (media_type, body) = self.page(number);
        match self.failure(number) {
            Some(Failure::Unavailable) => return unavailable(),
            Some(Failure::RetryAfter) => return unavailable_for("1"),
            Some(Failure::CutBody) => return cut_ok(&body),
            None => {}
        }
        let next = Extension(NextCursor(self.cursors.get(number).cloned()));
        let response = (next, [(CONTENT_TYPE, media_type)], body).into_response();
        if self.is_endless {
            (Extension(FaultLabel::ENDLESS_ITEMS), response).into_response()
        } else {
            response
        }
    }
}

impl Responder for LongList {
    fn respond(&mut self, request: &Received) -> Reply {
        self.response(request).into()
    }

    fn goal(&self) -> Goal {
        if self.is_endless {
            Goal::Error
        } else {
            Goal::result(json!({"records": self.records.iter().sum::<u64>()}))
        }
    }

    fn query(&self) -> String {
        format!("{LIST}={}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use http::header::RETRY_AFTER;

    use super::*;

    /// The first request to a listing.
    fn first(list: &LongList) -> Received {
        Received {
            query: vec![(LIST.to_owned(), list.name.clone())],
            ..Received::of("/items")
        }
    }

    /// The responses of a listing that is read to its end, or for so many requests. A failed
    /// page is requested again.
    fn read(list: &mut LongList, most: usize) -> Vec<Response> {
        let mut request = first(list);
        let mut responses = Vec::new();
        for _ in 0..most {
            let response = list.response(&request);
            let next = response.extensions().get::<NextCursor>();
            let next = next.map(|NextCursor(next)| next.clone());
            responses.push(response);
            match next {
                None => {}
                Some(None) => break,
                Some(next) => request.set_cursor(next),
            }
        }
        responses
    }

    fn header(response: &Response, name: http::HeaderName) -> &str {
        let value = response.headers().get(name).expect("a value");
        value.to_str().expect("ASCII")
    }

    #[test]
    fn one_has_sixty_pages_and_the_other_always_another_cursor() {
        let mut draw = Draw::new(7, "long-list", 0);
        for (pages, cursors) in [(Some(PAGES), PAGES - 1), (None, 200)] {
            let mut list = LongList::new(&mut draw, pages);

            let responses = read(&mut list, 200);

            let next = |response: &Response| response.extensions().get::<NextCursor>()?.0.clone();
            let read: Vec<_> = responses.iter().filter_map(next).collect();
            assert_eq!(read.len(), cursors);
            assert_eq!(read.iter().collect::<HashSet<_>>().len(), cursors);
        }
    }

    #[test]
    fn three_pages_in_the_middle_fail_once_and_each_in_its_own_way() {
        for case in 0..20 {
            let mut list = LongList::new(&mut Draw::new(7, "long-list", case), Some(PAGES));
            let failing: HashSet<_> = list.failures.iter().map(|(page, _)| *page).collect();

            let responses = read(&mut list, 200);

            assert_eq!(failing.len(), 3);
            assert!(failing.iter().all(|page| (10..50).contains(page)));
            assert_eq!(responses.len(), PAGES + 3);
            let failed = responses.iter().filter_map(|response| {
                let fault = response.extensions().get::<FaultLabel>()?.0;
                Some((fault, response.headers().contains_key(RETRY_AFTER)))
            });
            let failed: HashSet<_> = failed.collect();
            let expected = [
                ("unavailable", false),
                ("unavailable", true),
                ("cut_body", false),
            ];
            assert_eq!(failed, expected.into());
        }
    }

    #[test]
    fn a_page_has_each_media_type_and_the_same_one_again() {
        let list = LongList::new(&mut Draw::new(7, "long-list", 0), Some(PAGES));

        let types: HashSet<_> = (0..4).map(|page| list.page(page).0).collect();

        assert_eq!(types, MEDIA_TYPES.into());
        assert_eq!(list.page(5), list.page(5));
    }

    #[test]
    fn without_the_query_of_the_url_a_request_is_refused_and_told_why() {
        let mut list = LongList::new(&mut Draw::new(7, "long-list", 0), Some(PAGES));
        let url = list.query();
        let other = vec![(LIST.to_owned(), "another".to_owned())];

        for query in [Vec::new(), other] {
            let request = Received {
                query,
                ..first(&list)
            };
            assert_eq!(list.response(&request).status(), StatusCode::BAD_REQUEST);
        }
        let response = list.response(&first(&list));

        assert_eq!(url, format!("list={}", list.name));
        assert_eq!(response.status(), StatusCode::OK);
        assert!(
            header(&response, CONTENT_TYPE)
                .to_lowercase()
                .contains("json")
        );
    }
}
