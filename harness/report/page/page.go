// Package page writes a report as one HTML file that needs nothing beside it:
// style, script, figures and pictures are inside, and its content policy
// forbids the browser to fetch or run anything else. All that comes from a run
// (claims, replies, names) is text that others wrote, and is escaped as such.
// The same dossiers give the same bytes.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"candor/harness/dossier"
	"candor/harness/lens/play"
	"candor/harness/report"
	"candor/harness/report/figure"
	"candor/harness/stored"
)

var (
	//go:embed page.html
	pageSource string
	//go:embed run.html
	runSource string
	//go:embed compare.html
	compareSource string
	//go:embed sweep.html
	sweepSource string
	//go:embed lens.html
	lensSource string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Write writes the report of one run, or of several with a table of all.
func Write(w io.Writer, all []*dossier.Dossier) error {
	v := view{Head: head("Candor report")}
	for i, d := range all {
		v.Runs = append(v.Runs, runView{Dossier: d, Number: i + 1, Several: len(all) > 1, About: about(d), Facts: facts(d), Findings: findings(d)})
	}
	v.Differ = differing(all)
	return render(w, "page", v)
}

type view struct {
	Head
	Runs   []runView
	Differ []string
}

type runView struct {
	*dossier.Dossier
	Number   int
	Several  bool
	About    string
	Facts    []fact
	Findings []fact
}

// Head is what every page begins with.
type Head struct {
	Title  string
	Style  template.CSS
	Script template.JS
	Policy string
}

// head allows the one script by its hash.
func head(title string) Head {
	sum := sha256.Sum256([]byte(script))
	return Head{Title: title, Style: template.CSS(style), Script: template.JS(script),
		Policy: "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"}
}

func render(w io.Writer, name string, v any) error {
	t, err := template.New("").Funcs(template.FuncMap{
		"number": number, "interval": report.Interval, "figures": report.Figures, "cell": cell, "tile": tile,
		"earned": earned, "lost": lost, "table": table, "side": side, "signed": signed, "bounds": bounds, "low": low, "chance": chance,
		"pmeaning": func(several bool) string { return strings.Join(report.MeaningOfP(several), " ") },
		"inline":   inline, "jpeg": jpeg, "cut": cut, "visible": visible,
		"breakable": breakable, "points": points, "within": within, "pictured": pictured, "span": span, "steps": func(s []play.Step) string { return report.Count(len(s), "step") }, "metric": dossier.MetricName,
	}).Parse(pageSource + runSource + compareSource + sweepSource + lensSource)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, v); err != nil {
		return err
	}
	// What names of objects, splits, files or models hold is seen too.
	_, err = io.WriteString(w, visible(b.String()))
	return err
}

func number(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.4f", *x)
}

// inline may stand in the page as it is: package figure escapes what it writes.
func inline(f figure.Figure) template.HTML { return template.HTML(f.Inline()) }

func jpeg(b []byte) template.URL {
	return template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(b))
}

// cut keeps a text of any length readable, and the page small.
func cut(text string) string {
	const most = 1500
	n := 0
	for at := range text {
		if n == most {
			return fmt.Sprintf("%s … (%d more characters)", visible(text[:at]), utf8.RuneCountInString(text[at:]))
		}
		n++
	}
	return visible(text)
}

// visible is a text of which everything can be seen: what a browser drops,
// breaks a line at or turns the direction by stands as its code.
func visible(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '\n' || r == '\t' || r == ' ':
			b.WriteRune(r)
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200D', r == '\u2028', r == '\u2029':
			fmt.Fprintf(&b, "\\u%04X", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// differing names the conditions in which runs differ from the first.
func differing(all []*dossier.Dossier) []string {
	var out []string
	for _, d := range all[min(1, len(all)):] {
		if d.Run == nil || all[0].Run == nil {
			continue
		}
		names := stored.Differing(&stored.Answers{Run: all[0].Run}, &stored.Answers{Run: d.Run})
		if len(names) > 0 {
			out = append(out, fmt.Sprintf("%s differs from %s in: %s", d.Name, all[0].Name, strings.Join(names, ", ")))
		}
	}
	return out
}
