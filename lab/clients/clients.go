// Go clients: `clients retryablehttp` does one task with go-retryablehttp, and
// `clients go` with the standard library. All settings are the defaults.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/hashicorp/go-retryablehttp"
)

func result(client *http.Client, url string) map[string]any {
	var response *http.Response
	var err error
	if os.Getenv("LAB_TASK") == "post-once" {
		response, err = client.Post(url, "application/json", strings.NewReader(`{"task": "resize"}`))
	} else {
		response, err = client.Get(url)
	}
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	switch status := response.StatusCode; {
	case status == http.StatusOK:
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			return map[string]any{"error": err.Error()}
		}
		return object
	case status < http.StatusBadRequest:
		return map[string]any{"status": status}
	default:
		refused := map[string]any{"error": "refused", "status": status}
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
			refused["retry_after"] = seconds
		}
		return refused
	}
}

func main() {
	client := http.DefaultClient
	if os.Args[1] == "retryablehttp" {
		retrying := retryablehttp.NewClient()
		retrying.Logger = nil
		client = retrying.StandardClient()
	}
	printed := result(client, os.Getenv("LAB_URL"))
	line, _ := json.Marshal(printed)
	fmt.Println(string(line))
	if _, failed := printed["error"]; failed {
		os.Exit(1)
	}
}
