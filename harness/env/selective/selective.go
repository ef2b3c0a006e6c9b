// Package selective is the task of Candor's runs as an environment that any
// OpenEnv trainer can play: say whether a claim about an image is true, how
// sure you are, or abstain.
//
// [Open] reads a data set and lays out its tasks; sessions of [Tasks.New]
// share them. What an answer earns is computed by the same code as in a run:
// package verify reads it, a strictly proper scoring rule pays it. What cannot
// be read is an answer of the model's, too, and is paid 0; it is never refused.
//
// The label reaches nobody before the answer. The observation therefore lacks
// what a data set calls its questions: POPE's question IDs are odd where the
// label is yes, and even where it is no. Metadata tells them, after the step.
package selective

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"candor/harness/claim"
	"candor/harness/openenv"
	"candor/harness/regular"
	"candor/harness/verify"
	"candor/imageproc"
	"candor/scoring"
)

// Config is what an environment is made of. Its fields are those of a run of
// the same names.
type Config struct {
	Dataset   string          // a data set as candor eval takes it
	Images    string          // folder of its images, "" for none
	Split     string          // "all", or one of the set's
	Partition claim.Partition // Eval is for measuring, never for training
	EvalIDs   string          // file with the images of the eval partition, "" for the usual rule
	Rule      string          // "brier" or "log"
	Abstain   *float64        // the payoff; nil is the rule's default
	Prompt    string          // a built-in prompt or a file, "" for the default
	// ClaimsPerEpisode is how many claims about one image an episode asks, one
	// after another. Of an image that has fewer it asks those.
	ClaimsPerEpisode int
	// Family and ImagePolicy say how images are prepared.
	Family      string
	ImagePolicy imageproc.Policy
	// Limits bound what is kept of the prepared images.
	Limits imageproc.Limits
	// URL is where the server that serves the images is reached, such as
	// "http://127.0.0.1:8000". Observations then name an image by its whole URL;
	// with "" by its path on the server.
	URL string
	// Random gives fresh seeds and episode IDs; nil is the system's.
	Random io.Reader
}

// DefaultConfig trains on the demo set, one claim an episode, under what
// candor eval asks and pays.
func DefaultConfig() Config {
	return Config{
		Dataset: "demo", Split: "adversarial", Partition: claim.Train, Rule: "brier", ClaimsPerEpisode: 1,
		Family: "qwen3.5", ImagePolicy: imageproc.PolicyReference, Limits: imageproc.DefaultLimits(),
	}
}

// Tasks are those of a configuration, laid out once. They are safe for
// concurrent use, and read-only but for the images, which are prepared when
// they are first asked for.
type Tasks struct {
	random    io.Reader
	url       string
	partition claim.Partition
	dataset   string
	payment   scoring.Payment
	prompt    verify.Prompt
	perImage  int
	episodes  []episode
	claims    int
	pictures  *pictures
}

// Open loads the data set and lays out its tasks. A claim or an image that
// could not be asked about, or a payoff that could never be right, is an error
// here; of the images only the first is looked at.
func Open(ctx context.Context, cfg Config, loader claim.Loader) (*Tasks, error) {
	if cfg.ClaimsPerEpisode < 1 {
		return nil, fmt.Errorf("%d claims per episode: it must be 1 or more", cfg.ClaimsPerEpisode)
	}
	t := &Tasks{random: cfg.Random, url: strings.TrimSuffix(cfg.URL, "/"), partition: cfg.Partition, perImage: cfg.ClaimsPerEpisode}
	if t.random == nil {
		t.random = crand.Reader
	}
	if err := t.agree(cfg); err != nil {
		return nil, err
	}
	preparer, err := cfg.preparer()
	if err != nil {
		return nil, err
	}
	loader.Images = cfg.Images
	set, err := loader.Load(ctx, cfg.Dataset)
	if err != nil {
		return nil, err
	}
	if err := t.layOut(set, cfg); err != nil {
		return nil, err
	}
	t.pictures = newPictures(set.Images, preparer, cfg.Limits)
	if err := t.look(ctx, set.Images); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// agree settles what is asked and paid.
func (t *Tasks) agree(cfg Config) error {
	rule, err := scoring.ParseRule(cfg.Rule)
	if err != nil {
		return err
	}
	if t.payment, err = scoring.NewPayment(rule, cfg.Abstain); err != nil {
		return err
	}
	t.prompt = verify.DefaultPrompt()
	if cfg.Prompt != "" {
		t.prompt, err = verify.LoadPrompt(cfg.Prompt)
	}
	return err
}

func (c Config) preparer() (*imageproc.Preparer, error) {
	family, err := imageproc.FamilyByName(c.Family)
	if err != nil {
		return nil, err
	}
	return imageproc.NewPreparer(family, c.ImagePolicy)
}

// layOut chooses the claims and makes episodes of them.
func (t *Tasks) layOut(set *claim.Set, cfg Config) error {
	selection := claim.Selection{Partition: cfg.Partition}
	if cfg.Partition == "" {
		return errors.New("no partition was named: it is train, eval or all")
	}
	if cfg.Split != "" && cfg.Split != "all" {
		selection.Splits = []string{cfg.Split}
	}
	if cfg.EvalIDs != "" {
		f, err := regular.Open(cfg.EvalIDs)
		if err != nil {
			return err
		}
		defer f.Close()
		if selection.EvalIDs, err = claim.ReadEvalIDs(f); err != nil {
			return fmt.Errorf("%s: %w", cfg.EvalIDs, err)
		}
	}
	claims, err := claim.Select(set, selection)
	if err != nil {
		return err
	}
	for _, c := range claims {
		if _, _, err := t.prompt.Render(t.payment, c.Text); err != nil {
			return fmt.Errorf("claim %s cannot be asked: %w", c.ID, err)
		}
	}
	t.dataset = set.Name
	t.episodes = arrange(claims, cfg.ClaimsPerEpisode)
	for _, e := range t.episodes {
		t.claims += len(e.claims)
	}
	return nil
}

// look finds what is wrong with all images before anybody plays: none given,
// a wrong folder, or several under one name.
func (t *Tasks) look(ctx context.Context, images claim.Images) error {
	if images == nil {
		return claim.ErrNoImages
	}
	var names []string
	seen := map[string]bool{}
	for _, e := range t.episodes {
		if !seen[e.image] {
			seen[e.image] = true
			names = append(names, e.image)
		}
	}
	if err := claim.CheckImages(ctx, images, names); err != nil {
		return err
	}
	_, err := t.pictures.get(ctx, t.episodes[0].image)
	return t.episodes[0].needs(err)
}

// Close gives back what the images take on disk. Sessions must have ended.
func (t *Tasks) Close() error { return t.pictures.close() }

// Episodes is the number of different episodes: the seeds from 0 to below it
// give each of them once.
func (t *Tasks) Episodes() int { return len(t.episodes) }

// Claims is the number of claims in all episodes.
func (t *Tasks) Claims() int { return t.claims }

// Payment is what answers are paid by.
func (t *Tasks) Payment() scoring.Payment { return t.payment }

// New begins a session.
func (t *Tasks) New() *Environment { return &Environment{tasks: t} }

// Spec is the environment, ready to be served or played. Its route gives the
// images that observations name.
func (t *Tasks) Spec() openenv.Spec {
	return openenv.Spec{
		Name: "selective",
		Description: "Is a claim about an image true, and how sure are you? A strictly proper scoring rule " +
			"pays the stated confidence, and a flat payoff abstaining.",
		Version: "1.0.0",
		Schemas: schemas(),
		Action:  checkAction,
		Routes:  map[string]http.Handler{picturesPath: t.pictures},
		New:     func(context.Context) (openenv.Environment, error) { return t.New(), nil },
	}
}
