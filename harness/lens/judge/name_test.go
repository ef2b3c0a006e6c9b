package judge_test

import (
	"errors"
	"strings"
	"testing"

	"candor/harness/lens/judge"
	"candor/scoring/lqs"
)

func nothing(string) string { return "" }

func TestParseName(t *testing.T) {
	elsewhere := func(name string) string {
		return map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1/", "ANTHROPIC_BASE_URL": "https://api.anthropic.com"}[name]
	}
	for _, row := range []struct {
		text   string
		getenv func(string) string
		name   string // in reports
		says   string
	}{
		{"ollama:qwen3:4b", nothing, "ollama:qwen3:4b", ""},
		{"ollama:hf.co/a/b@http", nothing, "ollama:hf.co/a/b@http", ""}, // no address here
		{"openai:gpt-4.1", nothing, "openai:gpt-4.1", ""},
		{"openai:ft:gpt-4.1:org::x", nothing, "openai:ft:gpt-4.1:org::x", ""},
		{"openai:gpt-4.1", elsewhere, "openai:gpt-4.1@http://127.0.0.1:8000/v1", ""},
		{"openai:a/b@http://h:1/v1/", elsewhere, "openai:a/b@http://h:1/v1", ""}, // nearer words count more
		{"anthropic:claude-x", elsewhere, "anthropic:claude-x", ""},
		{"groq:openai/gpt-oss-20b", nothing, "groq:openai/gpt-oss-20b", ""},
		{"claude-sonnet-4-6", nothing, "anthropic:claude-sonnet-4-6", ""},
		{"oracle:x", nothing, "", `"oracle" is no provider`},
		{"gemma3:270m", nothing, "", `"gemma3" is no provider; there are ollama:MODEL`},
		{"openai:", nothing, "", "names no model"},
		{"", nothing, "", "names no model"},
		{"openai:m@http://me:secret@h/v1", nothing, "", "without a password"},
		{"openai:m@https://h/v1?key=secret", nothing, "", "without a password or a query"},
		{"openai:m@http://", nothing, "", "must be like"},
	} {
		n, err := judge.ParseName(row.text, row.getenv)
		if row.says != "" {
			if err == nil || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%q: %v", row.text, err)
			}
			continue
		}
		if err != nil || n.String() != row.name {
			t.Errorf("%q: %v, %v", row.text, n, err)
		}
	}
}

// The published rule, its pitfalls included.
func TestPublished(t *testing.T) {
	for model, provider := range map[string]string{
		"gpt-4o": "openai", "o1-mini": "openai", "o3": "openai", "llama-3.3-70b-versatile": "groq", "mixtral-8x7b": "groq", "gemma2-9b-it": "groq",
		"claude-sonnet-4-6": "anthropic", "openai/gpt-oss-20b": "openai", "qwen3": "anthropic", "GPT-4": "anthropic", "llama-gpt": "groq", "phi-o1": "openai",
	} {
		if got := judge.Published(model); got != provider {
			t.Errorf("%s: %s", model, got)
		}
	}
}

func TestPublishedKey(t *testing.T) {
	set := func(names ...string) func(string) string {
		return func(name string) string {
			for _, n := range names {
				if n == name {
					return "k"
				}
			}
			return ""
		}
	}
	for _, row := range []struct {
		getenv   func(string) string
		old, new string
	}{
		{set(), "", ""},
		{set("OPENAI_API_KEY", "GROQ_API_KEY"), "OPENAI_API_KEY", "GROQ_API_KEY"},
		{set("OPENAI_API_KEY", "GROQ_API_KEY", "ANTHROPIC_API_KEY"), "ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"},
		{set("GROQ_API_KEY"), "GROQ_API_KEY", "GROQ_API_KEY"},
	} {
		if a, b := judge.PublishedKey(lqs.Release013, row.getenv), judge.PublishedKey(lqs.Release021, row.getenv); a != row.old || b != row.new {
			t.Errorf("%s, %s; not %s, %s", a, b, row.old, row.new)
		}
	}
}

// The providers' own addresses want a key; a server of one's own may not.
func TestMissingKeys(t *testing.T) {
	for _, row := range []struct{ name, variable string }{
		{"openai:m", "OPENAI_API_KEY"}, {"groq:m", "GROQ_API_KEY"}, {"anthropic:m", "ANTHROPIC_API_KEY"}, {"openai:m@http://127.0.0.1:1/v1", ""},
	} {
		n, err := judge.ParseName(row.name, nothing)
		if err != nil {
			t.Fatal(err)
		}
		_, err = judge.Open(n, judge.Reach{Getenv: nothing})
		var missing *judge.KeyError
		if errors.As(err, &missing) != (row.variable != "") || missing != nil && missing.Variable != row.variable {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

func TestDoubt(t *testing.T) {
	for _, row := range []struct{ agent, judge, says string }{
		{"ollama:gemma3", "ollama:gemma3", "the judge is the agent itself"},
		{"ollama:gemma3", "ollama:Gemma3:latest", "the judge is the agent itself"},
		{"openai:gpt-4o", "gpt-4o", "the judge is the agent itself"},
		{"openai:m", "openai:m@https://api.openai.com/v1", "the judge is the agent itself"},
		{"ollama:gemma3", "openai:gemma3@http://127.0.0.1:11434/v1", "the judge's model has the name of the agent's"}, // one server, two doors
		{"ollama:gemma3", "ollama:gemma3:4b", ""},
		{"ollama:gemma3", "ollama:qwen3", ""},
		{"exec:./agent", "ollama:qwen3", ""},
		{"local:cooling/naive", "ollama:qwen3", ""},
		{"ollama:gemma3", "", ""},
		{"me", "me", "the judge is the agent itself"},
	} {
		if got := judge.Doubt(row.agent, row.judge); (got == "") != (row.says == "") || !strings.Contains(got, row.says) {
			t.Errorf("%s beside %s: %q", row.judge, row.agent, got)
		}
	}
}
