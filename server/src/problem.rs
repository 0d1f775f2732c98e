//! The problems of the lessons, beside those of the host.

host::problems! { pub(crate),
    INVALID_LIMIT = BAD_REQUEST, "invalid_limit" of "query.limit", "limit must be one integer from 1 to 100";
    INVALID_CURSOR = BAD_REQUEST, "invalid_cursor" of "query.cursor", "this list of this service did not issue the cursor";
    TRANSIENT_FAILURE = SERVICE_UNAVAILABLE, "transient_failure", "a failure on purpose that goes away after two calls";
    RETRY_LATER = SERVICE_UNAVAILABLE, "retry_later", "a failure on purpose that asks for a long wait; see Retry-After";
    UNSUPPORTED_MEDIA_TYPE = UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type" of "header.Content-Type", "the body must be sent as application/json or a +json type";
    IDEMPOTENCY_KEY_MISSING = BAD_REQUEST, "idempotency_key_missing" of "header.Idempotency-Key", "the header Idempotency-Key is required";
    IDEMPOTENCY_KEY_INVALID = BAD_REQUEST, "idempotency_key_invalid" of "header.Idempotency-Key", "Idempotency-Key must be one line of 1 to 255 printable ASCII characters without spaces";
    PAYLOAD_TOO_LARGE = PAYLOAD_TOO_LARGE, "payload_too_large" of "body", "the body is larger than 64 KiB";
    INCOMPLETE_BODY = BAD_REQUEST, "incomplete_body" of "body", "the body broke off before its end, or its chunks cannot be read";
    BODY_TIMEOUT = REQUEST_TIMEOUT, "body_timeout" of "body", "the rest of the body did not come in time";
    INVALID_JSON = BAD_REQUEST, "invalid_json" of "body", "the body is not JSON, or nested beyond 127 levels";
    INVALID_JOB = UNPROCESSABLE_ENTITY, "invalid_job" of "body", "a job must be a JSON object";
    IDEMPOTENCY_CONFLICT = CONFLICT, "idempotency_conflict" of "header.Idempotency-Key", "the idempotency key was used before with a different body";
    JOB_STORE_FULL = INSUFFICIENT_STORAGE, "job_store_full", "no further idempotency key can be remembered";
}
