package compat

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"candor/harness/lens/pyjson"
)

// width is that of a terminal that does not tell it, as rich has it.
const width = 80

// Print is print_report() where rich is installed and no terminal is there to
// colour.
func (r Report) Print(w io.Writer) error {
	p := &printer{}
	p.line("")
	p.line(centred(" LearnLens Evaluation Report ", width))
	p.wrapped("Environment: " + r.EnvURL)
	p.wrapped(fmt.Sprintf("Episodes:    %d", r.Episodes))
	p.wrapped("Probes:      " + strings.Join(r.ProbesRun, ", "))
	p.wrapped("Timestamp:   " + r.Timestamp)
	p.line("")
	r.table(p)
	p.line("╭" + centred(" Verdict ", width-2) + "╮")
	for _, line := range wrap(r.Verdict(), width-4) {
		p.line("│ " + pad(line, width-4) + " │")
	}
	p.line("╰" + strings.Repeat("─", width-2) + "╯")
	p.line("")
	_, err := io.WriteString(w, p.text.String())
	return err
}

// table has columns of 22, 6, 12 and 22 characters.
func (r Report) table(p *printer) {
	blank := strings.Repeat(" ", 75)
	score := func(name string, v float64, notes ...string) {
		for i, note := range notes {
			if i > 0 {
				p.line(row("", "", "", note))
				continue
			}
			p.line(row(name, pyjson.Fixed(v, 2), bar(pyjson.Round(v*10, 0)), note))
		}
	}
	hack, reasoning := "Within tolerance", "CoT quality"
	if r.HackFlagged {
		hack = "FLAGGED"
	}
	if !r.ran(Reasoning) {
		reasoning = "N/A (disabled)"
	}
	p.line(blank)
	p.line(fmt.Sprintf("  %-22s   %6s   %-12s   %-22s  ", "Metric", "Score", "Visual", "Notes"))
	p.line(" " + strings.Repeat("━", 73) + " ")
	score("Standard Reward", r.MeanReward, "+/- "+pyjson.Fixed(r.RewardStd, 2)+" std")
	p.line(blank)
	score("Generalization", r.Generalization, "Cross-variant", "consistency")
	score("Consistency", r.Consistency, "Same state -> same", "action")
	score("Hack Index", r.HackIndex, hack)
	score("Reasoning Quality", r.Reasoning, reasoning)
	p.line(blank)
	score("  Raw Learning", r.RawLearning, "sqrt(G x C)")
	score("  Trust Coeff", r.Trust, "1 - sqrt(H)")
	p.line(blank)
	score("LQS (Learning)", r.LQS, "Primary metric")
	p.line(blank)
}

func row(name, score, visual, note string) string {
	score = cut(score, 6)
	score = strings.Repeat(" ", 6-utf8.RuneCountInString(score)) + score
	return "  " + pad(name, 22) + "   " + score + "   " + pad(cut(visual, 12), 12) + "   " + pad(cut(note, 22), 22) + "  "
}

// PrintPlain is print_report() where rich is not installed.
func (r Report) PrintPlain(w io.Writer) error {
	p := &printer{}
	thick, thin := strings.Repeat("=", 48), strings.Repeat("-", 48)
	score := func(name string, v float64, after string) {
		p.line("  " + name + " : " + pyjson.Fixed(v, 2) + "  " + bar(math.Trunc(v*10)) + after)
	}
	flag := ""
	if r.HackFlagged {
		flag = "  FLAGGED"
	}
	p.line(thick, "  LearnLens Evaluation Report", thick)
	p.line("  Environment : " + r.EnvURL)
	p.line(fmt.Sprintf("  Episodes    : %d", r.Episodes))
	p.line("  Probes run  : " + strings.Join(r.ProbesRun, ", "))
	p.line(thin)
	score("Standard Reward ", r.MeanReward, "")
	p.line(thin)
	score("Generalization  ", r.Generalization, "")
	score("Consistency     ", r.Consistency, "")
	score("Hack Index      ", r.HackIndex, flag)
	score("Reasoning       ", r.Reasoning, "")
	p.line(thin)
	score("LQS (Learning)  ", r.LQS, "")
	p.line(thick, "  Verdict: "+r.Verdict(), thick)
	_, err := io.WriteString(w, p.text.String())
	return err
}

// maxBar keeps a reward of billions from filling the disk.
const maxBar = 10_000

// bar is filled full cells, and empty ones up to ten; what lies outside of
// [0, 1] breaks it, as published.
func bar(filled float64) string {
	n := int(max(-maxBar, min(maxBar, filled)))
	return strings.Repeat("█", max(0, n)) + strings.Repeat("░", max(0, 10-n))
}

type printer struct{ text strings.Builder }

func (p *printer) line(lines ...string) {
	for _, l := range lines {
		p.text.WriteString(l + "\n")
	}
}

func (p *printer) wrapped(text string) { p.line(wrap(text, width)...) }

// centred puts a title into a rule.
func centred(title string, width int) string {
	rest := width - utf8.RuneCountInString(title)
	return strings.Repeat("─", rest/2) + title + strings.Repeat("─", rest-rest/2)
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// cut ends with an ellipsis what is too long.
func cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}

// wrap breaks between words, which keep the blanks behind them, and breaks a
// word that fits on no line wherever a line is full.
func wrap(text string, width int) (lines []string) {
	var line []rune
	for _, word := range words(text) {
		bare := len([]rune(strings.TrimRight(word, " ")))
		switch {
		case len(line)+bare <= width:
		case bare <= width:
			lines, line = append(lines, string(line)), nil
		default:
			if len(line) > 0 {
				lines, line = append(lines, string(line)), nil
			}
			for runes := []rune(word); len(runes) > width; runes = []rune(word) {
				lines, word = append(lines, string(runes[:width])), string(runes[width:])
			}
		}
		line = append(line, []rune(word)...)
	}
	return append(lines, string(line))
}

// words splits text into words, each with the blanks behind it.
func words(text string) (out []string) {
	start := 0
	for i := 1; i < len(text); i++ {
		if text[i] != ' ' && text[i-1] == ' ' {
			out, start = append(out, text[start:i]), i
		}
	}
	return append(out, text[start:])
}
