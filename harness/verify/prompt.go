package verify

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"text/template"

	"candor/scoring"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// The built-in prompts differ in layout, not in words.
const (
	// PromptDefault puts the rules of the task into the system message.
	PromptDefault = "default"
	// PromptImageFirst leaves the system message empty and puts the rules
	// after the image: the engines' recurrent Qwen3.5 can then keep the image
	// across the claims about it.
	PromptImageFirst = "image-first"
)

// Prompt is a template for the two messages a model is sent: the system message
// with the rules of the task, and the user message with the claim, before which
// the client places the image.
//
// The template is a [text/template] that defines the blocks "system" and "user",
// and may define "version", a plain name for its wording. Its fields are .Claim,
// which "user" must show; .Rule, the scoring rule's name; .Formula, the rule in
// words and figures; .Abstain, the reward of ABSTAIN; and .Threshold, the belief
// below which ABSTAIN pays more.
type Prompt struct {
	text, version string
	blocks        *template.Template
}

// fields are what a template may show, as text.
type fields struct{ Claim, Rule, Formula, Abstain, Threshold string }

// DefaultPrompt is Candor's own.
func DefaultPrompt() Prompt {
	p, err := builtIn(PromptDefault)
	if err != nil {
		panic(err) // the templates are compiled in, and tested
	}
	return p
}

func builtIn(layout string) (Prompt, error) {
	var text []byte
	for _, name := range [...]string{"words", layout} {
		b, err := promptFiles.ReadFile("prompts/" + name + ".tmpl")
		if err != nil {
			return Prompt{}, err
		}
		text = append(text, b...)
	}
	return newPrompt(string(text))
}

// LoadPrompt returns a built-in prompt by its name, PromptDefault or
// PromptImageFirst, or reads a template from a file. Errors name the file and
// what is wrong: a block that is missing, a field that does not exist, a user
// message without the claim, control tokens.
func LoadPrompt(nameOrPath string) (Prompt, error) {
	if nameOrPath == PromptDefault || nameOrPath == PromptImageFirst {
		return builtIn(nameOrPath)
	}
	text, err := os.ReadFile(nameOrPath)
	if err != nil {
		return Prompt{}, fmt.Errorf("prompt: %w; built in are %s and %s", err, PromptDefault, PromptImageFirst)
	}
	p, err := newPrompt(string(text))
	if err != nil {
		return Prompt{}, fmt.Errorf("prompt %s: %w", nameOrPath, err)
	}
	return p, nil
}

// Render gives the two messages for a claim under a payment. It refuses claims
// that [CheckClaim] refuses.
func (p Prompt) Render(pay scoring.Payment, claimText string) (system, user string, err error) {
	if p.blocks == nil {
		return "", "", errors.New("prompt: empty; use DefaultPrompt or LoadPrompt")
	}
	if err := CheckClaim(claimText); err != nil {
		return "", "", err
	}
	f, err := fieldsOf(pay, claimText)
	if err != nil {
		return "", "", err
	}
	if system, err = p.block("system", f); err != nil {
		return "", "", err
	}
	user, err = p.block("user", f)
	return system, user, err
}

// Hash is the sha256 of the template's text, in hexadecimal.
func (p Prompt) Hash() string {
	sum := sha256.Sum256([]byte(p.text))
	return hex.EncodeToString(sum[:])
}

// Version is the name the template gives itself, or "custom".
func (p Prompt) Version() string { return p.version }

func newPrompt(text string) (Prompt, error) {
	blocks, err := template.New("prompt").Parse(text)
	if err != nil {
		return Prompt{}, err
	}
	for _, name := range [...]string{"system", "user"} {
		if blocks.Lookup(name) == nil {
			return Prompt{}, fmt.Errorf("no block %q: write {{define %q}}…{{end}}", name, name)
		}
	}
	p := Prompt{text: text, version: "custom", blocks: blocks}
	if blocks.Lookup("version") != nil {
		if p.version, err = p.block("version", fields{}); err != nil {
			return Prompt{}, err
		}
	}
	return p, p.try()
}

// try renders the template under both rules, so that its faults show before a
// run and not within it.
func (p Prompt) try() error {
	const claim = "There is a specimen in the image."
	for _, rule := range [...]scoring.Rule{scoring.Brier{}, scoring.Log{}} {
		pay, err := scoring.NewPayment(rule, nil)
		if err != nil {
			return err
		}
		system, user, err := p.Render(pay, claim)
		if err != nil {
			return err
		}
		if !strings.Contains(user, claim) {
			return errors.New(`block "user" does not show the claim: write {{.Claim}}`)
		}
		if found := findControl(system + "\n" + user); found != "" {
			return fmt.Errorf("the template contains %q, which the server takes for a control token: remove it", found)
		}
	}
	return nil
}

func (p Prompt) block(name string, f fields) (string, error) {
	var b strings.Builder
	if err := p.blocks.ExecuteTemplate(&b, name, f); err != nil {
		return "", fmt.Errorf("prompt block %q: %w", name, err)
	}
	return strings.TrimSpace(b.String()), nil
}

func fieldsOf(pay scoring.Payment, claim string) (fields, error) {
	f := fields{Claim: claim}
	switch rule := pay.Rule.(type) {
	case scoring.Brier:
		f.Formula = "1 - (1 - p)^2 if the verdict is correct, 1 - p^2 if not"
	case scoring.Log:
		e := decimalText(rule.CutOff(), -1)
		f.Formula = fmt.Sprintf("1 - ln(max(q, %s)) / ln(%s), where q = p if the verdict is correct, q = 1 - p if not", e, e)
	default:
		return f, fmt.Errorf("prompt: no wording for scoring rule %T", pay.Rule)
	}
	f.Rule = pay.Rule.Name()
	f.Abstain = decimalText(pay.Abstain, 6)
	f.Threshold = decimalText(pay.Threshold(), 4)
	return f, nil
}

// decimalText writes v with at most so many decimals, and no trailing zeros; -1
// is as many as it needs.
func decimalText(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
