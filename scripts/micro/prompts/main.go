// Command prompts shows the exact messages a model is asked with, so that a
// model can be trained on them: the words come from package verify alone.
//
// Without flags it prints one JSON array for a vocabulary to be made from: the
// prompt of every layout under every scoring rule, each with two claims and
// two payoffs, and the kinds of object the scenes show.
// With -layout it prints the one prompt asked for.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"

	"candor/harness/claim/scene"
	"candor/harness/verify"
	"candor/scoring"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "prompts:", err)
		}
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("prompts", flag.ContinueOnError)
	layout := flags.String("layout", "", "prompt `layout`: default or image-first; all of them when empty")
	rule := flags.String("rule", "brier", "scoring `rule`: brier or log")
	payoff := flags.String("payoff", "", "`reward` of abstaining; the rule's default when empty")
	claim := flags.String("claim", "There is a cat in the image.", "the claim's `text`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *layout == "" {
		every, err := everyPrompt()
		if err != nil {
			return err
		}
		return print(out, map[string]any{"prompts": every, "kinds": scene.Kinds()})
	}
	one, err := ask(*layout, *rule, *payoff, *claim)
	if err != nil {
		return err
	}
	return print(out, one)
}

// message is a prompt and what it was made for.
type message struct {
	Layout  string `json:"layout"`
	Rule    string `json:"rule"`
	Abstain string `json:"abstain"`
	Claim   string `json:"claim"`
	System  string `json:"system"`
	User    string `json:"user"`
}

func everyPrompt() ([]message, error) {
	var all []message
	for _, layout := range []string{verify.PromptDefault, verify.PromptImageFirst} {
		for _, rule := range []string{"brier", "log"} {
			// What differs between the two is no part of the prompt's fixed words.
			for _, of := range [][2]string{{"0.96", "There is a cat in the image."}, {"0.95", "Two dogs sleep."}} {
				m, err := ask(layout, rule, of[0], of[1])
				if err != nil {
					return nil, err
				}
				all = append(all, m)
			}
		}
	}
	return all, nil
}

func ask(layout, rule, payoff, claim string) (message, error) {
	pay, err := payment(rule, payoff)
	if err != nil {
		return message{}, err
	}
	prompt, err := verify.LoadPrompt(layout)
	if err != nil {
		return message{}, err
	}
	system, user, err := prompt.Render(pay, claim)
	return message{
		Layout: layout, Rule: rule, Abstain: strconv.FormatFloat(pay.Abstain, 'g', -1, 64),
		Claim: claim, System: system, User: user,
	}, err
}

func payment(rule, payoff string) (scoring.Payment, error) {
	rules := map[string]scoring.Rule{"brier": scoring.Brier{}, "log": scoring.Log{}}
	r, ok := rules[rule]
	if !ok {
		return scoring.Payment{}, fmt.Errorf("unknown rule %q: have brier and log", rule)
	}
	if payoff == "" {
		return scoring.NewPayment(r, nil)
	}
	a, err := strconv.ParseFloat(payoff, 64)
	if err != nil {
		return scoring.Payment{}, fmt.Errorf("payoff %q is no number", payoff)
	}
	return scoring.NewPayment(r, &a)
}

func print(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(v)
}
