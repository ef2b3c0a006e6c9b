package faultserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"image"
	_ "image/jpeg" // the formats that a server of these models reads
	_ "image/png"
	"path"
	"time"
)

// Request is one generate or chat request as it stood on the wire.
type Request struct {
	Index    int // order of arrival, from 0
	Time     time.Time
	InFlight int    // requests here on arrival, this one included
	Endpoint string // "generate" or "chat"

	Model, System, Prompt string
	Images                [][]byte
	ImageSHA256           string // hex, of the first image; empty without one
	Format                json.RawMessage
	Options               map[string]any
	Think                 any // true, false, a string, or nil when not sent
	Stream                *bool
	Truncate              *bool
	Shift                 *bool
	KeepAlive             any
	Logprobs              bool
	TopLogprobs           int
	RenderOnly            bool
	Raw                   []byte // the whole body

	faults []Fault
}

// Option is a sampling option as a number; ok tells whether it was sent.
func (r *Request) Option(name string) (value float64, ok bool) {
	value, ok = r.Options[name].(float64)
	return value, ok
}

// Seed is the seed that was sent, -1 without one, as servers understand it.
func (r *Request) Seed() int64 {
	if v, ok := r.Option("seed"); ok {
		return int64(v)
	}
	return -1
}

type wireRequest struct {
	Model, System, Prompt string
	Images                [][]byte
	Messages              []struct {
		Role, Content string
		Images        [][]byte
	}
	Format      json.RawMessage
	Options     map[string]any
	Think       any
	Stream      *bool
	Truncate    *bool
	Shift       *bool
	KeepAlive   any `json:"keep_alive"`
	Logprobs    bool
	TopLogprobs int  `json:"top_logprobs"`
	RenderOnly  bool `json:"_debug_render_only"`
}

func parseRequest(urlPath string, body []byte) (*Request, error) {
	var w wireRequest
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, err
	}
	if w.Model == "" {
		return nil, errors.New("model is required")
	}
	r := &Request{
		Endpoint: path.Base(urlPath), Model: w.Model, System: w.System, Prompt: w.Prompt, Images: w.Images,
		Format: w.Format, Options: w.Options, Think: w.Think, Stream: w.Stream, Truncate: w.Truncate,
		Shift: w.Shift, KeepAlive: w.KeepAlive, Logprobs: w.Logprobs, TopLogprobs: w.TopLogprobs,
		RenderOnly: w.RenderOnly, Raw: body,
	}
	for _, m := range w.Messages {
		if m.Role == "system" {
			r.System += m.Content
			continue
		}
		r.Prompt += m.Content
		r.Images = append(r.Images, m.Images...)
	}
	if len(r.Images) > 0 {
		sum := sha256.Sum256(r.Images[0])
		r.ImageSHA256 = hex.EncodeToString(sum[:])
	}
	return r, nil
}

// imageTokens is the cost of the request's images: a 32-pixel grid and two
// markers each. ok is false when one of them is no image.
func (r *Request) imageTokens() (n int, ok bool) {
	for _, data := range r.Images {
		c, _, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			return 0, false
		}
		n += max(c.Width/32, 1)*max(c.Height/32, 1) + 2
	}
	return n, true
}
