//! The client tests: 29 of them, and each rule of the client.
//!
//! Unit tests drive the client against a wiremock server; loopback tests each start a
//! service of their own on a free port, and leave nothing open. None needs the internet
//! or a key, and none waits: time is virtual, chance is drawn beforehand. What all
//! clones of a client share, the retry budget and the concurrency limit, is tested
//! beside the client itself, in its own `tests/`.
//!
//! | rule | module: tests |
//! |---|---|
//! | **Behaviour as a whole** |  |
//! | `/items` yields three records | `listings`: `items_yields_three_records_and_every_cursor_goes_back_unchanged` |
//! | `/flaky` succeeds with `attempt` 3; two attempts end in a 503 | `attempts`: `two_attempts_at_flaky_end_in_a_503_and_three_succeed` |
//! | a create and its replay name the same job; another body is a 409 `idempotency_conflict` | `jobs`: `a_replay_names_the_same_job_and_another_body_conflicts` |
//! | one method for each endpoint, with its method, path and query | `requests`: `every_request_says_that_it_accepts_json_and_carries_no_credential` |
//! | **Requests** |  |
//! | `Accept` and `Content-Type` say JSON; no `Authorization`, no credential in a URL | `requests`: `every_request_says_that_it_accepts_json_and_carries_no_credential` |
//! | a credential goes into the `Authorization` header of the caller's session | `proxies`: `a_given_session_keeps_its_proxies_and_the_clients_own_ignores_them` |
//! | a given session keeps its proxies; the client's own ignores them, and netrc files | `proxies`: `a_given_session_keeps_its_proxies_and_the_clients_own_ignores_them` |
//! | nothing that may be logged holds a credential, a URL or a body | `secrets`: `no_log_can_hold_a_secret` |
//! | every request keeps the timeout pair, 3.05 s and 15 s by default | `requests`: `every_request_keeps_the_timeout_pair` |
//! | a call that times out ends after its attempts | `transport`: `a_server_that_stalls_is_a_read_timeout_and_is_asked_finitely_often`, `a_name_that_is_never_resolved_is_a_connect_timeout` |
//! | an `Idempotency-Key` is non-empty printable ASCII without spaces | `configuration`: `an_illegal_setting_is_refused_before_anything_is_sent` |
//! | **Responses** |  |
//! | 400, 401, 403, 404, 409, 422: an HTTP error at once | `statuses`: `a_permanent_status_ends_the_call_at_once_and_keeps_its_problem` |
//! | status, machine code and request id are kept | `statuses`: `a_permanent_status_ends_the_call_at_once_and_keeps_its_problem` |
//! | 429, 500, 502, 503, 504: retried finitely, then an error with the last status | `statuses`: `a_passing_status_is_retried_until_the_attempts_run_out` |
//! | a 3xx is not followed, and handed over | `statuses`: `a_redirect_is_handed_over_and_not_followed` |
//! | every 2xx is a success; a 204 is an empty one and never parsed | `representation`: `every_2xx_is_a_success_and_a_204_is_never_parsed` |
//! | JSON media types: `application/json` and `+json`, any case, any parameters | `representation`: `case_and_parameters_of_a_json_media_type_do_not_matter` |
//! | the order of the checks: status, media type, object, items, cursor | `representation`: `a_page_is_checked_in_the_order_of_the_contract` |
//! | `items` is an array of objects; `next_cursor` is null or a non-empty string, never missing | `representation`: `a_page_is_checked_in_the_order_of_the_contract` |
//! | a body that parses does not make a success | `representation`: `a_page_is_checked_in_the_order_of_the_contract` |
//! | a representation error is a class of its own and final; `id` and `attempt` are required | `representation`: `a_response_of_the_wrong_kind_is_final_and_not_an_http_error` |
//! | a read timeout is retried finitely | `transport`: `a_server_that_stalls_is_a_read_timeout_and_is_asked_finitely_often` |
//! | other failures of a request are one class, retried finitely or not at all | `transport`: `a_request_without_a_complete_response_is_one_class_of_error` |
//! | a TLS failure stops after one attempt | `transport`: `a_refused_handshake_gets_one_attempt` |
//! | **Listings** |  |
//! | the first request has no cursor, each later one the previous cursor unchanged | `listings`: `items_yields_three_records_and_every_cursor_goes_back_unchanged` |
//! | null ends a listing normally | `listings`: `items_yields_three_records_and_every_cursor_goes_back_unchanged` |
//! | a cursor received before is an error, also in a longer cycle | `listings`: `a_cursor_that_was_received_before_ends_the_listing_with_an_error` |
//! | `client_cursor_loops_total` rises by one for each such listing | `listings`: `a_cursor_that_was_received_before_ends_the_listing_with_an_error` |
//! | `max_pages`, 100 by default | `listings`: `a_listing_of_more_than_max_pages_ends_with_an_error` |
//! | `max_items`, 1000 by default, one item at a time | `listings`: `a_listing_of_more_than_max_items_ends_with_an_error_after_exactly_that_many` |
//! | `limit` is 50 by default | `requests`: `every_request_says_that_it_accepts_json_and_carries_no_credential` |
//! | limits are positive integers: no zero, negative, float or boolean | `configuration`: `an_illegal_setting_is_refused_before_anything_is_sent` |
//! | a checkpoint is saved after its page was processed; duplicates can come | `listings`: `a_checkpoint_is_saved_only_after_its_page_was_processed` |
//! | **Retries** |  |
//! | attempts are finite | `statuses`: `a_passing_status_is_retried_until_the_attempts_run_out` |
//! | GET, HEAD, PUT, DELETE may be repeated; POST and PATCH may not | `attempts`: `a_post_is_repeated_only_by_the_method_that_is_authorized` |
//! | a POST only by the method that creates jobs; a key in a header permits nothing | `attempts`: `a_post_is_repeated_only_by_the_method_that_is_authorized` |
//! | a retried POST reuses its key and body; a lost response makes no second job | `jobs`: `a_job_whose_first_response_was_lost_is_created_once` |
//! | Retry-After in seconds, as a date, as a past date: waited for in full | `retry_after`: `a_valid_retry_after_is_waited_for_in_full` |
//! | negative, arbitrary text, non-ASCII digits: backoff with jitter | `retry_after`: `an_unusable_retry_after_falls_back_to_a_backoff_with_jitter` |
//! | overlong digits, above the budget: stop at once, with `retry_after` | `retry_after`: `a_retry_after_above_the_budget_stops_at_once` |
//! | a deadline bounds attempts and waits together | `attempts`: `a_deadline_counts_the_waits_and_is_never_overrun` |

mod attempts;
mod configuration;
mod jobs;
mod listings;
mod proxies;
mod representation;
mod requests;
mod retry_after;
mod secrets;
mod statuses;
mod transport;
