#!/bin/sh
# Programs of the command line: `sh clients.sh curl` does one task with curl. A program
# that has retries has them enabled; all else is its default.

job='{"task": "resize"}'
[ "$LAB_TASK" = post-once ] || job=
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# The last status and the last Retry-After of what stands in a file.
headers() {
  status=$(sed -n 's,^ *HTTP/[0-9.]* \([0-9]*\).*,\1,p' "$1" | tail -n 1)
  seconds=$(sed -n 's,^ *[Rr]etry-[Aa]fter *: *\([0-9]*\).\{0\,1\}$,\1,p' "$1" | tail -n 1)
}

client=$1
case $client in
  curl)
    set -- --silent --fail --retry 3 --dump-header "$folder/headers" --output "$folder/body"
    [ -z "$job" ] || set -- "$@" --json "$job"
    curl "$@" "$LAB_URL"
    ;;
  wget)
    set -- --tries 4 --retry-on-http-error 503 --server-response --output-document "$folder/body"
    [ -z "$job" ] || set -- "$@" --header 'Content-Type: application/json' --post-data "$job"
    wget "$@" "$LAB_URL" 2>"$folder/headers"
    ;;
  httpie)
    set -- --ignore-stdin --check-status --print hb
    if [ -n "$job" ]; then set -- "$@" --raw "$job" POST; else set -- "$@" GET; fi
    target/clients/venv/bin/http "$@" "$LAB_URL" >"$folder/headers"
    ;;
  *) exit 2 ;;
esac
failed=$?

[ "$client" != httpie ] || sed '1,/^\r*$/d' "$folder/headers" >"$folder/body"
headers "$folder/headers"
case $failed,$status in
  0,200) tr -d '\r\n' <"$folder/body" && echo ;;
  0,*) echo "{\"status\": $status}" ;;
  *)
    echo "{\"error\": \"exit code $failed\", \"status\": ${status:-null}, \"retry_after\": ${seconds:-null}}"
    exit 1
    ;;
esac
