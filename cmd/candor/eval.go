package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"candor/harness/publish"
	"candor/harness/report"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/harness/verify"
	"candor/infer"
	"candor/infer/ollama"
)

// evalCmd is candor eval: its flags are run.Config's keys.
type evalCmd struct {
	Model string   `help:"Model, by the server's name for it; the default is embedded, for trying Candor out." default:"${model}" group:"model"`
	Host  []string `help:"Ollama server; repeat for several, or list them with commas. Default: OLLAMA_HOST, else 127.0.0.1:11434." placeholder:"URL" sep:"none" group:"model"`

	Dataset   string   `help:"demo; a file, several by commas, or a folder of them; or a data set on the Hub (see candor help data)." default:"demo" group:"data"`
	Images    string   `help:"Folder of the images." placeholder:"DIR" group:"data"`
	Split     string   `help:"random, popular, adversarial, another of the data set, or all." default:"adversarial" group:"data"`
	Partition string   `help:"eval, train or all; by image." default:"eval" group:"data"`
	EvalIDs   string   `name:"eval-ids" help:"File with the images of the eval partition, one a line." placeholder:"FILE" group:"data"`
	Labels    []string `help:"Score by another label set of the same claims too; may be repeated." placeholder:"NAME=FILE" sep:"none" group:"data"`
	NumTasks  int      `help:"Tasks to sample: at most so many; 0 takes all." default:"100" group:"data"`
	Seed      int64    `help:"Seed of the sample and of every task." default:"0" group:"data"`
	Replicate int      `help:"Draw anew on the same tasks." default:"0" group:"data"`

	Rule          string   `help:"brier or log." default:"brier" group:"task"`
	AbstainReward *float64 `help:"Flat reward of ABSTAIN. Default: .80, for log the payoff of the same threshold." placeholder:"A" group:"task"`
	Prompt        string   `help:"Template file, or the name of a built-in one." placeholder:"FILE" group:"task"`
	Format        string   `help:"schema constrains the answer; none leaves it free, as the published baseline ran." default:"schema" group:"task"`
	Confidence    []string `help:"Sources of confidence: verbal, logprob, consistency:K (K further draws a task). The first is paid and scored, the rest are reported beside it." default:"verbal" placeholder:"SOURCE,…" group:"task"`

	Profile          string   `help:"Named sampling options." default:"qwen3.5-instruct" group:"sampling"`
	Temperature      *float64 `help:"Replaces the profile's." group:"sampling"`
	TopP             *float64 `help:"Replaces the profile's." group:"sampling"`
	TopK             *int     `help:"Replaces the profile's." group:"sampling"`
	MinP             *float64 `help:"Replaces the profile's." group:"sampling"`
	PresencePenalty  *float64 `help:"Replaces the profile's." group:"sampling"`
	FrequencyPenalty *float64 `help:"Replaces the profile's." group:"sampling"`
	RepeatPenalty    *float64 `help:"Replaces the profile's." group:"sampling"`
	RepeatLastN      *int     `help:"Replaces the profile's." group:"sampling"`
	NumPredict       *int     `help:"Most tokens of an answer. Default: 512, with thinking 8192." group:"sampling"`
	Think            *bool    `help:"Replaces the profile's." negatable:"" group:"sampling"`
	NumCtx           *int     `help:"Context in tokens. Default: fitted once to the longest prompt and answer." group:"sampling"`
	NumBatch         *int     `help:"Prompt batch in tokens. Default: what lets the image be reused, where that takes one." group:"sampling"`
	NumThread        *int     `help:"Threads of the engine; 0 leaves it to the server. Default: 0, for ${model} 1." group:"sampling"`

	Parallel      string `help:"Requests in flight at each server, the waiting one included: a number or auto." default:"auto" group:"run"`
	ForceParallel bool   `help:"Allow --parallel on a server whose answers change with it." group:"run"`
	ImagePolicy   string `help:"reference resizes as the model's own processor does; server leaves it to the server." default:"reference" group:"run"`
	Preflight     bool   `help:"Question the server's behaviour first." default:"true" negatable:"" group:"run"`
	Bins          int    `help:"Bins of the ECE." default:"15" group:"run"`
	Bootstrap     int    `help:"Replicates for the intervals; 0 for none." default:"10000" group:"run"`

	Out                string `help:"Directory of a new run. Default: runs/TIME-MODEL-SPLIT." placeholder:"DIR" group:"run"`
	Resume             string `help:"Go on with the run in DIR; other flags default to its own." placeholder:"DIR" group:"run"`
	AcceptServerChange bool   `help:"Resume although the server's version or the model's digest changed." group:"run"`
	Config             string `help:"TOML file of flags by their names." placeholder:"FILE" group:"run"`
	DryRun             bool   `help:"Say what would be asked, and ask nothing." group:"run"`
	JSON               bool   `name:"json" help:"Print the summary as JSON." group:"run"`
}

// Run carries out the run and prints its summary.
func (e *evalCmd) Run(c console, sig *signals) error {
	cfg := e.config()
	if e.Out != "" && e.Resume != "" {
		return &run.UsageError{Err: errors.New("--out starts a run and --resume goes on with one; give one of them")}
	}
	bundled, err := newBundled()
	if err != nil {
		return err
	}
	deps := run.Dependencies{
		Connect: func(host string) (infer.Backend, error) { return ollama.New(host) }, DefaultHosts: ollama.Hosts,
		Hub:     hubAt{c.err},
		Bundled: bundled, Stop: sig.stop, Version: version,
	}
	if e.DryRun {
		return e.dryRun(c, sig, cfg, deps)
	}
	dir, resume := e.Resume, e.Resume != ""
	if !resume {
		dir = e.outDir(time.Now())
	}
	announce(c.err, e.Model, bundled, e.Resume)
	p := newRunView(c.err)
	p.auto, p.name = e.Parallel == run.AutoParallel, e.Model
	deps.Observer, deps.InFlight = p, p.InFlight
	sig.finishFirst(func(text string) { p.say("%s", text) })
	result, err := run.Execute(sig.ctx, cfg, dir, resume, deps)
	p.close()
	if e.worthPrinting(result, err) {
		if printErr := e.print(c.out, result); printErr != nil {
			err = errors.Join(err, printErr)
		}
	}
	if err == nil {
		tellPage(c, result.Dir, func() (string, error) { return publish.Run(sig.ctx, result.Dir, &result.Summary.Summary) })
	}
	return e.conclude(c, result, err)
}

// tellPage writes the page of what has ended, and says where it is. Without one
// the answers and figures are there all the same.
func tellPage(c console, dir string, write func() (string, error)) {
	page, err := write()
	if err != nil {
		fmt.Fprintf(c.err, "candor: no page was written: %v\ncandor: when that is mended: %s report %s\n", err, quoted(c.name), quoted(dir))
		return
	}
	fmt.Fprintf(c.err, "candor: the page is %s\n", page)
}

// worthPrinting: it was summed up, and a person is not shown a report of
// nothing above the reason for it.
func (e *evalCmd) worthPrinting(r run.Result, err error) bool {
	return r.Summary.Rule != "" && (e.JSON || err == nil || r.Summary.N+r.Summary.Errors > 0)
}

func (e *evalCmd) config() run.Config {
	return run.Config{
		Model: e.Model, Hosts: e.Host, Dataset: absoluteData(e.Dataset), Images: absolute(e.Images), Split: e.Split,
		Partition: e.Partition, NumTasks: e.NumTasks, Seed: e.Seed, Replicate: e.Replicate, EvalIDs: absolute(e.EvalIDs), Labels: absoluteLabels(e.Labels),
		Rule: e.Rule, Abstain: e.AbstainReward, Prompt: absolute(e.Prompt, verify.PromptDefault, verify.PromptImageFirst), Format: e.Format, Profile: e.Profile,
		Sampling: run.Sampling{
			Temperature: e.Temperature, TopP: e.TopP, TopK: e.TopK, MinP: e.MinP, PresencePenalty: e.PresencePenalty,
			FrequencyPenalty: e.FrequencyPenalty, RepeatPenalty: e.RepeatPenalty, RepeatLastN: e.RepeatLastN,
			NumPredict: e.NumPredict, NumCtx: e.NumCtx, NumBatch: e.NumBatch, Think: e.Think,
		},
		NumThread: threads(e.Model, e.NumThread), Parallel: e.Parallel, Force: e.ForceParallel, ImagePolicy: e.ImagePolicy,
		Confidence: e.Confidence, Bins: e.Bins, Bootstrap: e.Bootstrap, Preflight: e.Preflight, AcceptServer: e.AcceptServerChange,
	}
}

func (e *evalCmd) outDir(now time.Time) string {
	if e.Out != "" {
		return e.Out
	}
	plain := strings.NewReplacer("/", "-", ":", "-", "\\", "-")
	return filepath.Join("runs", now.UTC().Format("20060102-150405")+"-"+plain.Replace(e.Model)+"-"+plain.Replace(e.Split))
}

func (e *evalCmd) print(w io.Writer, r run.Result) error {
	if e.JSON {
		return printJSON(w, r.Summary)
	}
	var reasons map[string]int
	var err error
	if r.Summary.Malformed > 0 {
		var a *stored.Answers
		if a, err = stored.Read(r.Dir); err == nil {
			reasons = a.Reasons()
		}
	}
	return errors.Join(report.Run(w, r, reasons), err)
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// conclude says how to go on with a run that is not finished.
func (e *evalCmd) conclude(c console, r run.Result, err error) error {
	again := fmt.Sprintf("%s eval --resume %s", quoted(c.name), quoted(r.Dir))
	switch {
	case r.Dir == "":
		return err
	case errors.Is(err, run.ErrInterrupted):
		fmt.Fprintf(c.err, "candor: interrupted; nothing recorded is lost. Go on with: %s\n", again)
		return exitStatus(exitInterrupted)
	case err != nil:
		fmt.Fprintf(c.err, "candor: %v\ncandor: nothing recorded is lost. When that is mended: %s\n", err, again)
		if errors.As(err, new(*run.UsageError)) {
			return exitStatus(exitUsage)
		}
		return exitStatus(exitFailed)
	case r.Summary.Errors > 0:
		fmt.Fprintf(c.err, "candor: %s ended in error (see %s). To ask again: %s\n",
			report.Count(r.Summary.Errors, "task"), filepath.Join(r.Dir, run.ErrorsFile), again)
		return exitStatus(exitErrors)
	}
	return nil
}

// quoted is a word as a shell takes it.
func quoted(word string) string {
	if strings.ContainsAny(word, " \t\n'\"\\$`!*?[](){}<>|&;~#") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
