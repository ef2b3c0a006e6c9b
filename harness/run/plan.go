package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"candor/harness/claim"
	"candor/harness/regular"
	"candor/harness/verify"
	"candor/imageproc"
	"candor/infer"
	"candor/infer/preflight"
	"candor/scoring"
)

// Task is one claim put to one model under one profile, with its own seed. It
// is self-contained: whoever holds the plan's options and the image can ask it.
type Task struct {
	claim.Claim
	Seed   int32
	System string
	User   string
}

// Plan is a run before it starts: what will be asked, and under what.
type Plan struct {
	Config   Config
	Payment  scoring.Payment
	Options  infer.Options
	Prompt   verify.Prompt
	Dataset  string // the set's own name
	Revision string // of the set's files
	Tasks    []Task // in the order of asking: grouped by image
	// ImageTokens is the largest image's cost; 0 for a model whose image
	// processor is not known.
	ImageTokens int
	Blind       Blind // what can be had without the images
	Warnings    []scoring.Warning
	Images      int // distinct
	// Model is what is known of the model, and Lacking the servers at which it
	// would have to be registered: of a dry run only.
	Model   infer.Identity
	Lacking []Lack

	files                       []claim.File // of the data set
	labels                      []claim.LabelSet
	keptLabels                  []keptLabels // of a finished run, whose files are gone
	system                      string
	images                      *imageStore
	typicalWidth, typicalHeight int
}

// NewPlan checks the configuration, reads the data, fetched by load where they
// are not here, and lays out the tasks. It asks no server and decodes no image.
func NewPlan(ctx context.Context, cfg Config, load claim.Loader) (*Plan, error) {
	p, err := newPlan(ctx, cfg, load, nil, earlierLabels{})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// newPlan returns, beside an error of what comes after the data were read, a
// plan that tells what they are and no more.
func newPlan(ctx context.Context, cfg Config, load claim.Loader, shared *Shared, earlier earlierLabels) (*Plan, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	p := &Plan{Config: cfg}
	var err error
	if p.Payment, err = cfg.Payment(); err != nil {
		return nil, err
	}
	if p.Options, err = cfg.Options(); err != nil {
		return nil, err
	}
	if p.Prompt, err = cfg.prompt(); err != nil {
		return nil, err
	}
	load.Images = cfg.Images
	set, err := shared.load(ctx, load, cfg.Dataset)
	if err != nil {
		return nil, err
	}
	p.Dataset, p.Revision, p.files = set.Name, set.Revision, set.Files
	if err := p.readLabels(set, earlier); err != nil {
		return p, err
	}
	claims, err := p.choose(set)
	if err != nil {
		return p, err
	}
	if err := p.layOut(claims, set.Images); err != nil {
		return p, err
	}
	p.images.set, p.images.shared = set, shared
	return p, nil
}

func (p *Plan) choose(set *claim.Set) ([]claim.Claim, error) {
	sel := claim.Selection{Partition: claim.Partition(p.Config.Partition), NumTasks: p.Config.NumTasks, Seed: p.Config.Seed}
	if p.Config.Split != "all" {
		sel.Splits = []string{p.Config.Split}
	}
	if p.Config.EvalIDs != "" {
		f, err := regular.Open(p.Config.EvalIDs)
		if err != nil {
			return nil, blamed("eval-ids", err)
		}
		defer f.Close()
		if sel.EvalIDs, err = claim.ReadEvalIDs(f); err != nil {
			return nil, blamed("eval-ids", fmt.Errorf("%s: %w", p.Config.EvalIDs, err))
		}
	}
	claims, err := claim.Select(set, sel)
	if err != nil {
		return nil, blamed("split", err)
	}
	if len(claims) == 0 {
		return nil, usagef("no claims: %s has none in split %s, partition %s", set.Name, p.Config.Split, p.Config.Partition)
	}
	if p.Blind, err = newBlind(set, sel, claims); err != nil {
		return nil, err
	}
	if n := p.Config.NumTasks; n > len(claims) {
		p.warn("fewer_tasks", "--num-tasks is %d, and the selection has %d: all of them are asked", n, len(claims))
	}
	return claims, nil
}

func (p *Plan) warn(code, format string, args ...any) {
	p.Warnings = append(p.Warnings, scoring.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

// layOut makes a task of every claim, refusing those that would smuggle
// control into the prompt.
func (p *Plan) layOut(claims []claim.Claim, images claim.Images) error {
	var bad []string
	for _, c := range claims {
		if err := verify.CheckClaim(c.Text); err != nil {
			bad = append(bad, fmt.Sprintf("claim %s: %v", c.ID, err))
			continue
		}
		system, user, err := p.Prompt.Render(p.Payment, c.Text)
		if err != nil {
			return blamed("prompt", fmt.Errorf("prompt: %w", err))
		}
		if system == p.system {
			system = p.system // one text in memory, however many tasks
		}
		seed := claim.SamplingSeed(p.Config.Seed, p.Config.Replicate, 0, c.Split, c.QuestionID)
		p.Tasks = append(p.Tasks, Task{Claim: c, Seed: seed, System: system, User: user})
		p.system = system
	}
	if len(bad) > 0 {
		return fmt.Errorf("%d claims cannot be asked:\n  %s", len(bad), strings.Join(firstOf(bad, mostListed), "\n  "))
	}
	p.images = newImageStore(images, claims)
	p.Images = len(p.images.names)
	return nil
}

// prepare decodes every image of the plan once, so that a bad one is named
// before a request is sent, and fits the load-time options to what it finds.
func (p *Plan) prepare(ctx context.Context, id infer.Identity, o Observer) error {
	f, known := family(id)
	policy := imageproc.Policy(p.Config.ImagePolicy)
	if !known {
		policy = imageproc.PolicyServer
		p.warn("unknown_family", "the image processor of architecture %q is not known: images are left to the server and their tokens are not checked", id.Architecture)
	}
	if err := p.images.verify(ctx, f, policy, o); err != nil {
		return err
	}
	if known {
		p.ImageTokens = p.images.mostTokens()
	}
	if _, isDemo, _ := claim.DemoSeed(p.Config.Dataset); id.Embedded && !isDemo {
		p.warn("drawn_scenes_only", "%s knows only scenes like those of --dataset demo: its figures on other data say nothing, neither of it nor of real models", id.Model)
	}
	if digest(id) == "" && id.ServerVersion != "" { // without a version there was no server
		p.warn("no_digest", "the server tells no digest of %s: that the model is another one later, on resume or in a comparison, cannot be noticed", id.Model)
	}
	p.typicalWidth, p.typicalHeight = p.images.typicalSize()
	p.fit(id)
	if id.TrainedContext > 0 && p.Options.NumCtx > id.TrainedContext {
		return usagef("the longest prompt and answer may take %d tokens, but %s was made for %d; lower --num-predict or --num-ctx", p.Options.NumCtx, id.Model, id.TrainedContext)
	}
	return nil
}

// fit sets num_ctx and num_batch where the user left them open.
//
// num_ctx holds the longest prompt and the longest answer. The tokens of a
// text are not known here, but are never more than its bytes.
//
// num_batch is what lets the engine keep an image for the next claim about it,
// where nothing stands before the image.
func (p *Plan) fit(id infer.Identity) {
	if p.Options.NumCtx == 0 {
		text := 0
		for _, t := range p.Tasks {
			text = max(text, len(t.System)+len(t.User))
		}
		const template, step, least = 64, 1024, 2048
		image := p.ImageTokens
		if image == 0 {
			image = 4096 // more than any known processor makes of one image
		}
		need := text + template + image + p.Options.NumPredict
		p.Options.NumCtx = max(least, (need+step-1)/step*step)
		if id.TrainedContext >= need { // rounding must not ask for more than there is
			p.Options.NumCtx = min(p.Options.NumCtx, id.TrainedContext)
		}
	}
	if p.Options.NumBatch == 0 && p.system == "" {
		p.Options.NumBatch = infer.PrefixBatch(id.Architecture, p.fewestTokens(id))
	}
}

// fewestTokens is the smallest image's cost; without images, that of those that
// the preflight draws.
func (p *Plan) fewestTokens(id infer.Identity) int {
	if p.images != nil {
		return p.images.fewestTokens()
	}
	f, _ := family(id)
	return f.Tokens(preflight.Width, preflight.Height)
}

// essence is what a run's answers depend on: everything that may not change
// between a run and its resumption.
func (p *Plan) essence(id infer.Identity) map[string]string {
	options, _ := json.Marshal(p.Options)
	return map[string]string{
		"tasks": p.fingerprint(), "model": p.Config.Model, "image_policy": p.Config.ImagePolicy,
		"prompt": p.Prompt.Hash(), "format": p.Config.Format, "options": string(options),
		"seed": fmt.Sprint(p.Config.Seed), "replicate": fmt.Sprint(p.Config.Replicate),
		"confidence": strings.Join(p.Config.Confidence, ","),
		"rule":       p.Payment.Rule.Name(), "abstain_reward": fmt.Sprint(p.Payment.Abstain),
		"model_digest": digest(id), "server_version": id.ServerVersion,
	}
}

// fingerprint is the hash of the tasks: claims, labels, seeds and the bytes of
// the images.
func (p *Plan) fingerprint() string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, t := range p.Tasks {
		// Encoding strings into a hash cannot fail.
		_ = enc.Encode([]string{t.ID, t.ImageSource, t.Text, string(t.Label), fmt.Sprint(t.Seed), p.images.sourceHash(t.ImageSource)})
	}
	return hex.EncodeToString(h.Sum(nil))
}

func hashOf(essence map[string]string) string {
	b, _ := json.Marshal(essence) // sorted keys
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// mostListed is how many bad items a message names.
const mostListed = 100

func firstOf(s []string, n int) []string {
	if len(s) <= n {
		return s
	}
	return append(s[:n:n], fmt.Sprintf("… and %d more", len(s)-n))
}
