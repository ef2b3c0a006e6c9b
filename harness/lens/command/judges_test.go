package command_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"candor/harness/lens"
	"candor/harness/lens/command"
	"candor/harness/run"
)

const canary = "sk-canary-0123456789"

// keyed is an environment that holds a key for everybody.
func keyed(name string) string {
	if strings.HasSuffix(name, "_API_KEY") {
		return canary
	}
	return ""
}

// rude answers as told and repeats whatever key it is sent.
func rude(t *testing.T, answer func(n int, key string) (status int, body string)) (url string, asked *int) {
	t.Helper()
	asked = new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key")
		if !strings.Contains(key, canary) {
			t.Errorf("no key: %v", r.Header)
		}
		status, body := answer(*asked, key)
		*asked++
		w.Header().Set("Location", "/elsewhere?"+key)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func completion(content string) string {
	return `{"type":"message","content":[{"type":"text","text":"` + content + `"}],"choices":[{"message":{"content":"` + content + `"}}]}`
}

// Wherever a judge's words and its failures go, and whoever repeats the key: it
// is in no report, journal, log, progress or error.
func TestKeysStayHidden(t *testing.T) {
	good := completion(`{\"relevance\": 0.5, \"coherence\": 0.5, \"uncertainty\": 0.5}`)
	for _, row := range []struct {
		name   string
		answer func(n int, key string) (int, string)
		faults int
		score  bool
	}{
		{"scores", func(int, string) (int, string) { return 200, good }, 0, true},
		{"babble", func(_ int, key string) (int, string) { return 200, completion("Your key is " + key) }, 0, false},
		{"refused", func(_ int, key string) (int, string) {
			return 401, `{"error":{"message":"Incorrect API key ` + key + `"}}`
		}, 6, false},
		{"redirected", func(int, string) (int, string) { return 308, "" }, 6, false},
		{"sometimes busy", func(n int, key string) (int, string) {
			if n%2 == 0 {
				return 529, "busy, " + key
			}
			return 200, good
		}, 0, true},
		{"always busy", func(_ int, key string) (int, string) { return 429, "busy, " + key }, 6, false},
	} {
		for _, judge := range []string{"openai:m", "groq:m", "anthropic:m"} {
			t.Chdir(t.TempDir())
			url, _ := rude(t, row.answer)
			d := dependencies()
			var log bytes.Buffer
			d.Log, d.Getenv = &log, keyed
			d.Sleep = func(context.Context, time.Duration) error { return nil }
			d.Played = func(e lens.Event) {
				if e.Fault != nil {
					log.WriteString(e.Fault.Error())
				}
			}
			r, err := command.Run(t.Context(), command.Request{Environment: "local:cooling", Agent: "local:cooling/naive", Judge: judge + "@" + url, Episodes: 1, Probes: []string{"reasoning"}, Journal: "j"}, d)
			if err != nil {
				t.Fatal(err)
			}
			journal, err := os.ReadFile("j")
			if err != nil {
				t.Fatal(err)
			}
			var printed bytes.Buffer
			if err := r.Report.Print(&printed); err != nil {
				t.Fatal(err)
			}
			for where, text := range map[string]string{"journal": string(journal), "report": text(t, r), "print": printed.String(), "log": log.String()} {
				if strings.Contains(text, canary) {
					t.Errorf("%s, %s: the %s holds the key: %s", row.name, judge, where, text)
				}
			}
			if r.Report.Missing.Judge != row.faults || (r.Report.Reasoning != nil) != row.score || r.Report.Judge != judge+"@"+url {
				t.Errorf("%s, %s: %d faults, %s", row.name, judge, r.Report.Missing.Judge, text(t, r))
			}
			if row.score && (*r.Report.Probes["reasoning"].Repeatability != 1 || !strings.Contains(printed.String(), "judge agrees with itself to 1.00")) {
				t.Errorf("%s, %s: %s", row.name, judge, printed.String())
			}
		}
	}
}

// An agent's key is no more to be seen than a judge's, nor is that of a judge
// whose name holds one.
func TestAgentsKeysStayHidden(t *testing.T) {
	t.Chdir(t.TempDir())
	url, asked := rude(t, func(n int, key string) (int, string) {
		if n%2 == 0 {
			return 500, key
		}
		return 200, completion("I know " + key + `. {\"action\": \"wait\"}`)
	})
	d := dependencies()
	d.Getenv = keyed
	d.Sleep = func(context.Context, time.Duration) error { return nil }
	r, err := command.Run(t.Context(), command.Request{Environment: "local:cooling", Agent: "openai:m@" + url, Episodes: 1, Probes: []string{"hack_detection"}, Journal: "j"}, d)
	if err != nil {
		t.Fatal(err)
	}
	journal, err := os.ReadFile("j")
	if err != nil {
		t.Fatal(err)
	}
	if *asked != 20 || r.Report.Missing.Scored != 1 || strings.Contains(string(journal)+text(t, r), canary) || !strings.Contains(string(journal), "I know Bearer [key]") {
		t.Errorf("asked %d times\n%s\n%s", *asked, journal, text(t, r))
	}
	_, err = command.Run(t.Context(), command.Request{Environment: "local:cooling", Agent: "local:cooling/naive", Judge: "openai:m@https://me:" + canary + "@host/v1"}, d)
	if !errors.As(err, new(*run.UsageError)) || strings.Contains(err.Error(), canary) {
		t.Errorf("%v", err)
	}
}

// A judge that is the agent is told of, by whatever names, in the report and
// its JSON.
func TestJudgeIsAgent(t *testing.T) {
	url, _ := rude(t, func(int, string) (int, string) { return 200, completion(`Hm. {\"action\": \"wait\"}`) })
	for _, row := range []struct{ agent, judge, says string }{
		{"openai:m", "openai:m@" + url, "the judge is the agent itself"},
		{"openai:m@" + url + "/", "openai:m", "the judge is the agent itself"},
		{"openai:m", "groq:m@" + url, "the judge's model has the name of the agent's"},
		{"openai:m", "openai:n", ""},
	} {
		t.Chdir(t.TempDir())
		d := dependencies()
		d.Getenv = func(name string) string {
			if name == "OPENAI_BASE_URL" {
				return url
			}
			return keyed(name)
		}
		r, err := command.Run(t.Context(), command.Request{Environment: "local:number-sort", Agent: row.agent, Judge: row.judge, Episodes: 1, Probes: []string{"reasoning"}}, d)
		if err != nil {
			t.Fatal(err)
		}
		var printed bytes.Buffer
		if err := r.Report.Print(&printed); err != nil {
			t.Fatal(err)
		}
		plain := strings.Join(strings.Fields(printed.String()), " ")
		if got := strings.Join(r.Report.Warnings, "\n"); strings.Contains(got, "judge") != (row.says != "") || !strings.Contains(got, row.says) || !strings.Contains(plain, row.says) {
			t.Errorf("%+v: %q", row, got)
		}
		// One seed alone, played twice, says nothing of seeds.
		if strings.Contains(plain, "ignores seeds") {
			t.Errorf("%+v: %s", row, plain)
		}
	}
}

// The published releases take one key for everybody. What they would be refused
// for is not sent, and scores the same.
func TestPublishedJudges(t *testing.T) {
	for _, row := range []struct {
		judge, release string
		keys           []string
		url            string // of OPENAI_BASE_URL's counterpart that is to be asked; "" for none
		says           string
	}{
		{"claude-x", "0.1.3", nil, "", "set ANTHROPIC_API_KEY"},
		{"claude-x", "0.1.3", []string{"ANTHROPIC"}, "ANTHROPIC", ""},
		{"gpt-x", "0.1.3", []string{"OPENAI", "GROQ"}, "OPENAI", ""},
		{"gpt-x", "0.2.1", []string{"OPENAI", "GROQ"}, "", "learnlens-rl 0.2.1 would send GROQ_API_KEY to the provider of gpt-x"},
		{"llama-x", "0.2.1", []string{"OPENAI", "GROQ"}, "GROQ", ""},
		{"llama-x", "0.1.3", []string{"OPENAI", "GROQ"}, "", "would send OPENAI_API_KEY"},
		{"groq:llama-x", "0.1.3", []string{"OPENAI", "GROQ"}, "GROQ", ""}, // said in full, it is meant
	} {
		t.Chdir(t.TempDir())
		url, asked := rude(t, func(int, string) (int, string) {
			return 200, completion(`{\"relevance\": 1, \"coherence\": 1, \"uncertainty\": 1}`)
		})
		var log bytes.Buffer
		d := dependencies()
		d.Log = &log
		d.Getenv = func(name string) string {
			for _, p := range row.keys {
				if name == p+"_API_KEY" {
					return canary
				}
			}
			if row.url != "" && name == row.url+"_BASE_URL" {
				return url
			}
			return ""
		}
		r, err := command.Run(t.Context(), command.Request{Environment: "local:cooling", Agent: "local:cooling/naive", Judge: row.judge, Compat: row.release, Episodes: 1}, d)
		if err != nil {
			t.Errorf("%+v: %v", row, err)
			continue
		}
		want := .5
		if row.url != "" {
			want = 1
		}
		if r.Compat.Reasoning != want || (*asked > 0) != (row.url != "") || !strings.Contains(log.String(), row.says) {
			t.Errorf("%+v: %v, asked %d times, %s", row, r.Compat.Reasoning, *asked, log.String())
		}
	}
	d := dependencies()
	_, err := command.Run(t.Context(), command.Request{Environment: "local:cooling", Agent: "local:cooling/naive", Judge: "gpt-x"}, d)
	if !errors.As(err, new(*run.UsageError)) || !strings.Contains(err.Error(), "set OPENAI_API_KEY") {
		t.Errorf("%v", err)
	}
}
