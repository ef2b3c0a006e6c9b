package play

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"candor/harness/regular"
)

// Header is the first line of a journal: what was measured, and how. A journal
// is only continued by what has the same header, but for Started.
type Header struct {
	Kind        string          `json:"kind"` // "lens"
	Format      int             `json:"format"`
	Environment string          `json:"environment"`
	Agent       string          `json:"agent"`
	Judge       string          `json:"judge"` // "" for none
	Compat      string          `json:"compat"`
	Episodes    int             `json:"episodes"`
	Started     string          `json:"started"`
	Config      json.RawMessage `json:"config"` // of the measurement, its own business
}

// Format is that of journals written now.
const Format = 1

// line is one of a journal after the header.
type line struct {
	Episode *Episode `json:"episode,omitempty"`
	Answer  *Answer  `json:"answer,omitempty"`
	Opinion *Opinion `json:"opinion,omitempty"`
}

func (l line) key() string {
	switch {
	case l.Episode != nil:
		return "episode " + l.Episode.Key
	case l.Answer != nil:
		return "answer " + l.Answer.Key
	case l.Opinion != nil:
		return "opinion " + l.Opinion.Key
	}
	return ""
}

// broken tells whether what the line records failed, so that it may be tried
// again.
func (l line) broken() bool {
	return l.Episode != nil && l.Episode.Fault != nil || l.Answer != nil && l.Answer.Fault != nil || l.Opinion != nil && l.Opinion.Fault != nil
}

// A HeaderError says that a journal is of another measurement, and in what they
// differ.
type HeaderError struct {
	File        string
	Differences []Difference
}

// A Difference is one thing in which a journal differs from what is wanted.
type Difference struct{ What, Has, Wanted string }

func (e *HeaderError) Error() string {
	var all []string
	for _, d := range e.Differences {
		all = append(all, fmt.Sprintf("its %s is %s and not %s", d.What, brief(cmp.Or(d.Has, "(none)")), brief(cmp.Or(d.Wanted, "(none)"))))
	}
	return fmt.Sprintf("%s: %s; continue it with what it was begun with, or begin another", e.File, strings.Join(all, ", "))
}

// brief shortens a value for a message.
func brief(value string) string {
	const most = 100
	if runes := []rune(value); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return value
}

// Recording is a journal that was read.
type Recording struct {
	Header Header
	lines  map[string]line
	order  []string // their keys, as they first came
	whole  int64    // bytes up to the end of the last whole line
}

// ReadJournal reads a journal. A last line that a crash tore is left out; of
// two lines of one thing the later counts.
func ReadJournal(name string) (*Recording, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readJournal(f, name)
}

func readJournal(from io.Reader, name string) (*Recording, error) {
	r := &Recording{lines: map[string]line{}}
	in := bufio.NewReaderSize(from, 1<<20)
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) { // a line without an end was torn
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := r.take(n, text); err != nil {
			return nil, fmt.Errorf("%s:%d: %w; the file was changed or damaged", name, n, err)
		}
		r.whole += int64(len(text))
	}
	if r.whole == 0 {
		return nil, fmt.Errorf("%s: it holds no header, so it is no journal", name)
	}
	return r, nil
}

func (r *Recording) take(n int, text []byte) error {
	if n == 1 {
		if err := json.Unmarshal(text, &r.Header); err != nil || r.Header.Kind != "lens" {
			return errors.New("not the header of a journal")
		}
		if r.Header.Format != Format {
			return fmt.Errorf("the journal has format %d; this program reads %d", r.Header.Format, Format)
		}
		return nil
	}
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	if l.key() == "" {
		return errors.New("neither an episode nor an answer nor an opinion")
	}
	if _, again := r.lines[l.key()]; !again {
		r.order = append(r.order, l.key())
	}
	r.lines[l.key()] = l
	return nil
}

// journal appends lines. A nil journal keeps nothing.
type journal struct{ file *os.File }

// openJournal begins a journal or continues one.
func openJournal(name string, header Header) (*journal, *Recording, error) {
	if header.Config == nil {
		header.Config = json.RawMessage("null")
	}
	if name == "" {
		return nil, &Recording{Header: header, lines: map[string]line{}}, nil
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, err
	}
	j := &journal{f}
	r, err := j.begin(name, header)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return j, r, nil
}

func (j *journal) begin(name string, header Header) (*Recording, error) {
	if info, err := j.file.Stat(); err != nil || info.Size() == 0 {
		return &Recording{Header: header, lines: map[string]line{}}, errors.Join(err, j.write(header))
	}
	r, err := readJournal(j.file, name)
	if err != nil {
		return nil, err
	}
	if err := same(name, r.Header, header); err != nil {
		return nil, err
	}
	if err := j.file.Truncate(r.whole); err != nil {
		return nil, err
	}
	_, err = j.file.Seek(r.whole, io.SeekStart)
	return r, err
}

// same compares two headers.
func same(name string, has, wanted Header) error {
	e := &HeaderError{File: name}
	for _, f := range append([]Difference{
		{"environment", has.Environment, wanted.Environment},
		{"agent", has.Agent, wanted.Agent},
		{"judge", has.Judge, wanted.Judge},
		{"compat", has.Compat, wanted.Compat},
		{"number of episodes", fmt.Sprint(has.Episodes), fmt.Sprint(wanted.Episodes)},
	}, configured(has.Config, wanted.Config)...) {
		if f.Has != f.Wanted {
			e.Differences = append(e.Differences, f)
		}
	}
	if len(e.Differences) == 0 {
		return nil
	}
	return e
}

// configured sets two configurations side by side, key by key; as a whole where
// they are no objects.
func configured(has, wanted json.RawMessage) (out []Difference) {
	if string(has) == string(wanted) {
		return nil
	}
	var was, is map[string]json.RawMessage
	if json.Unmarshal(has, &was) != nil || json.Unmarshal(wanted, &is) != nil || was == nil || is == nil {
		return []Difference{{"configuration", string(has), string(wanted)}}
	}
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		told := func(of map[string]json.RawMessage) string { return cmp.Or(string(of[key]), "(absent)") }
		out = append(out, Difference{key, told(was), told(is)})
	}
	return out
}

// write appends one line, and returns when it is on disk.
func (j *journal) write(l any) error {
	if j == nil {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(l); err != nil {
		return err
	}
	if _, err := j.file.Write(b.Bytes()); err != nil {
		return err
	}
	return j.file.Sync()
}

func (j *journal) close() error {
	if j == nil {
		return nil
	}
	return j.file.Close()
}
