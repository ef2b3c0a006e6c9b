package ollama

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/ollama/ollama/api"
)

// longestLine of a reply is read, in bytes; beyond it the reply counts as cut.
const longestLine = 8 << 20

// stream posts a question and hands on each line of the reply, with the errors
// of the api client. That one takes longestLine of memory anew for every
// request, and the clearing of it is most of what a request costs; this one
// takes what the line needs.
func (c *Client) stream(ctx context.Context, path string, question any, line func([]byte) error) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/x-ndjson")
	req.Header.Set("User-Agent", "candor")
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 0, 16<<10), longestLine)
	for lines.Scan() {
		if err := refused(resp, lines.Bytes()); err != nil {
			return err
		}
		if err := line(lines.Bytes()); err != nil {
			return err
		}
	}
	return nil // what broke the body has been noted by bodyWatch
}

// refused is the error that a line of a reply stands for, nil for none. Every
// error status comes as one line of JSON (see mendError).
func refused(resp *http.Response, line []byte) error {
	var said struct{ Error string }
	err := json.Unmarshal(line, &said)
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		return api.AuthorizationError{StatusCode: resp.StatusCode, Status: resp.Status}
	case resp.StatusCode >= http.StatusBadRequest:
		return api.StatusError{StatusCode: resp.StatusCode, Status: resp.Status, ErrorMessage: said.Error}
	case err != nil:
		return errors.New(string(line))
	case said.Error != "":
		return errors.New(said.Error)
	}
	return nil
}

// part hands a line of a reply on as what it is.
func part[T any](add func(T) error) func([]byte) error {
	return func(line []byte) error {
		var p T
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}
		return add(p)
	}
}
