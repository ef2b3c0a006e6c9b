package faultserver

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// question identifies what was asked, whatever the sampling.
func (r *Request) question() string {
	return fmt.Sprint(r.System, "\x00", r.Prompt, "\x00", r.ImageSHA256, "\x00", r.Seed())
}

// draw is the text that stands for the model's randomness: all that its answer
// depends on under conf.
func (c *config) draw(r *Request) string {
	t, _ := r.Option("temperature")
	d := fmt.Sprint(r.System, "\x00", r.Prompt, "\x00", t)
	if t > 0 {
		d += fmt.Sprint("\x00", r.Seed())
	}
	if !c.ignoreImage {
		d += "\x00" + r.ImageSHA256
	}
	if !c.ignorePenalties {
		d += "\x00" + penalties(r)
	}
	return d
}

// raw is what a model's own probabilities depend on, whatever is made of them
// by sampling.
func (c *config) raw(r *Request) string {
	d := fmt.Sprint(r.System, "\x00", r.Prompt)
	if !c.ignoreImage {
		d += "\x00" + r.ImageSHA256
	}
	return d
}

func penalties(r *Request) string {
	return fmt.Sprint(r.Options["presence_penalty"], r.Options["frequency_penalty"], r.Options["repeat_penalty"])
}

// text is the healthy answer: by the request's format when it has one, an
// answer object when the texts speak of a verdict, else words.
func (c *config) text(r *Request, draw string) string {
	if c.dropFormat && r.Format != nil {
		return words(draw, r, c.ignorePenalties)
	}
	if asksVerdict(r) {
		if c.answers != nil {
			if text := c.answers(r); text != "" {
				return text
			}
		}
		return c.verdict(r, draw)
	}
	if r.Format != nil {
		return fromSchema(r.Format, draw)
	}
	return words(draw, r, c.ignorePenalties)
}

func asksVerdict(r *Request) bool {
	if r.Format != nil && string(r.Format) != `"json"` {
		return strings.Contains(string(r.Format), `"verdict"`)
	}
	return strings.Contains(r.System+r.Prompt, "verdict")
}

// verdict is an answer object with one of a few confidences; in free text, of
// many, so that whatever the answer depends on shows in one pair of answers.
func (c *config) verdict(r *Request, draw string) string {
	if c.malformedEvery > 0 && number(draw, "malformed")%c.malformedEvery == 0 {
		return "I think it is rather likely."
	}
	if c.abstainEvery > 0 && number(draw, "abstain")%c.abstainEvery == 0 {
		return Answer("ABSTAIN", 0.5)
	}
	verdicts := []string{"SUPPORTED", "REFUTED"}
	confidences := []float64{0.52, 0.6, 0.68, 0.75, 0.83, 0.9, 0.95, 0.99}
	confidence := confidences[number(draw, "confidence")%8]
	if r.Format == nil {
		confidence = math.Round(5000+5000*unit(draw, "confidence")) / 10000
	}
	return Answer(verdicts[number(draw, "verdict")%2], confidence)
}

// Answer is an answer object as the product's schema has it.
func Answer(verdict string, confidence float64) string {
	b, err := json.Marshal(struct {
		Verdict    string  `json:"verdict"`
		Confidence float64 `json:"confidence"`
	}{verdict, confidence})
	if err != nil {
		panic(err) // a confidence that JSON cannot carry: a mistake in the test
	}
	return string(b)
}

// words is free text. Under penalties no word comes twice.
func words(draw string, r *Request, ignorePenalties bool) string {
	list := []string{"a", "photograph", "shows", "several", "objects", "near", "the", "window", "and", "one", "large", "table"}
	n := len(list)
	if most, ok := r.Option("num_predict"); ok && most >= 1 {
		n = min(n, int(most))
	}
	p, _ := r.Option("presence_penalty")
	penalised := p > 0 && !ignorePenalties
	var out []string
	for i := range n {
		k := number(draw, fmt.Sprint("word", i)) % 4
		if penalised {
			k = (number(draw, "start") + uint64(i)) % uint64(len(list))
		}
		out = append(out, list[k])
	}
	return strings.Join(out, " ")
}

// number hashes draw for one purpose.
func number(draw, purpose string) uint64 {
	h := sha256.Sum256([]byte(purpose + "\x00" + draw))
	return binary.BigEndian.Uint64(h[:8])
}

// unit is a number in [0, 1).
func unit(draw, purpose string) float64 { return float64(number(draw, purpose)>>11) / (1 << 53) }

func digestOf(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}
