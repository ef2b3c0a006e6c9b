package selective_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"candor/harness/claim"
	"candor/harness/env/selective"
	"candor/harness/openenv"
	"candor/harness/verify"
	"candor/imageproc"
	"candor/scoring"

	"go.uber.org/goleak"
)

// folder holds the small set, which most tests play.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "selective"); err == nil {
		err = writeSet(folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(folder)
		os.Exit(code)
	}))
}

// An agent that abstains always is paid the payoff.
func Example() {
	ctx := context.Background()
	cfg := selective.DefaultConfig()
	// A folder with files in POPE's form; without this it is Candor's own demo.
	cfg.Dataset, cfg.Images = folder, filepath.Join(folder, "images")
	tasks, err := selective.Open(ctx, cfg, claim.Loader{})
	if err != nil {
		panic(err)
	}
	defer tasks.Close()
	env := tasks.New()
	first, err := env.Reset(ctx, openenv.Seeded(0))
	if err != nil {
		panic(err)
	}
	var asked struct {
		Claim, Image string
	}
	if err := json.Unmarshal(first.Observation, &asked); err != nil {
		panic(err)
	}
	fmt.Println(asked.Claim, asked.Image[:22])
	last, err := env.Step(ctx, json.RawMessage(`{"answer": "{\"verdict\": \"ABSTAIN\"}"}`))
	fmt.Println(string(last.Reward), last.Done, err)
	// Output:
	// There is a boat in the image. data:image/png;base64,
	// 0.8 true <nil>
}

// seen is an observation.
type seen struct {
	Claim, Instructions, Prompt, Rule string
	Payoff, Threshold                 float64
	Image                             *string
	URL                               *string `json:"image_url"`
	Width                             int     `json:"image_width"`
	Height                            int     `json:"image_height"`
	Split                             string
	Number                            int `json:"claim_number"`
	Claims                            int
	Metadata                          map[string]any
}

// usual are the tasks of the small set under the default configuration. All
// its images stay in memory, so that nothing is to be closed.
var usual = sync.OnceValues(func() (*selective.Tasks, error) {
	return selective.Open(context.Background(), config(), claim.Loader{})
})

func config() selective.Config {
	cfg := selective.DefaultConfig()
	cfg.Dataset, cfg.Images = folder, filepath.Join(folder, "images")
	return cfg
}

// setImages is how many images the small set has, with four claims in each of
// three splits, whose true ones are the same.
const setImages = 24

func writeSet(folder string) error {
	for split, absent := range map[string][2]string{"random": {"car", "bus"}, "popular": {"person", "chair"}, "adversarial": {"boat", "sheep"}} {
		var rows strings.Builder
		for i := range setImages {
			for k, object := range []string{"dog", absent[0], "cat", absent[1]} {
				fmt.Fprintf(&rows, `{"question_id": %d, "image": "picture%02d.png", "text": "Is there a %s in the image?", "label": %q}`+"\n",
					4*i+k+1, i, object, []string{"yes", "no"}[k%2])
			}
		}
		if err := os.WriteFile(filepath.Join(folder, "coco_pope_"+split+".json"), []byte(rows.String()), 0o644); err != nil {
			return err
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "images"), 0o755); err != nil {
		return err
	}
	for i := range setImages {
		// On the models' grid, and off it.
		picture := image.NewGray(image.Rect(0, 0, 256+i%2, 256))
		for p := range picture.Pix {
			picture.Pix[p] = byte(p / 256 * i)
		}
		var file bytes.Buffer
		if err := png.Encode(&file, picture); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "images", fmt.Sprintf("picture%02d.png", i)), file.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// open returns tasks of the small set; nil shares them.
func open(t *testing.T, change func(*selective.Config)) *selective.Tasks {
	t.Helper()
	if change == nil {
		tasks, err := usual()
		if err != nil {
			t.Fatal(err)
		}
		return tasks
	}
	cfg := config()
	change(&cfg)
	tasks, err := selective.Open(t.Context(), cfg, claim.Loader{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tasks.Close(); err != nil {
			t.Error(err)
		}
	})
	return tasks
}

func reset(t *testing.T, env openenv.Environment, options openenv.ResetOptions) seen {
	t.Helper()
	result, err := env.Reset(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if result.Done || result.Reward != nil || result.Metadata != nil {
		t.Errorf("a reset gives reward %s, done %v, metadata %s", result.Reward, result.Done, result.Metadata)
	}
	return read(t, result.Observation)
}

func read(t *testing.T, observation json.RawMessage) (o seen) {
	t.Helper()
	if err := json.Unmarshal(observation, &o); err != nil {
		t.Fatalf("%v: %s", err, observation)
	}
	return o
}

func step(t *testing.T, env openenv.Environment, action string) openenv.Result {
	t.Helper()
	result, err := env.Step(t.Context(), json.RawMessage(action))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// told is a step's metadata.
type told struct {
	verify.Indicators
	Label       string
	Outcome     string
	Verdict     *string
	Confidence  *float64
	Reason      string
	Split       string
	QuestionID  string `json:"question_id"`
	ImageSource string `json:"image_source"`
	Claim       string
	Episode     []told
}

func metadata(t *testing.T, result openenv.Result) (m told) {
	t.Helper()
	if err := json.Unmarshal(result.Metadata, &m); err != nil {
		t.Fatalf("%v: %s", err, result.Metadata)
	}
	return m
}

// answer makes an action of a reply's text.
func answer(text string) string {
	b, _ := json.Marshal(map[string]string{"answer": text})
	return string(b)
}

// TestRewards: an answer earns what package scoring says, under both rules,
// whichever way the action holds it; what cannot be read earns 0, with the
// parser's reason, and is not refused.
func TestRewards(t *testing.T) {
	for _, rule := range []string{"brier", "log"} {
		env := open(t, func(c *selective.Config) { c.Rule = rule }).New()
		parsed, _ := scoring.ParseRule(rule)
		payment, err := scoring.NewPayment(parsed, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range []struct {
			action  string
			outcome scoring.Outcome
			verdict string
			p       float64
			repair  int
			reason  string
		}{
			{answer(`{"verdict":"SUPPORTED","confidence":0.9}`), scoring.Answered, "SUPPORTED", .9, 0, ""},
			{answer(`{"verdict":"REFUTED","confidence":0}`), scoring.Answered, "REFUTED", 0, 0, ""},
			{answer("```json\n{\"verdict\":\"supported\",\"confidence\":\"95%\"}\n```"), scoring.Answered, "SUPPORTED", .95, 1, ""},
			{answer(`<think>hm</think>{"verdict":"REFUTED","confidence":1}`), scoring.Answered, "REFUTED", 1, 0, ""},
			// The object itself, with and without what clients add.
			{`{"verdict":"SUPPORTED","confidence":0.7}`, scoring.Answered, "SUPPORTED", .7, 0, ""},
			{`{"verdict":"REFUTED","confidence":0.7,"metadata":{"a":1}}`, scoring.Answered, "REFUTED", .7, 0, ""},
			{`{"verdict":"ABSTAIN"}`, scoring.Abstained, "ABSTAIN", 0, 0, ""},
			// The object in place of its text, and LearnLens's wrapping of plain text.
			{`{"answer":{"verdict":"SUPPORTED","confidence":0.7}}`, scoring.Answered, "SUPPORTED", .7, 0, ""},
			{`{"action":"Here: {\"verdict\":\"SUPPORTED\",\"confidence\":0.6}"}`, scoring.Answered, "SUPPORTED", .6, 1, ""},
			{answer(`{"verdict":"ABSTAIN","confidence":"n/a"}`), scoring.Abstained, "ABSTAIN", 0, 0, ""},
			// Every way to be malformed.
			{answer("yes"), scoring.Malformed, "", 0, 0, verify.ReasonNoObject},
			{answer(""), scoring.Malformed, "", 0, 0, verify.ReasonNoObject},
			{answer(`{"verdict":"MAYBE","confidence":0.5}`), scoring.Malformed, "", 0, 0, verify.ReasonIllegalVerdict},
			{answer(`{"verdict":"SUPPORTED"}`), scoring.Malformed, "", 0, 0, verify.ReasonMissingConfidence},
			{answer(`{"verdict":"SUPPORTED","confidence":"high"}`), scoring.Malformed, "", 0, 0, verify.ReasonNonNumeric},
			{answer(`{"verdict":"SUPPORTED","confidence":95}`), scoring.Malformed, "", 0, 0, verify.ReasonOutOfRange},
			{answer(`{"verdict":"SUPPORTED","confidence":NaN}`), scoring.Malformed, "", 0, 0, verify.ReasonNotFinite},
			{answer(`{"verdict":"SUPPORTED","verdict":"REFUTED","confidence":0.9}`), scoring.Malformed, "", 0, 0, verify.ReasonDuplicateKey},
			{`{"verdict":"SUPPORTED","verdict":"REFUTED","confidence":0.9}`, scoring.Malformed, "", 0, 0, verify.ReasonDuplicateKey},
			{answer(`{"verdict":"SUPPORTED","confidence":0.9} {"verdict":"REFUTED","confidence":0.9}`), scoring.Malformed, "", 0, 0, verify.ReasonConflictingObjects},
			{answer(`<think>{"verdict":"SUPPORTED","confidence":0.9}`), scoring.Malformed, "", 0, 0, verify.ReasonTruncated},
			{`{"answer":"{\"verdict\":\"SUPPORTED\",\"confidence\":0.9}","done_reason":"length"}`, scoring.Malformed, "", 0, 0, verify.ReasonTruncated},
			{`{"answer":"{\"verdict\":\"SUPPORTED\",\"confidence\":0.9}","done_reason":"repeated"}`, scoring.Malformed, "", 0, 0, verify.ReasonRepeated},
			{`{"answer":"","thinking":"{\"verdict\":\"SUPPORTED\",\"confidence\":0.9}"}`, scoring.Malformed, "", 0, 0, verify.ReasonOnlyInThinking},
			{answer(strings.Repeat("x", verify.MaxText+1)), scoring.Malformed, "", 0, 0, verify.ReasonOversized},
			// What is no text at all.
			{`{}`, scoring.Malformed, "", 0, 0, verify.ReasonNoObject},
			{`{"answer":null}`, scoring.Malformed, "", 0, 0, verify.ReasonNoObject},
			{`{"answer":0.9}`, scoring.Malformed, "", 0, 0, verify.ReasonNoObject},
			{`{"answer":[1,2]}`, scoring.Malformed, "", 0, 0, verify.ReasonNoObject},
			{`{"values":[1]}`, scoring.Malformed, "", 0, 0, verify.ReasonNoObject},
		} {
			reset(t, env, openenv.Seeded(int64(i)))
			result := step(t, env, row.action)
			m := metadata(t, result)
			right := row.verdict == m.Label
			want := payment.Reward(row.outcome, row.p, right)
			got, ok := result.Value()
			name := fmt.Sprintf("%s, %.80s", rule, row.action)
			if !ok || got != want || !result.Done {
				t.Errorf("%s: paid %s, done %v; want %v", name, result.Reward, result.Done, want)
			}
			indicators := verify.Indicators{NeededRepair: row.repair}
			switch row.outcome {
			case scoring.Answered:
				indicators.Answered, indicators.ConfidenceSum = 1, row.p
				y := 0.
				if right {
					indicators.Correct, y = 1, 1
				}
				indicators.BrierSum = (row.p - y) * (row.p - y)
				if m.Confidence == nil || *m.Confidence != row.p {
					t.Errorf("%s: confidence is told as %v", name, m.Confidence)
				}
			case scoring.Abstained:
				indicators.Abstained = 1
			default:
				indicators.Malformed = 1
			}
			if math.Abs(m.BrierSum-indicators.BrierSum) < 1e-15 {
				m.BrierSum = indicators.BrierSum
			}
			if m.Indicators != indicators || m.Reason != row.reason || m.Outcome != string(row.outcome) {
				t.Errorf("%s: metadata %s; want %+v, reason %q", name, result.Metadata, indicators, row.reason)
			}
			if share, known := selective.Right(result.Metadata); known != (row.outcome != scoring.Abstained) || known && share != float64(indicators.Correct) {
				t.Errorf("%s: by the label it is worth %v, %v", name, share, known)
			}
		}
	}
}

// TestObservation: what is shown is what a run would ask; the label is in it
// only after the answer, and then for all clients, old and new.
func TestObservation(t *testing.T) {
	set, err := claim.Load(folder, "")
	if err != nil {
		t.Fatal(err)
	}
	train, err := claim.Select(set, claim.Selection{Splits: []string{"adversarial"}, Partition: claim.Train})
	if err != nil {
		t.Fatal(err)
	}
	tasks := open(t, nil)
	if tasks.Episodes() != len(train) || tasks.Claims() != len(train) {
		t.Errorf("%d episodes of %d claims, want %d", tasks.Episodes(), tasks.Claims(), len(train))
	}
	env := tasks.New()
	for seed, want := range claim.Rank(train, 0)[:10] {
		result, err := env.Reset(t.Context(), openenv.Seeded(int64(seed)))
		if err != nil {
			t.Fatal(err)
		}
		got := read(t, result.Observation)
		system, user, err := verify.DefaultPrompt().Render(tasks.Payment(), want.Text)
		if err != nil {
			t.Fatal(err)
		}
		if got.Claim != want.Text || got.Instructions != system || got.Prompt != user || got.Split != "adversarial" ||
			got.Rule != "brier" || got.Payoff != .8 || math.Abs(got.Threshold-.7236068) > 1e-7 || got.Number != 1 || got.Claims != 1 || len(got.Metadata) > 0 {
			t.Errorf("seed %d shows %+v, want claim %+v", seed, got, want)
		}
		for _, secret := range []string{want.ID, want.Split + `/`, `"` + want.QuestionID + `"`, want.ImageSource, `"label"`, "question"} {
			if strings.Contains(string(result.Observation), secret) {
				t.Errorf("seed %d: the observation tells %s", seed, secret)
			}
		}
		last := step(t, env, `{"verdict":"SUPPORTED","confidence":1}`)
		m, over := metadata(t, last), read(t, last.Observation)
		if m.Label != string(want.Label) || m.QuestionID != want.QuestionID || m.Split != want.Split || m.Claim != want.Text {
			t.Errorf("seed %d: metadata %s, want claim %+v", seed, last.Metadata, want)
		}
		if over.Claim != "" || over.Image != nil || over.URL != nil || over.Metadata["label"] != string(want.Label) {
			t.Errorf("seed %d: after the answer the observation is %s", seed, last.Observation)
		}
	}
}

// The keys of all objects stand in the order that the documentation gives.
func TestOrderOfKeys(t *testing.T) {
	env := open(t, nil).New()
	result, err := env.Reset(t.Context(), openenv.ResetOptions{Seed: new(big.Int), EpisodeID: "mine", Extra: map[string]json.RawMessage{"image": json.RawMessage(`"none"`)}})
	if err != nil {
		t.Fatal(err)
	}
	state, err := env.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last := step(t, env, `{}`)
	for _, row := range []struct {
		object json.RawMessage
		keys   string
	}{
		{result.Observation, "claim instructions prompt rule payoff threshold image image_url image_width image_height split claim_number claims metadata"},
		{state, "episode_id step_count claims done seed total_reward dataset partition episodes"},
		{last.Metadata, "answered abstained malformed correct confidence_sum brier_sum needed_repair label outcome verdict confidence reason split question_id image_source claim"},
	} {
		if got := strings.Join(keys(t, row.object), " "); got != row.keys {
			t.Errorf("keys are %s, want %s", got, row.keys)
		}
	}
	for _, key := range keys(t, result.Observation) {
		if !bytes.Contains(tasksSchema(t).Observation, []byte(`"`+key+`": {"`)) {
			t.Errorf("the schema has no %s", key)
		}
	}
}

func tasksSchema(t *testing.T) openenv.Schemas {
	t.Helper()
	return open(t, nil).Spec().Schemas
}

func keys(t *testing.T, object json.RawMessage) (keys []string) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		t.Fatal(err)
	}
	for decoder.More() {
		key, err := decoder.Token()
		var value json.RawMessage
		if err != nil || decoder.Decode(&value) != nil {
			t.Fatalf("%v: %s", err, object)
		}
		keys = append(keys, key.(string))
	}
	return keys
}

// TestSchemas: the action has the title and the one required text that let a
// trainer hand over replies as they are.
func TestSchemas(t *testing.T) {
	var schema struct {
		Title      string
		Required   []string
		Properties map[string]struct{ Type string }
	}
	schemas := tasksSchema(t)
	if err := json.Unmarshal(schemas.Action, &schema); err != nil {
		t.Fatal(err)
	}
	if schema.Title != "VerdictAction" || !slices.Equal(schema.Required, []string{"answer"}) || schema.Properties["answer"].Type != "string" || len(schema.Properties) != 1 {
		t.Errorf("the action's schema is %s", schemas.Action)
	}
	for _, s := range []json.RawMessage{schemas.Observation, schemas.State} {
		if !json.Valid(s) {
			t.Errorf("no JSON: %s", s)
		}
	}
	spec := open(t, nil).Spec()
	var told *openenv.Error
	if _, err := spec.Action(json.RawMessage(`["SUPPORTED"]`)); !errors.As(err, &told) || told.Code != openenv.CodeValidation {
		t.Errorf("an action that is a list: %v", err)
	}
	if action, err := spec.Action(json.RawMessage(`{"anything":1}`)); err != nil || string(action) != `{"anything":1}` {
		t.Errorf("an action that is any object: %s, %v", action, err)
	}
}

// TestSeeds: a seed of any size gives the same task always and everywhere; no
// seed gives others; the state tells the seed that gives it again.
func TestSeeds(t *testing.T) {
	tasks, again := open(t, nil), open(t, func(*selective.Config) {})
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	n := int64(tasks.Episodes())
	for _, row := range []struct{ seed, same *big.Int }{
		{big.NewInt(3), big.NewInt(3)},
		{big.NewInt(-1), big.NewInt(n - 1)},
		{big.NewInt(n), big.NewInt(0)},
		{huge, new(big.Int).Mod(huge, big.NewInt(n))},
		{new(big.Int).Neg(huge), new(big.Int).Mod(new(big.Int).Neg(huge), big.NewInt(n))},
	} {
		a := reset(t, tasks.New(), openenv.ResetOptions{Seed: row.seed})
		b := reset(t, again.New(), openenv.ResetOptions{Seed: row.same})
		if a.Claim != b.Claim || *a.Image != *b.Image {
			t.Errorf("seed %v shows %q, and %v %q", row.seed, a.Claim, row.same, b.Claim)
		}
	}
	env, fresh := tasks.New(), map[string]bool{}
	for range 12 {
		shown := reset(t, env, openenv.ResetOptions{})
		var state struct {
			EpisodeID string `json:"episode_id"`
			Seed      int64
		}
		raw, err := env.State(t.Context())
		if err != nil || json.Unmarshal(raw, &state) != nil {
			t.Fatal(err)
		}
		fresh[fmt.Sprint(state.Seed)], fresh[state.EpisodeID] = true, true
		if same := reset(t, again.New(), openenv.Seeded(state.Seed)); same.Claim != shown.Claim || *same.Image != *shown.Image {
			t.Errorf("seed %d of the state shows %q, not %q", state.Seed, same.Claim, shown.Claim)
		}
	}
	if len(fresh) < 18 {
		t.Errorf("12 fresh episodes have only %d seeds and IDs", len(fresh))
	}
	if _, err := env.Reset(t.Context(), openenv.ResetOptions{Extra: map[string]json.RawMessage{"seed": json.RawMessage(`"7"`)}}); err == nil || !strings.Contains(err.Error(), "integer") {
		t.Errorf("a seed that is a text: %v", err)
	}
	reset(t, env, openenv.ResetOptions{EpisodeID: "mine"})
	if state, err := env.State(t.Context()); err != nil || !strings.HasPrefix(string(state), `{"episode_id":"mine","step_count":0,"claims":1,"done":false,`) {
		t.Errorf("state %s, %v", state, err)
	}
}

// TestSeveralClaims: an episode asks about one image only, never the same
// twice, and tells of the answers when it is over.
func TestSeveralClaims(t *testing.T) {
	tasks := open(t, func(c *selective.Config) { c.ClaimsPerEpisode, c.Split = 3, "all" })
	asked := map[string]bool{}
	for seed := range tasks.Episodes() {
		env := tasks.New()
		shown := reset(t, env, openenv.ResetOptions{Seed: big.NewInt(int64(seed)), Extra: map[string]json.RawMessage{"image": json.RawMessage(`"none"`)}})
		image, n, total, said := "", shown.Claims, 0., []string{}
		for i := 1; i <= n; i++ {
			if shown.Number != i || shown.Claims != n || shown.Image != nil {
				t.Fatalf("seed %d, claim %d: %+v", seed, i, shown)
			}
			said = append(said, shown.Claim)
			result := step(t, env, `{"verdict":"SUPPORTED","confidence":0.5}`)
			reward, _ := result.Value()
			total += reward
			shown = read(t, result.Observation)
			m := metadata(t, result)
			if i == 1 {
				image = m.ImageSource
			}
			if m.ImageSource != image || asked[image+"\t"+m.Claim] {
				t.Errorf("seed %d, claim %d: about %s, after %s: %q", seed, i, m.ImageSource, image, m.Claim)
			}
			asked[image+"\t"+m.Claim] = true
			if m.Claim != said[i-1] || m.Answered != 1 || result.Done != (i == n) {
				t.Errorf("seed %d, claim %d: done %v, metadata %s", seed, i, result.Done, result.Metadata)
			}
			switch {
			case i < n && (len(shown.Metadata) > 0 || m.Episode != nil):
				t.Errorf("seed %d, claim %d: the player is told %v", seed, i, shown.Metadata)
			case i == n && n > 1 && (len(m.Episode) != n || m.Episode[0].Claim != said[0] || len(shown.Metadata["episode"].([]any)) != n):
				t.Errorf("seed %d: in the end it is told %s", seed, result.Metadata)
			}
		}
		state, err := env.State(t.Context())
		if want := fmt.Sprintf(`"step_count":%d,"claims":%d,"done":true,"seed":%d,"total_reward":%s,`, n, n, seed, openenv.Float(total)); err != nil || !strings.Contains(string(state), want) {
			t.Errorf("state %s, %v; want %s", state, err, want)
		}
	}
	if len(asked) != tasks.Claims() {
		t.Errorf("%d claims were asked of %d", len(asked), tasks.Claims())
	}
}

// TestPartition: nobody trains on eval by mistake.
func TestPartition(t *testing.T) {
	images := map[string]map[string]bool{}
	for _, partition := range []claim.Partition{claim.Train, claim.Eval} {
		tasks := open(t, func(c *selective.Config) { c.Partition = partition })
		images[string(partition)] = map[string]bool{}
		env := tasks.New()
		for seed := range tasks.Episodes() {
			reset(t, env, openenv.ResetOptions{Seed: big.NewInt(int64(seed)), Extra: map[string]json.RawMessage{
				"partition": json.RawMessage(`"` + partition + `"`), "image": json.RawMessage(`"none"`)}})
			var m struct {
				Image string `json:"image_source"`
			}
			if err := json.Unmarshal(step(t, env, `{}`).Metadata, &m); err != nil {
				t.Fatal(err)
			}
			if claim.InEval(m.Image) != (partition == claim.Eval) {
				t.Errorf("%s is served in %s", m.Image, partition)
			}
			images[string(partition)][m.Image] = true
		}
	}
	if len(images["train"]) == 0 || len(images["eval"]) == 0 {
		t.Errorf("images: %v", images)
	}
	env := open(t, nil).New()
	for _, wish := range []string{`"eval"`, `"all"`, `7`} {
		if _, err := env.Reset(t.Context(), openenv.ResetOptions{Extra: map[string]json.RawMessage{"partition": json.RawMessage(wish)}}); err == nil || !strings.Contains(err.Error(), "partition") {
			t.Errorf("partition %s was not refused: %v", wish, err)
		}
	}
}

// TestImages: the forms of the image are those asked for, and the same bytes.
func TestImages(t *testing.T) {
	tasks := open(t, func(c *selective.Config) { c.URL = "http://example.test/" })
	handler := tasks.Spec().Routes["/images/"]
	for _, row := range []struct {
		form      string
		data, url bool
	}{
		{`null`, true, true}, {`"both"`, true, true}, {`"data"`, true, false}, {`"url"`, false, true}, {`"none"`, false, false},
	} {
		shown := reset(t, tasks.New(), openenv.ResetOptions{Seed: big.NewInt(1), Extra: map[string]json.RawMessage{"image": json.RawMessage(row.form)}})
		if (shown.Image != nil) != row.data || (shown.URL != nil) != row.url || (shown.Width > 0) != (row.data || row.url) {
			t.Errorf("image %s: %v, %v", row.form, shown.Image != nil, shown.URL)
		}
	}
	if _, err := tasks.New().Reset(t.Context(), openenv.ResetOptions{Extra: map[string]json.RawMessage{"image": json.RawMessage(`"png"`)}}); err == nil {
		t.Error("an unknown form was not refused")
	}
	shown := reset(t, tasks.New(), openenv.Seeded(1))
	kind, encoded, _ := strings.Cut(*shown.Image, ";base64,")
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	path, whole := strings.CutPrefix(*shown.URL, "http://example.test")
	got := fetch(handler, path)
	if !whole || got.Code != http.StatusOK || !bytes.Equal(got.Body.Bytes(), data) || "data:"+got.Header().Get("Content-Type") != kind {
		t.Errorf("%s gives %d, %s, %d bytes; the data URI has %d", *shown.URL, got.Code, got.Header(), got.Body.Len(), len(data))
	}
	if format, err := imageproc.Sniff(data); err != nil || kind != "data:image/"+format {
		t.Errorf("%s holds %s, %v", kind, format, err)
	}
	for _, unknown := range []string{"/images/", "/images/0123.png", "/images/../schema", "/images/" + strings.Repeat("0", 64) + ".png"} {
		if got := fetch(handler, unknown); got.Code != http.StatusNotFound {
			t.Errorf("%s gives %d", unknown, got.Code)
		}
	}
}

func fetch(handler http.Handler, path string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
	return recorder
}

// TestManySessions: 128 at once get what one alone gets, and what is kept of
// the images stays within the limits.
func TestManySessions(t *testing.T) {
	tasks := open(t, func(c *selective.Config) { c.Limits = imageproc.Limits{Memory: 1 << 16, Disk: 1 << 16} })
	alone := map[int64]string{}
	for seed := range int64(16) {
		shown := reset(t, tasks.New(), openenv.Seeded(seed))
		alone[seed] = shown.Claim + *shown.Image
	}
	var sessions sync.WaitGroup
	for i := range int64(128) {
		sessions.Go(func() {
			env := tasks.New()
			for seed := i % 16; seed < i%16+2; seed++ {
				result, err := env.Reset(context.Background(), openenv.Seeded(seed%16))
				var shown seen
				if err != nil || json.Unmarshal(result.Observation, &shown) != nil || shown.Claim+*shown.Image != alone[seed%16] {
					t.Errorf("session %d, seed %d: %v, %q", i, seed%16, err, shown.Claim)
					return
				}
				if _, err := env.Step(context.Background(), json.RawMessage(`{"answer":"?"}`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	sessions.Wait()
}

// TestWrongTime: steps before a reset and after the end are errors, and change
// nothing.
func TestWrongTime(t *testing.T) {
	env := open(t, nil).New()
	if state, err := env.State(t.Context()); err != nil || !strings.HasPrefix(string(state), `{"episode_id":null,"step_count":0,"claims":0,"done":false,"seed":null,`) {
		t.Errorf("before a reset the state is %s, %v", state, err)
	}
	if _, err := env.Step(t.Context(), json.RawMessage(`{}`)); !errors.Is(err, selective.ErrNotReset) {
		t.Errorf("a step before a reset: %v", err)
	}
	reset(t, env, openenv.Seeded(0))
	step(t, env, `{"verdict":"ABSTAIN"}`)
	before, _ := env.State(t.Context())
	if _, err := env.Step(t.Context(), json.RawMessage(`{}`)); !errors.Is(err, selective.ErrDone) {
		t.Errorf("a step after the end: %v", err)
	}
	if after, _ := env.State(t.Context()); !bytes.Equal(before, after) {
		t.Errorf("the state was %s and is %s", before, after)
	}
	if err := env.Close(); err != nil {
		t.Error(err)
	}
}

// TestRefusals: what could never be right is refused before anybody plays.
func TestRefusals(t *testing.T) {
	half := .5
	empty := t.TempDir()
	file := filepath.Join(empty, "rows.jsonl")
	if err := os.WriteFile(file, []byte(`{"question_id":1,"image":"a.png","claim":"There is a dog.","label":"yes"}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		change func(*selective.Config)
		says   string
	}{
		"a payoff nobody would take": {func(c *selective.Config) { c.Abstain = &half }, "0.75"},
		"an unknown rule":            {func(c *selective.Config) { c.Rule = "spherical" }, "spherical"},
		"an unknown family":          {func(c *selective.Config) { c.Family = "llava" }, "llava"},
		"no claims":                  {func(c *selective.Config) { c.ClaimsPerEpisode = 0 }, "claims per episode"},
		"no partition":               {func(c *selective.Config) { c.Partition = "" }, "partition"},
		"an unknown split":           {func(c *selective.Config) { c.Split = "hard" }, "hard"},
		"an unknown prompt":          {func(c *selective.Config) { c.Prompt = "missing.tmpl" }, "missing.tmpl"},
		"no list of eval images":     {func(c *selective.Config) { c.EvalIDs = "missing.txt" }, "missing.txt"},
		"a missing data set":         {func(c *selective.Config) { c.Dataset = "./missing.jsonl" }, "missing.jsonl"},
		"no images":                  {func(c *selective.Config) { c.Dataset, c.Images, c.Split, c.Partition = file, "", "all", claim.All }, "image"},
		"a missing image": {func(c *selective.Config) {
			c.Dataset, c.Images, c.Split, c.Partition = file, empty, "all", claim.All
		}, "needed by claim"},
	} {
		cfg := config()
		row.change(&cfg)
		if tasks, err := selective.Open(t.Context(), cfg, claim.Loader{}); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", name, err)
			if err == nil {
				tasks.Close()
			}
		}
	}
}

// TestPolicies: what is earned without looking. Abstaining always earns the
// payoff, knowing nothing .75, and a constant verdict the share of its label.
func TestPolicies(t *testing.T) {
	tasks := open(t, nil)
	mean := map[string]float64{}
	for _, policy := range selective.Policies() {
		env := tasks.New()
		for seed := range int64(tasks.Episodes()) {
			shown, err := env.Reset(t.Context(), openenv.ResetOptions{Seed: big.NewInt(seed), Extra: map[string]json.RawMessage{"image": json.RawMessage(`"none"`)}})
			if err != nil {
				t.Fatal(err)
			}
			reward, _ := step(t, env, policy.Act(string(shown.Observation))).Value()
			mean[policy.Name] += reward / float64(tasks.Episodes())
		}
	}
	for name, want := range map[string]float64{"abstain": .8, "hedge": .75, "supported": .5, "refuted": .5, "empty": 0} {
		if math.Abs(mean[name]-want) > 1e-9 {
			t.Errorf("%s earns %v, not %v", name, mean[name], want)
		}
	}
}

// A prompt that has all its words in the user's message shows them as
// instructions, too.
func TestImageFirstPrompt(t *testing.T) {
	shown := reset(t, open(t, func(c *selective.Config) { c.Prompt = verify.PromptImageFirst }).New(), openenv.Seeded(0))
	if shown.Instructions != shown.Prompt || !strings.Contains(shown.Prompt, shown.Claim) || !strings.Contains(shown.Instructions, "ABSTAIN: 0.8") {
		t.Errorf("instructions %q, prompt %q", shown.Instructions, shown.Prompt)
	}
}
