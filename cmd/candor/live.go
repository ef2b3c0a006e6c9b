package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

// live keeps a few lines up to date at the bottom of a terminal, while other
// lines pass above them. It is drawn here and not by mpb, which draws Candor's
// downloads: mpb goes up by the lines that it wrote, so that rows which they
// take more in a window made narrower stay behind, and it writes at every
// refresh, changed or not.
//
// It uses no colour and leaves the cursor as it is, at the beginning of the row
// below the lines: however the program ends, the shell's prompt stands well.
// What is shown is written in one piece, at most every redraw, and only if it
// is not what stands there already.
type live struct {
	w    io.Writer
	size func() (columns, rows int)
	show func(columns int) []string // what to show; asked again at every redraw

	mu    sync.Mutex
	drawn []string // what stands on the screen, less what is above
	ended bool

	end  chan struct{}
	over sync.WaitGroup
}

// redraw is the time between two looks at what is to be shown.
const redraw = 300 * time.Millisecond

// newLive shows lines on a terminal until close; show may be called from any
// goroutine, one at a time.
func newLive(w *os.File, show func(columns int) []string) *live {
	l := &live{w: w, show: show, end: make(chan struct{}), size: func() (int, int) {
		columns, rows, err := term.GetSize(int(w.Fd()))
		if err != nil || columns < 1 || rows < 1 {
			return 80, 24
		}
		return columns, rows
	}}
	continued := resumed()
	l.over.Go(func() {
		defer continued.stop()
		tick := time.NewTicker(redraw)
		defer tick.Stop()
		for {
			l.draw("")
			select {
			case <-tick.C:
			case <-continued.c:
				l.forget()
			case <-l.end:
				return
			}
		}
	})
	return l
}

// terminalOf is the terminal that w is, nil if it is none that lines can be
// kept up to date on.
func terminalOf(w io.Writer) *os.File {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		return f
	}
	return nil
}

// say writes a line above those that are kept.
func (l *live) say(line string) { l.draw(printable(line) + "\n") }

// close leaves the last state standing, and writes nothing any more but what is
// said. It may be called again.
func (l *live) close() {
	l.mu.Lock()
	ended := l.ended
	l.mu.Unlock()
	if ended {
		return
	}
	close(l.end)
	l.over.Wait()
	l.draw("")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended, l.drawn = true, nil
}

// forget takes what was drawn for something that others have written over: the
// shell, while the program was stopped.
func (l *live) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drawn = nil
}

// draw brings the screen up to date, with something new above.
func (l *live) draw(above string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		io.WriteString(l.w, above) // progress that cannot be shown is no failure
		return
	}
	columns, rows := l.size()
	lines := l.show(columns)
	if len(lines) > rows-1 {
		lines = lines[:max(0, rows-1)]
	}
	fit := make([]string, len(lines))
	for i, s := range lines {
		fit[i] = shortened(printable(s), columns-1)
	}
	if above == "" && equalLines(fit, l.drawn) {
		return
	}
	var b strings.Builder
	if up := rowsOf(l.drawn, columns); up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", min(up, rows-1))
	}
	b.WriteString("\r\x1b[J" + above)
	for _, s := range fit {
		b.WriteString(s + "\n")
	}
	l.drawn = fit
	io.WriteString(l.w, b.String())
}

func equalLines(a, b []string) bool {
	return len(a) == len(b) && strings.Join(a, "\n") == strings.Join(b, "\n")
}

// rowsOf is how many rows lines take in a window of so many columns, which may
// have become narrower since they were written.
func rowsOf(lines []string, columns int) int {
	n := 0
	for _, s := range lines {
		n += max(1, (runewidth.StringWidth(s)+columns-1)/columns)
	}
	return n
}

// shortened is s in at most so many columns, with an ellipsis where it is cut.
func shortened(s string, columns int) string {
	if columns < 1 {
		return ""
	}
	return runewidth.Truncate(s, columns, "…")
}

// printable is s on one line and without anything that a terminal would obey:
// names and messages come from data and servers.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return '\uFFFD'
		}
		return r
	}, s)
}

// packed puts parts, which belong together but need not stand together, on as
// few lines as so many columns allow.
func packed(parts []string, columns int) []string {
	var lines []string
	width := 0
	for _, p := range parts {
		w := runewidth.StringWidth(p)
		if n := len(lines) - 1; n >= 0 && width+2+w < columns {
			lines[n] += "  " + p
			width += 2 + w
			continue
		}
		lines = append(lines, p)
		width = w
	}
	return lines
}
