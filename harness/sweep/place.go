package sweep

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// place is where something stands in a file, from 1.
type place struct{ row, column int }

// hyphens is a key as flags are written.
func hyphens(key string) string { return strings.ReplaceAll(key, "_", "-") }

// locator notes where keys and the values of lists stand: a key under its
// tables' names with dots between, a list's values under its key and their
// number.
type locator struct {
	unstable.Parser
	at map[string]place
}

// locate reads a text that is known to parse.
func locate(text []byte) (map[string]place, error) {
	l := locator{at: map[string]place{}}
	l.Reset(text)
	table, seen := "", map[string]int{}
	for l.NextExpression() {
		e := l.Expression()
		path := l.key(e, table)
		switch e.Kind {
		case unstable.Table:
			table = path
		case unstable.ArrayTable:
			table = fmt.Sprintf("%s.%d", path, seen[path])
			l.at[table] = l.at[path]
			seen[path]++
		}
	}
	return l.at, l.Error()
}

// key notes an expression's key and what is in its value, and returns its whole
// path.
func (l *locator) key(e *unstable.Node, table string) string {
	var names []string
	var at place
	for it := e.Key(); it.Next(); {
		n := it.Node()
		if len(names) == 0 {
			at = l.start(n)
		}
		names = append(names, hyphens(string(n.Data)))
	}
	path := strings.Join(names, ".")
	if e.Kind == unstable.KeyValue && table != "" {
		path = table + "." + path
	}
	l.at[path] = at
	if e.Kind == unstable.KeyValue {
		l.value(e.Value(), path)
	}
	return path
}

func (l *locator) value(v *unstable.Node, path string) {
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			l.key(it.Node(), path)
		}
	case unstable.Array:
		i := 0
		for it := v.Children(); it.Next(); {
			at := fmt.Sprintf("%s.%d", path, i)
			l.at[at] = l.start(it.Node())
			l.value(it.Node(), at)
			i++
		}
	}
}

func (l *locator) start(n *unstable.Node) place {
	if n.Raw.Length == 0 { // a list in a list, which begins before its first value
		for it := n.Children(); it.Next(); {
			return l.start(it.Node())
		}
		return place{}
	}
	s := l.Shape(n.Raw).Start
	return place{s.Line, s.Column}
}
