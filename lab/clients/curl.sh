#!/bin/sh
# curl with --retry, and --fail so that it prints no body of a failure; all else is its
# default.

case $LAB_TASK in
  flaky | retry-after | retry-at | maintenance | down | refused | no-body | silence) set -- ;;
  post-once) set -- --json '{"task": "resize"}' ;;
  *) exit 127 ;;
esac

# A line break, the status and the seconds of Retry-After stand behind the body.
said=$(curl --silent --fail --retry 3 \
  --write-out '\n%{http_code} %header{retry-after}' "$@" "$LAB_URL")

last=${said##*
}
status=${last%% *} seconds=${last#* }
case $status in
  200 | 201) printf '%s\n' "$said" | sed '$d' ;;
  000) exit 1 ;;
  2?? | 3??) echo "{\"status\": $status}" ;;
  *)
    case $seconds in '' | *[!0-9]*) seconds=null ;; esac
    echo "{\"error\": \"refused\", \"status\": $status, \"retry_after\": $seconds}"
    exit 1
    ;;
esac
