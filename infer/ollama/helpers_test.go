package ollama_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"testing"
	"time"

	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/faultserver"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick retries without making a test wait.
var quick = infer.RetryPolicy{Attempts: 4, First: time.Millisecond, Max: 2 * time.Millisecond}

func client(t *testing.T, s *faultserver.Server, opts ...ollama.Option) *ollama.Client {
	t.Helper()
	c, err := ollama.New(s.URL, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// picture is a 320×256 PNG, which costs 82 prompt tokens at the stand-in.
func picture(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 320, 256))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const pictureTokens = 10*8 + 2

var schema = json.RawMessage(`{"type":"object","properties":{"verdict":{"enum":["SUPPORTED","REFUTED","ABSTAIN"]},"confidence":{"type":"number"}},"required":["verdict","confidence"]}`)

// question is a whole request, as a run asks it.
func question(t testing.TB) infer.Request {
	t.Helper()
	o, err := infer.Profile(infer.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	o.NumCtx = 4096
	return infer.Request{
		Model: "fake", System: "Give a verdict.", Prompt: "There is a cat in the image.", Image: picture(t),
		Schema: schema, Options: o, Seed: 7, TopLogprobs: 3, MinPromptTokens: pictureTokens,
	}
}
