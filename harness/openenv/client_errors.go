package openenv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// What can become of a request other than a result. An *[Error] is what the
// environment or its server answered; these, matched by errors.Is, tell it
// apart from what became of the connection.
var (
	// ErrCapacity is an *Error: the server has as many sessions as it allows. A
	// later reset may find room.
	ErrCapacity error = &Error{Code: CodeCapacityReached}
	// ErrFactory is an *Error: the server could not make an environment.
	ErrFactory error = &Error{Code: CodeFactory}

	// ErrLost is a connection that is gone, and the episode with it. A reset
	// connects anew.
	ErrLost = errors.New("the connection is gone")
	// ErrReplyTimeout is a reply that took too long. The connection is given up,
	// since the reply might still come and be taken for another's.
	ErrReplyTimeout = errors.New("no reply")
	// ErrProtocol is a server that says what it may not at that point. The
	// connection is given up.
	ErrProtocol = errors.New("the server does not keep to the protocol")
	// ErrClosed is a session that was closed.
	ErrClosed = errors.New("the session is closed")
	// ErrUnauthorized is a server that wants a token, or another one.
	ErrUnauthorized = errors.New("the server refuses the token, or wants one")
	// ErrStateless is a server that cannot be played: it refuses sessions, and
	// over HTTP it forgets an episode between a reset and a step.
	ErrStateless = errors.New("the server has sessions at /ws only, and refuses them")

	errConnectTimeout = errors.New("no connection")
	errRedirect       = errors.New("the server redirects to another host, which gets no token")
)

// Is tells that the error is of a kind that has only a code, as [ErrCapacity].
func (e *Error) Is(target error) bool {
	kind, ok := target.(*Error)
	return ok && kind.Code == e.Code && kind.Message == "" && kind.Data == nil
}

// ranOut is why a request was given up whose context has ended.
func ranOut(ctx context.Context, limit time.Duration) error {
	cause := context.Cause(ctx)
	if cause == ErrReplyTimeout || cause == errConnectTimeout {
		return fmt.Errorf("%w within %v", cause, limit)
	}
	return cause
}

func violation(format string, arguments ...any) error {
	return fmt.Errorf("%w: %w", ErrProtocol, fmt.Errorf(format, arguments...))
}

// maxShown is how much of a server's text is shown: it may be of any length.
const maxShown = 2000

// shown makes a server's text fit for a terminal and a log line.
func shown(text string) string {
	short := []rune(text[:min(len(text), 4*maxShown)])
	cut := len(short) > maxShown || len(text) > 4*maxShown
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, string(short[:min(len(short), maxShown)]))
	if cut {
		text += " …"
	}
	return text
}

// faults are what an error's data says was wrong, and where: the messages of
// pydantic, which a bare "Invalid message" leaves out.
func faults(data json.RawMessage) string {
	var detail struct {
		Errors []struct {
			Loc []any  `json:"loc"`
			Msg string `json:"msg"`
		} `json:"errors"`
	}
	if len(data) == 0 || json.Unmarshal(data, &detail) != nil {
		return ""
	}
	var all []string
	for _, fault := range detail.Errors {
		var place []string
		for _, part := range fault.Loc {
			place = append(place, fmt.Sprint(part))
		}
		all = append(all, strings.Join(place, ".")+": "+fault.Msg)
	}
	return strings.Join(all, "; ")
}
