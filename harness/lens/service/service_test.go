package service_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"candor/harness/lens/service"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const canary = "sk-canary-0123456789"

// keyed is a service with a key, at a server that answers as told.
func keyed(t *testing.T, answer http.HandlerFunc) (service.Service, string) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return service.Service{Key: canary, Header: service.Bearer(canary), Client: server.Client()}, server.URL
}

func TestPost(t *testing.T) {
	s, url := keyed(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer "+canary || r.Header.Get("Content-Type") != "application/json" || string(body) != `{"a":1}` {
			t.Errorf("%s %v %s", r.Method, r.Header, body)
		}
		io.WriteString(w, `{"you sent": "`+r.Header.Get("Authorization")+`"}`)
	})
	body, err := s.Post(t.Context(), url, map[string]int{"a": 1})
	if err != nil || string(body) != `{"you sent": "Bearer [key]"}` {
		t.Errorf("%s, %v", body, err)
	}
}

// Each row is an answer, and whether to ask again; no error holds the key,
// whatever the answer repeats.
func TestErrors(t *testing.T) {
	for _, row := range []struct {
		status    int
		header    http.Header
		body      string
		says      string
		temporary bool
		after     time.Duration
	}{
		{401, nil, `{"error":{"message":"Incorrect API key provided: ` + canary + `","code":"invalid_api_key"}}`, "status 401: Incorrect API key provided: [key]", false, 0},
		{404, nil, `{"type":"error","error":{"type":"not_found_error","message":"model: x"}}`, "status 404: model: x", false, 0},
		{400, nil, `{"error":"bad ` + canary + `"}`, "status 400: bad [key]", false, 0},
		{403, nil, `<html>  no
 ` + canary + `</html>`, "status 403: <html> no [key]</html>", false, 0},
		{429, http.Header{"Retry-After": {"7"}}, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, "status 429: slow down", true, 7 * time.Second},
		{429, http.Header{"Retry-After": {"0.5"}}, ``, "status 429", true, time.Second / 2},
		{429, http.Header{"Retry-After": {"-3"}}, ``, "status 429", true, 0},
		{429, http.Header{"Retry-After": {"Fri, 02 Jan 2026 00:00:09 GMT"}, "Date": {"Fri, 02 Jan 2026 00:00:04 GMT"}}, ``, "status 429", true, 5 * time.Second},
		{429, http.Header{"Retry-After": {"soon"}}, ``, "status 429", true, 0},
		{429, nil, `{"error":{"message":"no credit","code":"insufficient_quota"}}`, "no credit", false, 0}, // waiting does not fill an account
		{500, nil, `boom`, "status 500: boom", true, 0},
		{503, http.Header{"Retry-After": {"2"}}, `{"error":{"code":503,"message":"busy"}}`, "status 503: busy", true, 2 * time.Second}, // vLLM's code is a number
		{529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "status 529: Overloaded", true, 0},
		{302, http.Header{"Location": {"http://elsewhere.example/?k=" + canary}}, ``, "it redirects to", false, 0},
		{204, nil, ``, "status 204", false, 0},
	} {
		s, url := keyed(t, func(w http.ResponseWriter, _ *http.Request) {
			for name, values := range row.header {
				w.Header()[name] = values
			}
			w.WriteHeader(row.status)
			io.WriteString(w, row.body)
		})
		_, err := s.Post(t.Context(), url, nil)
		after, temporary := service.Temporary(err)
		if err == nil || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), canary) || temporary != row.temporary || after != row.after {
			t.Errorf("%d %s: %v, %v after %v", row.status, row.body, err, temporary, after)
		}
	}
}

// A redirect of any kind takes neither the key nor the question along, not even
// to the same host.
func TestRedirects(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		reached := false
		elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
		defer elsewhere.Close()
		for _, to := range []string{elsewhere.URL, "/other"} {
			s, url := keyed(t, func(w http.ResponseWriter, r *http.Request) {
				reached = reached || r.URL.Path == "/other"
				http.Redirect(w, r, to, status)
			})
			s.Header = http.Header{"X-Api-Key": {canary}} // a header that net/http would take along
			if _, err := s.Post(t.Context(), url, nil); err == nil || reached {
				t.Errorf("%d to %s: %v; followed: %v", status, to, err, reached)
			}
		}
	}
}

func TestNoReply(t *testing.T) {
	block := make(chan struct{})
	s, url := keyed(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // else the server does not see the client leave
		select {
		case <-block:
		case <-r.Context().Done():
		}
	})
	defer close(block)
	s.Timeout = 20 * time.Millisecond
	_, err := s.Post(t.Context(), url, nil)
	if _, temporary := service.Temporary(err); !temporary || !strings.Contains(err.Error(), "no reply within 20ms") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Post(ctx, url, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	// Nobody is there.
	gone := httptest.NewServer(nil)
	gone.Close()
	_, err = service.Service{Key: canary, Header: service.Bearer(canary)}.Post(t.Context(), gone.URL, nil)
	if _, temporary := service.Temporary(err); !temporary || strings.Contains(err.Error(), canary) {
		t.Errorf("%v", err)
	}
	// A key with a line break cannot be sent, and is not shown.
	_, err = service.Service{Key: canary + "\n", Header: service.Bearer(canary + "\n")}.Post(t.Context(), url, nil)
	if err == nil || strings.Contains(err.Error(), canary) {
		t.Errorf("%v", err)
	}
}

// Placeholders that are words do not damage replies.
func TestShortKeys(t *testing.T) {
	if got := (service.Service{Key: "EMPTY"}).Without("EMPTY"); got != "EMPTY" {
		t.Error(got)
	}
}
