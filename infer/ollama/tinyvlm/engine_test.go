package tinyvlm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
	"testing"

	"candor/infer/ollama"
	"candor/infer/ollama/ollamatest"
	"candor/infer/ollama/tinyvlm"

	"github.com/ollama/ollama/api"
)

const answerSchema = `{"type":"object",
	"properties":{"verdict":{"enum":["SUPPORTED","REFUTED","ABSTAIN"]},"confidence":{"type":"number"}},
	"required":["verdict","confidence"]}`

var claims = []string{
	"There is a snowboard in the image.", "There is a cat in the image.", "There is a red box in the image.", "There is a person in the image.",
}

// The real engine loads each architecture, sees the image, obeys the grammar
// and repeats itself.
func TestEngineAnswers(t *testing.T) {
	server := ollamatest.Start(t)
	for _, architecture := range tinyvlm.Architectures() {
		t.Run(architecture, func(t *testing.T) { testAnswers(t, server, architecture) })
	}
	server.Stop()
	if left := server.RunnerPIDs(); len(left) != 0 {
		t.Errorf("runners %v are left", left)
	}
}

func testAnswers(t *testing.T, server *ollamatest.Server, architecture string) {
	model := server.Install(architecture)
	first := answer(t, server, model, claims[0], 1, picture(t, 1))
	if again := answer(t, server, model, claims[0], 1, picture(t, 1)); again.Response != first.Response {
		t.Errorf("one seed, two answers: %q, %q", first.Response, again.Response)
	}
	verdicts := map[string]bool{}
	imageMatters := false
	for seed := range 12 {
		claim := claims[seed%len(claims)]
		a := answer(t, server, model, claim, seed, picture(t, 2))
		verdicts[a.verdict] = true
		b := answer(t, server, model, claim, seed, picture(t, 3))
		imageMatters = imageMatters || a.Logprobs[0].Logprob != b.Logprobs[0].Logprob
	}
	if !imageMatters {
		t.Error("two pictures give equal log probabilities")
	}
	if len(verdicts) < 2 {
		t.Errorf("12 questions give the verdicts %v only", verdicts)
	}
}

type reply struct {
	api.GenerateResponse
	verdict string
}

// answer asks about one picture; an answer that is not of the schema is fatal.
func answer(t *testing.T, server *ollamatest.Server, model, claim string, seed int, picture []byte) reply {
	t.Helper()
	stream := false
	request := &api.GenerateRequest{
		Model:       model,
		System:      "Judge the claim about the image.",
		Prompt:      claim,
		Images:      []api.ImageData{picture},
		Stream:      &stream,
		Format:      json.RawMessage(answerSchema),
		Logprobs:    true,
		TopLogprobs: 5,
		Options: map[string]any{
			"seed": seed, "temperature": 0.7, "top_p": 0.8, "top_k": 20, "num_predict": 256, "num_ctx": 4096, "num_thread": 1,
		},
	}
	if strings.Contains(model, "qwen35") {
		request.Think = &api.ThinkValue{Value: false}
	}
	var got reply
	err := server.Client().Generate(context.Background(), request, func(r api.GenerateResponse) error {
		got.GenerateResponse = r
		return nil
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, server.Log())
	}
	if !got.Done || got.DoneReason != "stop" || len(got.Logprobs) == 0 {
		t.Fatalf("done %v for reason %q with %d log probabilities", got.Done, got.DoneReason, len(got.Logprobs))
	}
	// 384 × 320 pixels are at least 12 · 10 tokens for every family.
	if got.PromptEvalCount < 120 {
		t.Errorf("%d prompt tokens cannot hold the image", got.PromptEvalCount)
	}
	var parsed struct {
		Verdict    string
		Confidence json.Number
	}
	if err := json.Unmarshal([]byte(got.Response), &parsed); err != nil {
		t.Fatalf("answer %q: %v", got.Response, err)
	}
	if parsed.Verdict == "" || parsed.Confidence == "" {
		t.Fatalf("answer %q lacks a part", got.Response)
	}
	got.verdict = parsed.Verdict
	return got
}

// picture draws a chequered picture of its own colours.
func picture(t *testing.T, variant int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 384, 320))
	for y := range 320 {
		for x := range 384 {
			square := x/(40*variant) + y/(30*variant)
			img.Set(x, y, color.RGBA{uint8(90 * (square % 3)), uint8(60 * variant), uint8(200 * (square % 2)), 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Registering twice leaves the model as it is, on a real server as well.
func TestEngineKeepsModel(t *testing.T) {
	server := ollamatest.Start(t)
	for _, architecture := range tinyvlm.Architectures() {
		server.Install(architecture)
	}
	before := models(t, server)
	if len(before) != len(tinyvlm.Architectures()) {
		t.Fatalf("models %v", before)
	}
	for _, architecture := range tinyvlm.Architectures() {
		server.Install(architecture)
	}
	for name, modified := range models(t, server) {
		if modified != before[name] {
			t.Errorf("%s was made anew", name)
		}
	}
}

// A client learns from the server that the weights are random.
func TestEngineTellsRandomWeights(t *testing.T) {
	server := ollamatest.Start(t)
	shown, err := server.Client().Show(context.Background(), &api.ShowRequest{Model: server.Install("qwen35")})
	if err != nil {
		t.Fatal(err)
	}
	name, _ := shown.ModelInfo["general.basename"].(string)
	if !strings.HasPrefix(name, ollama.RandomNamePrefix) {
		t.Errorf("general.basename %q in %v", name, shown.ModelInfo)
	}
}

// models gives each model's time of change.
func models(t *testing.T, server *ollamatest.Server) map[string]string {
	t.Helper()
	list, err := server.Client().List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]string{}
	for _, m := range list.Models {
		times[m.Name] = m.ModifiedAt.String()
	}
	return times
}
