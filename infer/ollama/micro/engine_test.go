package micro_test

import (
	"reflect"
	"slices"
	"sync"
	"testing"

	"candor/infer/ollama"
	"candor/infer/ollama/micro"
	"candor/infer/ollama/ollamatest"
	"candor/infer/ollama/tinyvlm"
)

func connect(t *testing.T, s *ollamatest.Server) *ollama.Client {
	t.Helper()
	c, err := ollama.New(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// A real server takes the model from several at once, in the place of an older
// one, and says of it what the file says itself.
func TestEngineInstall(t *testing.T) { testInstall(t) }

// An older server takes it, too.
func TestOldEngineInstall(t *testing.T) { testInstall(t, ollamatest.Old()) }

func testInstall(t *testing.T, opts ...ollamatest.Option) {
	s := ollamatest.Start(t, opts...)
	c := connect(t, s)
	if err := tinyvlm.Install(t.Context(), c.API(), micro.Name, tinyvlm.Config{Architecture: "qwen35", Seed: 9}); err != nil {
		t.Fatal(err)
	}
	did := make([]ollama.Registration, 8)
	var all sync.WaitGroup
	for i := range did {
		all.Go(func() {
			var err error
			if did[i], err = micro.Install(t.Context(), connect(t, s).API()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if !slices.Contains(did, ollama.Replaced) || slices.Contains(did, ollama.Registered) {
		t.Errorf("%v", did)
	}
	if again, err := micro.Install(t.Context(), c.API()); err != nil || again != ollama.Present {
		t.Errorf("once more: %s, %v", again, err)
	}
	got, err := c.Identify(t.Context(), micro.Name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := micro.Identity()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(got.Capabilities, "vision") || got.Digest == "" {
		t.Errorf("%+v", got)
	}
	// What only a server knows, and what only the program does.
	want.ServerVersion, want.Digest, want.ContentDigest = got.ServerVersion, got.Digest, got.ContentDigest
	want.Capabilities, want.Embedded = got.Capabilities, false
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the server says %+v\nthe file %+v", got, want)
	}
}
