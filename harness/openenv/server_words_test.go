package openenv_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"candor/harness/openenv"
)

// Python's words for what is no JSON, no message and no number of its kind.
func TestServerSaysItAsPython(t *testing.T) {
	address := serve(t, probeSpec(nil), openenv.Options{})
	for _, row := range []struct{ message, want string }{
		{`{"type":1E400}`, `type: inf"`},
		{`{"type":NaN}`, `type: nan"`},
		{`{"type":-Infinity,"data":NaN}`, `type: -inf"`},
		{`{"type":null,"data":NaN}`, `type: None"`},
		{`-Infinity`, `'float' object has no attribute`},
		{`{"type":["\u0001é"]}`, `type: ['\\x01é']"`},
		{`{"type":` + strings.Repeat("[", 9990) + strings.Repeat("]", 9990) + `}`, `type: [[`},
		{`{"type":"reset","data":{"episode_id":1}}`, `"loc":["episode_id"]`},
		{`{"type":"step","data":{"name":"a","values":[9.3e18]}}`, `"int_parsing_size","loc":["values",0]`},
		{`{"type":"step","data":{"name":"a","ratio":-0}}`, `"ratio":0.0}},"reward":0.0`},
		{`{"type":"mcp","data":{"jsonrpc":"2.0","method":"` + strings.Repeat("m", 999) + `"}}`, strings.Repeat("m", 200) + "…"},
		{`{"type":"mcp","data":{"jsonrpc":"2.0","method":"x","id":-0}}`, `"id":0,`},
	} {
		c := dial(t, address, "/ws")
		if got := say(t, c, row.message); !strings.Contains(got, row.want) {
			t.Errorf("%.80s is answered by %.300s, want %s", row.message, got, row.want)
		}
		c.CloseNow()
	}
}

// Bodies and paths at the edge of what HTTP allows.
func TestServerAnswersOddRequests(t *testing.T) {
	address := serve(t, probeSpec(nil), openenv.Options{Token: "t"})
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, row := range []struct {
		method, path, kind, body string
		status                   int
		want                     string
	}{
		{"POST", "/reset", "application/json", "\xff", 400, `{"detail":"There was an error parsing the body"}`},
		{"POST", "/reset", "application/json", "\uFEFF", 422, `"ctx":{"error":"Expecting value"}`},
		{"POST", "/reset", "application/json", "\uFEFF{\"seed\":1}", 200, `[1, null]`},
		{"POST", "/reset", "application/json", `{"seed":9.3e18}`, 422, `int_parsing_size`},
		{"POST", "/reset", "", `{"seed":1}`, 422, `model_attributes_type`},
		{"POST", "/step", "application/json", `{"action":{"name":"boom"}}`, 500, "Internal Server Error"},
		{"HEAD", "/redoc", "", "", 200, ""},
		{"GET", "/state/?a=1", "", "", 307, ""},
	} {
		request, err := http.NewRequestWithContext(t.Context(), row.method, "http://"+address+row.path, strings.NewReader(row.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header["Content-Type"] = []string{row.kind}
		request.Header.Set("Authorization", "Bearer t")
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != row.status || !strings.Contains(string(body), row.want) || row.want == "" && len(body) > 0 || strings.HasSuffix(string(body), "\n") {
			t.Errorf("%s %s %q: %d %q, want %d %q", row.method, row.path, row.body, answer.StatusCode, body, row.status, row.want)
		}
		if row.status == 307 && answer.Header.Get("Location") != "/state?a=1" {
			t.Errorf("sent on to %s", answer.Header.Get("Location"))
		}
	}
	// Who asks whether the server is well needs no token, spelled either way.
	answer, err := client.Get("http://" + address + "/health/")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != 307 {
		t.Errorf("/health/ is answered by %d", answer.StatusCode)
	}
}
