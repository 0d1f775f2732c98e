// A correct client, with Go's standard library alone.
package main

import (
	"bytes"
	// [create create-twice lost-response]
	"crypto/rand"
	"encoding/hex"
	// [all]
	"encoding/json"
	"errors"
	"fmt"
	"io"
	random "math/rand"
	// [invalid-body..]
	"mime"
	// [all]
	"net/http"
	// [read-all invalid-body loop long-list half-a-list]
	"net/url"
	// [all]
	"os"
	// [retry-after..]
	"strconv"
	// [invalid-body..]
	"strings"
	// [crowded]
	"sync"
	// [all]
	"time"
)

const (
	attempts = 4
	// [maintenance..]
	longestWait = 5 * time.Second
	// [all]
	// After so long a call has no further attempt.
	longestCall = 6 * time.Second
	// [loop long-list half-a-list]
	mostPages = 200
	// [all]
)

type result map[string]any

// failed is an error with more members for the result.
type failed struct {
	message string
	members result
}

func (it *failed) Error() string { return it.message }

func fail(members result, format string, values ...any) error {
	return &failed{fmt.Sprintf(format, values...), members}
}

var (
	address = os.Getenv("LAB_URL")
	// A connection for each request, so that the transport repeats none.
	client = &http.Client{
		Timeout:       3 * time.Second,
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
)

type answer struct {
	status  int
	headers http.Header
	body    []byte
}

func isRetried(status int) bool {
	switch status {
	case 429, 500, 502, 503, 504:
		return true
	}
	return false
}

func send(method, address string, headers http.Header, body []byte) (answer, error) {
	request, err := http.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header = headers.Clone()
	request.Header.Set("Accept", "application/json")
	if token := os.Getenv("LAB_TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	if err != nil && isRetried(response.StatusCode) {
		err = nil
	}
	return answer{response.StatusCode, response.Header, content}, err
}

// pause is how long to wait for the next attempt.
func pause(headers http.Header, attempt int) time.Duration {
	// [retry-after..]
	asked := headers.Get("Retry-After")
	// A 0 asks for no wait, and a service that has failed needs one.
	if seconds, err := strconv.ParseUint(asked, 10, 31); err == nil && seconds > 0 {
		return time.Duration(seconds)*time.Second + 5*time.Millisecond
	}
	// [retry-at..]
	if date, err := http.ParseTime(asked); err == nil && time.Until(date) > 0 {
		return time.Until(date) + 20*time.Millisecond
	}
	// [all]
	return time.Duration(float64(100*time.Millisecond<<attempt) * (0.5 + random.Float64()))
}

func call(method, address string, headers http.Header, body []byte, repeats bool) (answer, error) {
	begun := time.Now()
	for attempt := 0; ; attempt++ {
		got, err := send(method, address, headers, body)
		if err == nil && !isRetried(got.status) {
			return got, nil
		}
		if err == nil {
			err = fail(nil, "status %d", got.status)
		}
		wait := pause(got.headers, attempt)
		// [maintenance..]
		if wait > longestWait {
			return got, fail(result{"retry_after": int(wait.Seconds())}, "%v", err)
		}
		// [all]
		if !repeats || attempt+1 >= attempts || time.Since(begun) > longestCall {
			return got, fail(nil, "%v", err)
		}
		time.Sleep(wait)
	}
}

func value(into any, method, address string, headers http.Header, body []byte, repeats bool) error {
	got, err := call(method, address, headers, body, repeats)
	if err != nil {
		return err
	}
	if got.status != 200 && got.status != 201 {
		return fail(result{"status": got.status}, "status %d", got.status)
	}
	// [invalid-body..]
	mediaType, _, err := mime.ParseMediaType(got.headers.Get("Content-Type"))
	if err != nil || mediaType != "application/json" && !strings.HasSuffix(mediaType, "+json") {
		return fail(nil, "the response is not JSON")
	}
	// [all]
	if err := json.Unmarshal(got.body, into); err != nil {
		return fail(nil, "invalid JSON: %v", err)
	}
	return nil
}

func object() (result, error) {
	var got result
	return got, value(&got, "GET", address, http.Header{}, nil, true)
}

// [read-all invalid-body loop long-list half-a-list]
func listing() (result, error) {
	records := 0
	// [loop long-list half-a-list]
	seen := map[string]bool{}
	// [read-all invalid-body loop long-list half-a-list]
	for next := address; ; {
		var page struct {
			Items      *[]map[string]any `json:"items"`
			NextCursor json.RawMessage   `json:"next_cursor"`
		}
		if err := value(&page, "GET", next, http.Header{}, nil, true); err != nil {
			return nil, err
		}
		if page.Items == nil {
			return nil, fail(nil, "there are no items")
		}
		records += len(*page.Items)
		// Null ends a listing. A missing cursor, like an empty one, does not.
		if string(page.NextCursor) == "null" {
			return result{"records": records}, nil
		}
		var cursor string
		if err := json.Unmarshal(page.NextCursor, &cursor); err != nil || cursor == "" {
			return nil, fail(nil, "the cursor is not a string")
		}
		// [loop long-list half-a-list]
		if seen[cursor] || len(seen) >= mostPages {
			return nil, fail(nil, "the listing does not end")
		}
		seen[cursor] = true
		// [read-all invalid-body loop long-list half-a-list]
		// The URL may have a query of its own.
		following, err := url.Parse(address)
		if err != nil {
			return nil, err
		}
		query := following.Query()
		query.Set("cursor", cursor)
		following.RawQuery = query.Encode()
		next = following.String()
	}
}

// [create create-twice lost-response post-once redirect-post]
func submit(name string, headers http.Header, repeats bool) (any, error) {
	var got result
	body, _ := json.Marshal(result{"task": name})
	err := value(&got, "POST", address, headers, body, repeats)
	return got["id"], err
}

// [create create-twice lost-response]
func job(name string) (any, error) {
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	return submit(name, http.Header{"Idempotency-Key": {hex.EncodeToString(key)}}, true)
}

func oneJob() (result, error) {
	id, err := job("resize")
	return result{"id": id}, err
}

func create(one, other string) (result, error) {
	first, err := job(one)
	if err != nil {
		return nil, err
	}
	second, err := job(other)
	return result{"ids": []any{first, second}}, err
}

// [post-once redirect-post]
func postOnce() (result, error) {
	id, err := submit("resize", http.Header{}, false)
	return result{"id": id}, err
}

// [many-calls]
// manyCalls adds up the values of a hundred calls, each with attempts of its own.
func manyCalls() (result, error) {
	sum := 0
	for call := 0; call < 100; call++ {
		var got struct{ Value int }
		if err := value(&got, "GET", address, http.Header{}, nil, true); err != nil {
			return nil, err
		}
		sum += got.Value
	}
	return result{"sum": sum}, nil
}

// [crowded]
// crowded asks for all URLs with one limit, which a 429 lowers.
func crowded() (result, error) {
	var index struct{ Urls []string }
	if err := value(&index, "GET", address, http.Header{}, nil, true); err != nil {
		return nil, err
	}
	limit, busy, done, changes := 16, 0, 0, 0
	changed := sync.NewCond(&sync.Mutex{})
	var all sync.WaitGroup
	work := func(url string) {
		defer all.Done()
		for attempt := 0; attempt < 20; attempt++ {
			changed.L.Lock()
			for busy >= limit {
				changed.Wait()
			}
			busy++
			before := changes
			changed.L.Unlock()
			got, _ := send("GET", url, http.Header{}, nil)
			changed.L.Lock()
			busy--
			if got.status == 200 {
				done++
			} else if changes == before && limit > 1 {
				// Requests that left before the limit was last halved say nothing new.
				limit /= 2
				changes++
			}
			changed.Broadcast()
			changed.L.Unlock()
			if got.status == 200 {
				return
			}
			time.Sleep(time.Duration(100+random.Intn(100)) * time.Millisecond)
		}
	}
	for _, url := range index.Urls {
		all.Add(1)
		go work(url)
	}
	all.Wait()
	return result{"done": done}, nil
}

// [refused no-body]
func status() (result, error) {
	got, err := call("GET", address, http.Header{}, nil, true)
	return result{"status": got.status}, err
}

// [all]
func main() {
	// Before Go 1.20 every process drew the same numbers.
	random.Seed(time.Now().UnixNano())
	task, known := map[string]func() (result, error){
		// [read-all invalid-body loop long-list half-a-list]
		"read-all": listing, "invalid-body": listing, "loop": listing, "long-list": listing,
		"half-a-list": listing,
		// [refused no-body]
		"refused": status, "no-body": status,
		// [lost-response]
		"lost-response": oneJob,
		// [create]
		"create": func() (result, error) { return create("resize", "crop") },
		// [create-twice]
		"create-twice": func() (result, error) { return create("resize", "resize") },
		// [post-once redirect-post]
		"post-once": postOnce, "redirect-post": postOnce,
		// [many-calls]
		"many-calls": manyCalls,
		// [crowded]
		"crowded": crowded,
		// [flaky]
		"flaky": object,
		// [retry-after]
		"retry-after": object,
		// [retry-at]
		"retry-at": object,
		// [maintenance]
		"maintenance": object,
		// [down]
		"down": object,
		// [silence]
		"silence": object,
		// [broken-off]
		"broken-off": object,
		// [unbounded]
		"unbounded": object,
		// [unreachable]
		"unreachable": object,
		// [server-errors]
		"server-errors": object,
		// [redirected]
		"redirected": object,
		// [early-hints]
		"early-hints": object,
		// [all]
	}[os.Getenv("LAB_TASK")]
	if !known {
		task = func() (result, error) { return result{"skip": true}, nil }
	}
	end, err := task()
	if err != nil {
		end = result{"error": err.Error()}
		var failure *failed
		if errors.As(err, &failure) {
			for name, member := range failure.members {
				end[name] = member
			}
		}
		defer os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(end)
}
