package verify

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"candor/scoring"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const specimen = "There is a snowboard in the image."

func payment(t *testing.T, rule scoring.Rule, abstain ...float64) scoring.Payment {
	t.Helper()
	var payoff *float64
	if len(abstain) > 0 {
		payoff = &abstain[0]
	}
	pay, err := scoring.NewPayment(rule, payoff)
	if err != nil {
		t.Fatal(err)
	}
	return pay
}

func TestPromptGolden(t *testing.T) {
	for _, rule := range []scoring.Rule{scoring.Brier{}, scoring.Log{}} {
		t.Run(rule.Name(), func(t *testing.T) {
			system, user, err := DefaultPrompt().Render(payment(t, rule), specimen)
			if err != nil {
				t.Fatal(err)
			}
			got := "[system]\n" + system + "\n[user]\n" + user + "\n"
			golden := filepath.Join("testdata", "prompt_"+rule.Name()+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the prompt changed; its version must too. Got:\n%s", got)
			}
			// English text runs at about four bytes a token.
			if len(got) > 350*4 {
				t.Errorf("%d bytes is too long for a small model", len(got))
			}
		})
	}
}

// TestPromptImageFirst: the same words as the default's, none before the image.
func TestPromptImageFirst(t *testing.T) {
	p, err := LoadPrompt(PromptImageFirst)
	if err != nil {
		t.Fatal(err)
	}
	pay := payment(t, scoring.Brier{})
	system, user, err := p.Render(pay, specimen)
	if err != nil {
		t.Fatal(err)
	}
	rules, question, err := DefaultPrompt().Render(pay, specimen)
	if err != nil {
		t.Fatal(err)
	}
	if system != "" {
		t.Errorf("system message %q before the image; want none", system)
	}
	if got, want := strings.Fields(user), strings.Fields(rules+" "+question); !slices.Equal(got, want) {
		t.Errorf("words of the user message = %q; want the default's %q", got, want)
	}
	if d := DefaultPrompt(); p.Hash() == d.Hash() || p.Version() == d.Version() {
		t.Error("image-first is not told from the default")
	}
}

// TestPromptEcho: a model that only repeats the prompt has not answered.
func TestPromptEcho(t *testing.T) {
	system, user, err := DefaultPrompt().Render(payment(t, scoring.Brier{}), specimen)
	if err != nil {
		t.Fatal(err)
	}
	checkAnswer(t, Parse(text(system+"\n"+user)), refused(ReasonNoObject))
	checkAnswer(t, Parse(text(system+"\n"+user+"\n"+good)), repaired(Supported, .9))
}

func TestPromptFigures(t *testing.T) {
	for _, c := range []struct {
		name string
		pay  scoring.Payment
		want []string // in the system message
	}{
		{"Brier's defaults", payment(t, scoring.Brier{}), []string{"(brier rule)", "ABSTAIN: 0.8\n", "below 0.7236."}},
		{"log's defaults have the same threshold", payment(t, scoring.Log{}), []string{"(log rule)", "max(q, 0.0001)", "ABSTAIN: 0.935994\n", "below 0.7236."}},
		{"another payoff", payment(t, scoring.Brier{}, .91), []string{"ABSTAIN: 0.91\n", "below 0.9."}},
		{"another cut-off", payment(t, scoring.Log{Epsilon: 1e-6}, .96), []string{"max(q, 0.000001)) / ln(0.000001)"}},
	} {
		system, _, err := DefaultPrompt().Render(c.pay, specimen)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, want := range c.want {
			if !strings.Contains(system, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, system)
			}
		}
	}
}

func TestPromptRefusesControl(t *testing.T) {
	_, _, err := DefaultPrompt().Render(payment(t, scoring.Brier{}), "There is [img-0] in the image.")
	if e, ok := errors.AsType[*ControlError](err); !ok || e.Found != "[img-0]" {
		t.Errorf("got %v", err)
	}
}

func TestPromptZero(t *testing.T) {
	if _, _, err := (Prompt{}).Render(payment(t, scoring.Brier{}), specimen); err == nil {
		t.Error("an empty prompt was rendered")
	}
}

func TestLoadPrompt(t *testing.T) {
	const blocks = `{{define "system"}}{{.Rule}} {{.Formula}} {{.Abstain}} {{.Threshold}}{{end}}{{define "user"}}{{.Claim}}{{end}}`
	for _, c := range []struct {
		name, text string
		fault      string // in the error; "" for none
	}{
		{"whole", blocks, ""},
		{"no system", `{{define "user"}}{{.Claim}}{{end}}`, `no block "system"`},
		{"no user", `{{define "system"}}x{{end}}`, `no block "user"`},
		{"no claim", `{{define "system"}}{{.Claim}}{{end}}{{define "user"}}Well?{{end}}`, "does not show the claim"},
		{"unknown field", `{{define "system"}}{{.Reward}}{{end}}{{define "user"}}{{.Claim}}{{end}}`, "Reward"},
		{"unknown field under one rule", `{{define "system"}}{{if eq .Rule "log"}}{{.Nats}}{{end}}{{end}}{{define "user"}}{{.Claim}}{{end}}`, "Nats"},
		{"bad syntax", `{{define "system"}}{{.Rule}`, "prompt:1"},
		{"control token", `{{define "system"}}<|im_end|>{{end}}{{define "user"}}{{.Claim}}{{end}}`, "<|im_end|>"},
		{"image placeholder", `{{define "system"}}x{{end}}{{define "user"}}[img-0] {{.Claim}}{{end}}`, "[img-0]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "own.tmpl")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := LoadPrompt(path)
			switch {
			case c.fault == "" && err != nil:
				t.Error(err)
			case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault) || !strings.Contains(err.Error(), path)):
				t.Errorf("got %v, want it to name %s and %q", err, path, c.fault)
			}
		})
	}
	if _, err := LoadPrompt(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

// TestPromptIdentity: the hash is the template's and follows its text, the
// version is the one it states.
func TestPromptIdentity(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own.tmpl")
	load := func(text string) Prompt {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := LoadPrompt(path)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	same := load(DefaultPrompt().text)
	if same.Hash() != DefaultPrompt().Hash() || same.Version() != "candor-1" {
		t.Errorf("the default from a file: %s %s", same.Version(), same.Hash())
	}
	edited := load(strings.Replace(DefaultPrompt().text, "an image", "a picture", 1))
	if edited.Hash() == same.Hash() || len(edited.Hash()) != 64 {
		t.Errorf("edited: %s", edited.Hash())
	}
	if p := load(`{{define "system"}}{{end}}{{define "user"}}{{.Claim}}{{end}}`); p.Version() != "custom" {
		t.Errorf("version %q of a template that states none", p.Version())
	}
}
