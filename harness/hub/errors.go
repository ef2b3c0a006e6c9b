package hub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

var (
	// ErrNotFound is a data set, revision or file that the Hub does not have,
	// or does not show to whom it does not know.
	ErrNotFound = errors.New("not found on the Hub")
	// ErrGated is a data set whose terms must be accepted first.
	ErrGated = errors.New("access must be asked for")
	// ErrToken is a token that the Hub does not accept.
	ErrToken = errors.New("the Hub does not accept the token")
	// ErrUnreachable is a Hub that does not answer at all.
	ErrUnreachable = errors.New("cannot be reached")
	// ErrNotCached is a file that the cache lacks and that may not be
	// downloaded.
	ErrNotCached = errors.New("not in the cache")
)

// StatusError is an answer of the Hub that is a refusal.
type StatusError struct {
	Status  int
	URL     string // without its query
	Code    string // X-Error-Code
	Message string // X-Error-Message, or what the body says

	own        bool // the endpoint's answer, not that of a storage host
	withToken  bool
	retryAfter string
}

func statusError(resp *http.Response, at string, own, withToken bool) *StatusError {
	e := &StatusError{
		Status: resp.StatusCode, URL: shown(at), Code: resp.Header.Get("X-Error-Code"),
		Message: resp.Header.Get("X-Error-Message"), own: own, withToken: own && withToken,
		retryAfter: resp.Header.Get("Retry-After"),
	}
	if e.Message == "" {
		e.Message = bodyMessage(resp)
	}
	return e
}

// bodyMessage is {"error": …} of a body that is JSON.
func bodyMessage(resp *http.Response) string {
	var body struct{ Error string }
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<14))
	if err != nil || json.Unmarshal(b, &body) != nil {
		return ""
	}
	return body.Error
}

// Error says what was refused.
func (e *StatusError) Error() string {
	s := fmt.Sprintf("%s answers %d %s", e.URL, e.Status, http.StatusText(e.Status))
	if e.Message != "" {
		s += fmt.Sprintf(" (%.200s)", printable(e.Message))
	}
	return s
}

// Is matches what the refusal is about.
func (e *StatusError) Is(target error) bool {
	if !e.own {
		return false
	}
	switch target {
	case ErrGated:
		return e.Code == "GatedRepo"
	case ErrNotFound:
		return e.Code == "RepoNotFound" || e.Code == "RevisionNotFound" || e.Code == "EntryNotFound" ||
			e.Status == http.StatusNotFound || e.Status == http.StatusUnauthorized && !e.withToken && e.Code == ""
	case ErrToken:
		return e.Status == http.StatusUnauthorized && e.withToken && !e.Is(ErrGated) && e.Code != "RepoNotFound" ||
			e.Status == http.StatusForbidden && !e.Is(ErrGated) && e.Code == ""
	}
	return false
}

// passes tells refusals that another attempt may not meet. A storage host
// refuses addresses whose signature has run out; the next are signed anew.
func (e *StatusError) passes() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return !e.own
	}
	return false
}

// explain says of a failure what a user can do about it.
func (c *Client) explain(n Name, err error) error {
	var s *StatusError
	if errors.Is(err, ErrUnreachable) {
		return fmt.Errorf("data set %s: %w (HF_ENDPOINT names another Hub, HTTPS_PROXY a proxy)", n, err)
	}
	if !errors.As(err, &s) {
		return fmt.Errorf("data set %s: %w", n, err)
	}
	page := c.set.Endpoint + "/datasets/" + n.Repo
	switch {
	case errors.Is(err, ErrGated) && s.withToken:
		return fmt.Errorf("data set %s: %w for the account of this token: ask at %s (%w)", n.Repo, ErrGated, page, err)
	case errors.Is(err, ErrGated):
		return fmt.Errorf("data set %s: %w: accept its terms at %s, and put a token of that account into HF_TOKEN (%w)", n.Repo, ErrGated, page, err)
	case errors.Is(err, ErrToken):
		return fmt.Errorf("data set %s: %w in HF_TOKEN or the token file: it may have run out, or lack the right to read this (%w)", n.Repo, ErrToken, err)
	case s.Code == "RevisionNotFound":
		return fmt.Errorf("data set %s: %w: it has no revision %q (%w)", n.Repo, ErrNotFound, n.Revision, err)
	case s.Code == "EntryNotFound":
		return fmt.Errorf("data set %s: %w: a file of revision %s (%w)", n.Repo, ErrNotFound, n.Revision, err)
	case errors.Is(err, ErrNotFound) && s.withToken:
		return fmt.Errorf("data set %s: %w, or not for the account of this token (%w)", n.Repo, ErrNotFound, err)
	case errors.Is(err, ErrNotFound):
		return fmt.Errorf("data set %s: %w: see that the name is right; a private one needs a token in HF_TOKEN (%w)", n.Repo, ErrNotFound, err)
	}
	return fmt.Errorf("data set %s: %w", n, err)
}

// printable takes the control characters out of what a server sent.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
