#!/bin/sh
# wget with tries, and told that a 503 is worth one; all else is its default.

case $LAB_TASK in
  flaky | retry-after | retry-at | maintenance | down | refused | no-body | silence) set -- ;;
  post-once) set -- --header 'Content-Type: application/json' --post-data '{"task": "resize"}' ;;
  *) exit 127 ;;
esac

headers=$(mktemp)
trap 'rm -f "$headers"' EXIT
body=$(wget --no-verbose --tries 4 --retry-on-http-error 503 --server-response \
  --output-document - "$@" "$LAB_URL" 2>"$headers")
failed=$?

status=$(sed -n 's,^ *HTTP/[0-9.]* \([0-9]*\).*,\1,p' "$headers" | tail -n 1)
seconds=$(sed -n 's,^ *[Rr]etry-[Aa]fter: \([0-9]*\)$,\1,p' "$headers" | tail -n 1)
case $failed,$status in
  0,200) printf '%s\n' "$body" ;;
  0,*) echo "{\"status\": $status}" ;;
  *)
    echo "{\"error\": \"wget: $failed\", \"status\": ${status:-null}, \"retry_after\": ${seconds:-null}}"
    exit 1
    ;;
esac
