// Package infer says what a vision-language model is to the rest of Candor:
// something that is asked one Request (a system text, one image, one user
// text, sampling options and a seed) and gives one Response or one classified
// failure. Around that sit the sampling profiles that the field publishes by
// name, the retry policy that keeps infrastructure failures apart from wrong
// answers, and the scheduler that keeps every endpoint busy with a bounded
// number of requests, image by image.
//
// Nothing here knows a particular server; infer/ollama is the first backend.
package infer

import (
	"context"
	"encoding/json"
	"time"
)

// Model answers requests. Implementations are safe for concurrent use and
// report failures as *Failure, so that callers can tell a fault of the
// infrastructure from a fault of the task.
type Model interface {
	Ask(ctx context.Context, req Request) (Response, error)
}

// Backend is a Model whose server can be questioned about itself.
type Backend interface {
	Model
	// Endpoint names the server, as recorded in every trace.
	Endpoint() string
	// Identify reports the server and the named model, without inference.
	Identify(ctx context.Context, model string) (Identity, error)
	// Residency reports where a loaded model lives; Loaded is false when the
	// server does not hold it.
	Residency(ctx context.Context, model string) (Residency, error)
}

// Request is one question to a model. The image, when there is one, stands
// before Prompt in the user's message, so that a server's prompt cache can
// keep system text and image across the claims of one image.
type Request struct {
	Model  string
	System string
	Prompt string
	Image  []byte // encoded as the server takes it; nil for none
	// Schema constrains the answer to a JSON schema; nil leaves it free.
	Schema  json.RawMessage
	Options Options
	Seed    int32
	// TopLogprobs asks for that many alternatives a token, 0 to 20; 0 asks
	// for no log-probabilities at all.
	TopLogprobs int
	// MinPromptTokens is the least number of prompt tokens that an honest
	// server can report: the image's own cost, or more where the text's is
	// known; fewer mean that the image was dropped. 0 checks nothing.
	MinPromptTokens int
	// FirstToken, unless nil, has the server stream its answer, and is called
	// once, when the first piece of it arrives.
	FirstToken func()
}

// Response is what a model said.
type Response struct {
	Text, Thinking string
	Stop           Stop
	PromptTokens   int
	OutputTokens   int
	Durations      Durations
	Logprobs       []TokenLogprob
	// Unended tells of StopRepeated that the server did not say so: the reply came
	// whole and without its end, as engines leave it that stop a model for
	// repeating one token, but its text repeats none.
	Unended bool
	// OtherModel is whose answer this is by the server's own word, if that is
	// not the model asked.
	OtherModel string
}

// Stop is why a model stopped.
type Stop string

const (
	// StopDone: the model ended its answer itself.
	StopDone Stop = "stop"
	// StopLength: the answer was cut by num_predict or by the context.
	StopLength Stop = "length"
	// StopRepeated: the server gave up on a model that repeats one token.
	StopRepeated Stop = "repeated"
)

// Durations says where a request's time went, as far as the server tells.
// Other is what it does not attribute: its queue and, on current engines,
// the image's encoding.
type Durations struct {
	Load, Prompt, Generate, Other, Total time.Duration
}

// TokenLogprob is one generated token with its natural-log probability under
// the raw softmax (temperature 1, before grammar and penalties), and the
// likeliest alternatives in falling order.
type TokenLogprob struct {
	Token   string
	Logprob float64
	Top     []Alternative
}

// Alternative is one candidate token and its natural-log probability.
type Alternative struct {
	Token   string
	Logprob float64
}

// Identity is what a server says of itself and of one model.
type Identity struct {
	ServerVersion string `json:"server_version"`
	Model         string `json:"model"`
	Name          string `json:"name"`   // the weights' own name
	Digest        string `json:"digest"` // of the manifest: weights, template and parameters
	WeightsDigest string `json:"weights_digest"`
	// ContentDigest is of all that answers depend on, as far as the server tells
	// it: weights, template, system text, parameters, renderer and parser. It is
	// the same wherever a model is served, unlike Digest, which names places on
	// the server's disk where a client made the model. "" when not told.
	ContentDigest  string   `json:"content_digest,omitempty"`
	Architecture   string   `json:"architecture"`
	ParameterSize  string   `json:"parameter_size"`
	Quantization   string   `json:"quantization"`
	Renderer       string   `json:"renderer"`
	Parser         string   `json:"parser"`
	Capabilities   []string `json:"capabilities"`
	TrainedContext int      `json:"trained_context"` // tokens; 0 when not told
	Vision         Vision   `json:"vision"`
	// RandomWeights marks a model made to exercise the engine: it knows
	// nothing, and its figures mean nothing.
	RandomWeights bool `json:"random_weights"`
	// Embedded marks the model whose weights are part of the program.
	Embedded bool `json:"embedded"`
}

// Vision is what a model's metadata says of how images are cut for it; 0 is
// not told.
type Vision struct {
	PatchSize    int `json:"patch_size,omitempty"`         // pixels
	MergeSize    int `json:"spatial_merge_size,omitempty"` // patches a side in one token
	ShortestEdge int `json:"shortest_edge,omitempty"`      // in fact the least pixels of an image
	MaxPixels    int `json:"max_pixels,omitempty"`
}

// Residency says where a loaded model lives, in bytes.
type Residency struct {
	Loaded        bool  `json:"loaded"`
	Size          int64 `json:"size"`
	SizeVRAM      int64 `json:"size_vram"`
	ContextLength int   `json:"context_length"` // tokens in effect
}
