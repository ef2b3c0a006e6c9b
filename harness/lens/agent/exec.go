package agent

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"candor/harness/lens/play"
)

// A Command is an agent that is a program. It reads one line of JSON for each
// question, {"observation": TEXT}, and writes one line for each answer:
//
//	{"action": ACTION, "reasoning": TEXT}   reasoning may be left out
//	{"error": TEXT}                         it cannot answer
//	anything else                           the line itself is the action
//
// ACTION is a text or any other JSON. An object that has an action and keys that
// are none of these is an error, since nobody could tell which part is meant. The program is started with the first
// question, and again if it has ended; at its end its input is closed. What it
// writes to standard error goes to Log.
type Command struct {
	Shell string // the command line, for sh -c
	Log   io.Writer

	mu       sync.Mutex
	running  *program
	answered bool // once at least
}

// program is a started command.
type program struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.Closer
	lines chan []byte // closed when its output ends
	lost  error
	last  *tail // of what it writes to standard error
}

const (
	maxLine = 16 << 20        // bytes of an answer
	leaving = 3 * time.Second // to end after the input has
)

// Act asks the program.
func (c *Command) Act(ctx context.Context, observation string) (action, reasoning string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	line, err := c.exchange(ctx, observation)
	if err != nil {
		err = c.ended(err)
		return "", "", fmt.Errorf("agent %q: %w", c.Shell, err)
	}
	c.heard(line)
	action, reasoning, err = read(line)
	if err != nil {
		return "", "", fmt.Errorf("agent %q: %w", c.Shell, err)
	}
	return action, reasoning, nil
}

// ended stops the program, and says how it ended and what it said last. One that
// ended before it ever answered is no agent.
func (c *Command) ended(err error) error {
	p := c.running
	how := c.stop(true)
	if !errors.Is(err, io.ErrUnexpectedEOF) || p == nil {
		return err
	}
	err = fmt.Errorf("it ended without an answer (%s)", cmp.Or(how, "exit status 0"))
	if said := p.last.text(); said != "" {
		err = fmt.Errorf("%w; it wrote: %s", err, said)
	}
	if !c.answered {
		err = fmt.Errorf("%w: %w", play.ErrNoAgent, err)
	}
	return err
}

// heard looks at the first answer, which is often no answer but a message.
func (c *Command) heard(line []byte) {
	if !c.answered && !json.Valid(line) && c.Log != nil {
		fmt.Fprintf(c.Log, "candor: the first line of agent %q is no JSON and is taken for the action itself: %s\n"+
			"candor: if it is none, write debug output to standard error, and flush standard output after each answer\n", c.Shell, shortened(line))
	}
	c.answered = true
}

// exchange asks the program that runs, and a new one if that has ended.
func (c *Command) exchange(ctx context.Context, observation string) ([]byte, error) {
	question, err := json.Marshal(struct {
		Observation string `json:"observation"`
	}{observation})
	if err != nil {
		return nil, err
	}
	for fresh := c.running == nil; ; fresh = true {
		if c.running == nil {
			if err := c.start(); err != nil {
				return nil, err
			}
		}
		line, err := c.running.ask(ctx, append(question, '\n'))
		if !errors.Is(err, io.ErrUnexpectedEOF) || fresh {
			return line, err
		}
		c.stop(true)
	}
}

// ask puts one question. A program may have answered before it was asked, and
// not want to know.
func (p *program) ask(ctx context.Context, question []byte) ([]byte, error) {
	wrote := make(chan error, 1)
	go func() {
		_, err := p.in.Write(question)
		wrote <- err
	}()
	var unwanted error
	for {
		select {
		case unwanted = <-wrote:
			wrote = nil
		case line, ok := <-p.lines:
			if !ok {
				return nil, fmt.Errorf("it ended without an answer: %w", errors.Join(io.ErrUnexpectedEOF, p.lost, unwanted))
			}
			return line, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (c *Command) start() error {
	cmd := exec.Command("sh", "-c", c.Shell)
	last := &tail{}
	cmd.Stderr = last
	if c.Log != nil {
		cmd.Stderr = io.MultiWriter(c.Log, last)
	}
	group(cmd)
	cmd.WaitDelay = leaving
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p := &program{cmd: cmd, in: in, out: out, lines: make(chan []byte), last: last}
	go p.read(out)
	c.running = p
	return nil
}

// read hands lines on until the output ends.
func (p *program) read(out io.Reader) {
	defer close(p.lines)
	lines := bufio.NewScanner(out)
	lines.Buffer(make([]byte, 0, 1<<16), maxLine)
	for lines.Scan() {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
			p.lines <- bytes.Clone(line)
		}
	}
	p.lost = lines.Err()
}

// Close ends the program, if it runs.
func (c *Command) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop(false)
	return nil
}

// stop closes the program's input and waits for its end, or brings it about. It
// returns how it ended, "" if well.
func (c *Command) stop(now bool) string {
	p := c.running
	c.running = nil
	if p == nil {
		return ""
	}
	p.in.Close()
	// What it has started may outlive it and hold its output open.
	kill := func() {
		kill(p.cmd)
		p.out.Close()
	}
	if now {
		kill()
	}
	end := time.AfterFunc(leaving, kill)
	defer end.Stop()
	for range p.lines { // what it still says, nobody asked for
	}
	if err := p.cmd.Wait(); err != nil { // which says nothing of its answers
		return err.Error()
	}
	return ""
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const maxTail = 1000 // bytes

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, text...)
	t.kept = bytes.Clone(t.kept[max(0, len(t.kept)-maxTail):])
	return len(text), nil
}

// text is it on one line.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(strings.Join(strings.Fields(string(t.kept)), " "), "")
}

// read takes an answer apart.
func read(line []byte) (action, reasoning string, err error) {
	var answer map[string]json.RawMessage
	if json.Unmarshal(line, &answer) != nil || answer["action"] == nil && answer["error"] == nil {
		return string(line), "", nil
	}
	if said, ok := text(answer["error"]); ok {
		return "", "", fmt.Errorf("it says: %s", said)
	}
	for _, key := range slices.Sorted(maps.Keys(answer)) {
		if !slices.Contains([]string{"action", "reasoning", "error"}, key) {
			return "", "", fmt.Errorf(`it answers with %q beside its action; if that is part of the action, write {"action": {"action": …, %q: …}}`, key, key)
		}
	}
	reasoning, ok := text(answer["reasoning"])
	if !ok && answer["reasoning"] != nil && string(answer["reasoning"]) != "null" {
		return "", "", fmt.Errorf("its reasoning is no text: %s", shortened(answer["reasoning"]))
	}
	if action, ok := text(answer["action"]); ok {
		return action, reasoning, nil
	}
	return string(answer["action"]), reasoning, nil
}

// text is a JSON string's.
func text(value json.RawMessage) (s string, ok bool) {
	ok = len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &s) == nil
	return s, ok
}

var _ play.Agent = (*Command)(nil).Act
