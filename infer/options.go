package infer

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Bounds of options, beyond what any model or machine has: a figure above them
// is a slip, and sums of those below them cannot overflow.
const (
	MaxNumPredict = 1 << 20
	MaxNumCtx     = 1 << 24
	MaxNumThread  = 1 << 16
)

// Options are the sampling and load-time options of a request. Every one is
// sent explicitly: a server's defaults change between versions and with the
// amount of memory it finds.
type Options struct {
	Temperature      float64 `json:"temperature"`       // [0, 100]; 0 is greedy
	TopP             float64 `json:"top_p"`             // (0, 1]
	TopK             int     `json:"top_k"`             // ≥ 0; 0 keeps all
	MinP             float64 `json:"min_p"`             // [0, 1)
	PresencePenalty  float64 `json:"presence_penalty"`  // [-2, 2]
	FrequencyPenalty float64 `json:"frequency_penalty"` // [-2, 2]
	RepeatPenalty    float64 `json:"repeat_penalty"`    // > 0, finite; 1 is none
	RepeatLastN      int     `json:"repeat_last_n"`     // tokens; -1 is the context
	NumPredict       int     `json:"num_predict"`       // most tokens of an answer, 1 to MaxNumPredict
	NumCtx           int     `json:"num_ctx"`           // context in tokens; 0 is fitted by the run
	NumBatch         int     `json:"num_batch"`         // 0 leaves it to the server
	NumThread        int     `json:"num_thread"`        // 0 leaves it to the server
	Think            bool    `json:"think"`
}

// Validate refuses options outside the ranges that the field's samplers
// define, naming the option.
func (o Options) Validate() error {
	checks := []struct {
		ok   bool
		name string
		got  any
		want string
	}{
		{within(o.Temperature, 0, 100), "temperature", o.Temperature, "in [0, 100]"},
		{o.TopP > 0 && o.TopP <= 1, "top_p", o.TopP, "in (0, 1]"},
		{o.TopK >= 0, "top_k", o.TopK, "0 or more"},
		{o.MinP >= 0 && o.MinP < 1, "min_p", o.MinP, "in [0, 1)"},
		{within(o.PresencePenalty, -2, 2), "presence_penalty", o.PresencePenalty, "in [-2, 2]"},
		{within(o.FrequencyPenalty, -2, 2), "frequency_penalty", o.FrequencyPenalty, "in [-2, 2]"},
		{o.RepeatPenalty > 0 && !math.IsInf(o.RepeatPenalty, 0), "repeat_penalty", o.RepeatPenalty, "above 0 and finite"},
		{o.RepeatLastN >= -1, "repeat_last_n", o.RepeatLastN, "-1 or more"},
		{o.NumPredict >= 1 && o.NumPredict <= MaxNumPredict, "num_predict", o.NumPredict, between(1, "", MaxNumPredict)},
		{o.NumCtx >= 0 && o.NumCtx <= MaxNumCtx, "num_ctx", o.NumCtx, between(0, " (fitted)", MaxNumCtx)},
		{o.NumBatch >= 0 && o.NumBatch <= MaxNumCtx, "num_batch", o.NumBatch, between(0, " (the engine's best)", MaxNumCtx)},
		{o.NumThread >= 0 && o.NumThread <= MaxNumThread, "num_thread", o.NumThread, between(0, " (the server's choice)", MaxNumThread)},
	}
	for _, c := range checks {
		if !c.ok {
			return fmt.Errorf("%s is %v; it must be %s", c.name, c.got, c.want)
		}
	}
	return nil
}

func between(least int, means string, most int) string {
	return fmt.Sprintf("between %d%s and %d", least, means, most)
}

func within(x, lo, hi float64) bool { return x >= lo && x <= hi }

// Penalised reports whether any repetition penalty differs from its neutral
// value, so that a server which ignores penalties matters.
func (o Options) Penalised() bool {
	return o.PresencePenalty != 0 || o.FrequencyPenalty != 0 || o.RepeatPenalty != 1
}

// Profile returns the named set of sampling options, with NumPredict set and
// the load-time options (NumCtx, NumBatch, NumThread) left at 0. The Qwen3.5
// values are those of its model card: instruct and thinking use, for general
// tasks, for reasoning and for precise work.
func Profile(name string) (Options, error) {
	o, ok := profiles()[name]
	if !ok {
		return Options{}, fmt.Errorf("unknown profile %q; known: %s", name, strings.Join(ProfileNames(), ", "))
	}
	return o, nil
}

// ProfileNames lists the known profiles in alphabetical order.
func ProfileNames() []string { return slices.Sorted(maps.Keys(profiles())) }

// DefaultProfile names the options of the published baseline.
const DefaultProfile = "qwen3.5-instruct"

// DefaultNumPredict is how many tokens an answer may have unless told: with
// think enough for a train of thought before it, else for the answer alone.
func DefaultNumPredict(think bool) int {
	if think {
		return 8192
	}
	return 512
}

// profiles are, beside greedy, the four of the card of Qwen3.5 (Qwen/Qwen3.5-4B
// on the Hub; other sizes have the same), as fakoli.github.io/anvil-serving
// repeats them: the card calls them instruct mode for general tasks, instruct
// mode for reasoning tasks, thinking mode for general tasks, and thinking mode
// for precise coding tasks. min_p is 0 and repetition_penalty 1 in all. The card
// gives no frequency_penalty and no repeat_last_n: 0, and the engines' 64.
func profiles() map[string]Options {
	base := Options{TopP: 1, RepeatPenalty: 1, RepeatLastN: 64}
	with := func(t, topP float64, topK int, presence float64, think bool) Options {
		o := base
		o.Temperature, o.TopP, o.TopK, o.PresencePenalty, o.Think = t, topP, topK, presence, think
		o.NumPredict = DefaultNumPredict(think)
		return o
	}
	return map[string]Options{
		DefaultProfile:               with(0.7, 0.8, 20, 1.5, false),
		"qwen3.5-instruct-reasoning": with(1, 1, 40, 2, false),
		"qwen3.5-thinking":           with(1, 0.95, 20, 1.5, true),
		"qwen3.5-thinking-precise":   with(0.6, 0.95, 20, 0, true),
		"greedy":                     with(0, 1, 1, 0, false),
	}
}
