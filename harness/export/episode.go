package export

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"candor/harness/run"
	"candor/harness/verify"
	"candor/infer"
)

// episode is a line of verifiers' traces.jsonl; nulls are left out.
type episode struct {
	ID     string            `json:"id"`
	Env    map[string]string `json:"env"`
	Task   dispatched        `json:"task"`
	Run    map[string]string `json:"run"`
	OK     bool              `json:"ok"`
	Traces []rollout         `json:"traces"`
}

type dispatched struct {
	Type string   `json:"type"`
	Data taskData `json:"data"`
}

// taskData names the defaults, too: --resume matches tasks by the hash of all.
// Index is there because verifiers 0.4.0 numbers the tasks of a taskset, which
// earlier releases leave to the taskset.
type taskData struct {
	Index        int      `json:"idx"`
	Name         string   `json:"name"`
	Prompt       string   `json:"prompt"`
	System       string   `json:"system_prompt,omitempty"`
	NetworkAllow []string `json:"network_allow"`
	NetworkBlock []string `json:"network_block"`
	Artifacts    []string `json:"artifacts"`
	Timeout      struct{} `json:"timeout"`
	Resources    struct{} `json:"resources"`
	TaskID       string   `json:"task_id"`
	Split        string   `json:"split"`
	QuestionID   string   `json:"question_id"`
	ImageSource  string   `json:"image_source"`
	ImageSHA256  string   `json:"image_sha256"`
	Claim        string   `json:"claim"`
	Label        string   `json:"label"`
}

type rollout struct {
	Version       int                `json:"version"`
	ID            string             `json:"id"`
	Verifiers     map[string]string  `json:"verifiers"`
	Task          dispatched         `json:"task"`
	Agent         map[string]any     `json:"agent"`
	Nodes         []node             `json:"nodes"`
	Calls         []call             `json:"calls"`
	Rewards       map[string]reward  `json:"rewards"`
	Metrics       map[string]float64 `json:"metrics"`
	Info          map[string]any     `json:"info"`
	Completed     bool               `json:"is_completed"`
	OK            bool               `json:"ok"`
	StopCondition string             `json:"stop_condition"`
	Timing        timing             `json:"timing"`
}

type node struct {
	Parent    *int    `json:"parent,omitempty"`
	Message   message `json:"message"`
	Sampled   bool    `json:"sampled"`
	Timestamp float64 `json:"timestamp"`
}

type message struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	Reasoning string `json:"reasoning_content,omitempty"`
}

type call struct {
	Node  int            `json:"node"`
	Model string         `json:"model"`
	Usage map[string]int `json:"usage"`
	Time  span           `json:"time"`
}

type reward struct {
	Score  float64 `json:"score"`
	Weight float64 `json:"weight"`
}

type span struct {
	Start float64 `json:"start"`
	End   float64 `json:"end"`
}

type timing struct {
	Start float64 `json:"start"`
	Agent struct {
		span
		Model struct {
			Duration float64 `json:"duration"`
		} `json:"model"`
	} `json:"agent"`
}

// questions give the messages of a claim again, where the run's prompt is one of
// the built-in ones; of another only its hash is known, and the claim stands
// for itself.
func (r *Run) questions() (func(claim string) (system, user string, err error), error) {
	pay, err := r.Payment()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{verify.PromptDefault, verify.PromptImageFirst} {
		p, err := verify.LoadPrompt(name)
		if err != nil {
			return nil, err
		}
		if p.Hash() == r.Manifest.Prompt.Hash {
			return func(claim string) (string, string, error) { return p.Render(pay, claim) }, nil
		}
	}
	return func(claim string) (string, string, error) { return "", claim, nil }, nil
}

// episode is that of the trace at a place in the journal, from 0.
func (r *Run) episode(at int, asked func(string) (string, string, error)) (*episode, error) {
	t := &r.Traces[at]
	system, user, err := asked(t.Claim)
	if err != nil {
		return nil, err
	}
	task := dispatched{Type: "ClaimTask", Data: taskData{
		Index: at, Name: t.TaskID, Prompt: user, System: system,
		NetworkAllow: []string{"*"}, NetworkBlock: []string{}, Artifacts: []string{},
		TaskID: t.TaskID, Split: t.Split, QuestionID: t.QuestionID, ImageSource: t.ImageSource,
		ImageSHA256: t.Image.SourceSHA256, Claim: t.Claim, Label: t.Label,
	}}
	return &episode{
		ID: derived(r.ID, "episode", t.TaskID), Env: map[string]string{"id": taskset}, Task: task,
		Run: map[string]string{"type": "eval", "id": r.ID, "name": r.Name}, OK: true,
		Traces: []rollout{r.rollout(t, task)},
	}, nil
}

func (r *Run) rollout(t *run.Trace, task dispatched) rollout {
	start := r.started()
	out := rollout{
		Version: 1, ID: derived(r.ID, "trace", t.TaskID), Verifiers: map[string]string{"version": "candor " + r.Manifest.Candor}, Task: task,
		Agent:   map[string]any{"config": map[string]any{"model": r.Manifest.Config.Model}, "name": "agent", "trainable": false},
		Rewards: map[string]reward{"reward": {t.Reward, 1}}, Metrics: metrics(t), Info: map[string]any{"candor": r.info(t)},
		Completed: true, OK: true, StopCondition: "agent_completed",
	}
	said := []message{{Role: "system", Content: task.Data.System}, {Role: "user", Content: task.Data.Prompt}, {Role: "assistant", Content: t.Text, Reasoning: t.Thinking}}
	if task.Data.System == "" {
		said = said[1:]
	}
	for i, m := range said {
		n := node{Message: m, Sampled: m.Role == "assistant", Timestamp: start}
		if i > 0 {
			n.Parent = new(i - 1)
		}
		out.Nodes = append(out.Nodes, n)
	}
	took := span{start, start + t.Durations.Total}
	out.Calls = []call{{
		Node: len(said) - 1, Model: r.Manifest.Config.Model, Time: took,
		Usage: map[string]int{"prompt_tokens": t.PromptTokens, "completion_tokens": t.OutputTokens},
	}}
	out.Timing.Start, out.Timing.Agent.span, out.Timing.Agent.Model.Duration = start, took, t.Durations.Total
	return out
}

// started is when the run was, in seconds since 1970; when each of its tasks
// was is not recorded.
func (r *Run) started() float64 {
	if len(r.Manifest.Sessions) == 0 {
		return 0
	}
	return float64(r.Manifest.Sessions[0].Started.UnixMilli()) / 1000
}

// metrics are the indicators, and the confidences that there are.
func metrics(t *run.Trace) map[string]float64 {
	m := map[string]float64{
		"needed_repair": float64(t.NeededRepair), "answered": float64(t.Answered), "abstained": float64(t.Abstained),
		"malformed": float64(t.Malformed), "correct": float64(t.Correct), "confidence_sum": t.ConfidenceSum, "brier_sum": t.BrierSum,
	}
	if t.Confidence != nil {
		m["confidence"] = *t.Confidence
	}
	for name, c := range t.Confidences {
		m["confidence_"+strings.ReplaceAll(name, ":", "_")] = c
	}
	return m
}

func (r *Run) info(t *run.Trace) map[string]any {
	out := map[string]any{
		"outcome": t.Outcome, "reason": t.Reason, "cached": t.Cached, "attempts": t.Attempts,
		"prompt_hash": r.Manifest.Prompt.Hash, "model_digest": r.Manifest.Model.Digest, "server_version": r.Manifest.Model.ServerVersion,
	}
	if t.Verdict != nil {
		out["verdict"] = *t.Verdict
	}
	return out
}

// derived is an ID of 32 hex digits that is always the same.
func derived(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// evalConfig is the configuration by which the folder, called base, is resumed
// from the folder around it. What it leaves out has verifiers' own defaults,
// but for two that would surprise: nothing is uploaded, and no dashboard drawn.
func (r *Run) evalConfig(base string) map[string]any {
	client := map[string]any{"type": "eval", "api_key_var": "CANDOR_API_KEY"}
	if len(r.Manifest.Endpoints) > 0 {
		client["base_url"] = withoutSecrets(strings.TrimSuffix(r.Manifest.Endpoints[0], "/")) + "/v1"
	}
	return map[string]any{
		"env": map[string]any{"taskset": map[string]any{"id": taskset}},
		"run": map[string]any{"name": r.Name, "dir": base}, "model": r.Manifest.Config.Model, "client": client,
		"sampling": sampling(r.Manifest.Options), "num_rollouts": 1, "push": false, "rich": nil, "output_dir": ".",
	}
}

func sampling(o infer.Options) map[string]any {
	return map[string]any{
		"temperature": o.Temperature, "top_p": o.TopP, "max_tokens": o.NumPredict, "top_k": o.TopK, "min_p": o.MinP,
		"presence_penalty": o.PresencePenalty, "frequency_penalty": o.FrequencyPenalty, "repeat_penalty": o.RepeatPenalty,
	}
}
