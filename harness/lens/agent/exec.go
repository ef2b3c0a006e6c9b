package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
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
// ACTION is a text or any other JSON. The program is started with the first
// question, and again if it has ended; at its end its input is closed. What it
// writes to standard error goes to Log.
type Command struct {
	Shell string // the command line, for sh -c
	Log   io.Writer

	mu      sync.Mutex
	running *program
}

// program is a started command.
type program struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.Closer
	lines chan []byte // closed when its output ends
	lost  error
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
		c.stop(true)
		return "", "", fmt.Errorf("agent %q: %w", c.Shell, err)
	}
	action, reasoning, err = read(line)
	if err != nil {
		return "", "", fmt.Errorf("agent %q: %w", c.Shell, err)
	}
	return action, reasoning, nil
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
	cmd.Stderr = c.Log
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
	p := &program{cmd: cmd, in: in, out: out, lines: make(chan []byte)}
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

// stop closes the program's input and waits for its end, or brings it about.
func (c *Command) stop(now bool) {
	p := c.running
	c.running = nil
	if p == nil {
		return
	}
	p.in.Close()
	// What it has started may outlive it and hold its output open.
	kill := func() {
		p.cmd.Process.Kill()
		p.out.Close()
	}
	if now {
		kill()
	}
	end := time.AfterFunc(leaving, kill)
	defer end.Stop()
	for range p.lines { // what it still says, nobody asked for
	}
	_ = p.cmd.Wait() // how it ended says nothing of its answers
}

// read takes an answer apart.
func read(line []byte) (action, reasoning string, err error) {
	var answer struct {
		Action    json.RawMessage `json:"action"`
		Reasoning string          `json:"reasoning"`
		Error     *string         `json:"error"`
	}
	if json.Unmarshal(line, &answer) != nil || answer.Action == nil && answer.Error == nil {
		return string(line), "", nil
	}
	if answer.Error != nil {
		return "", "", fmt.Errorf("it says: %s", *answer.Error)
	}
	var text string
	if json.Unmarshal(answer.Action, &text) == nil && answer.Action[0] == '"' {
		return text, answer.Reasoning, nil
	}
	return string(answer.Action), answer.Reasoning, nil
}

var _ play.Agent = (*Command)(nil).Act
