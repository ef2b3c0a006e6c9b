package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"candor/infer"
)

// An Error is an exchange without a reply.
type Error struct {
	Service   string
	Status    int // 0 when none arrived
	Message   string
	Temporary bool          // the same may succeed later
	After     time.Duration // asked for before then; 0 when nothing was said
}

func (e *Error) Error() string {
	if e.Status == 0 {
		return e.Service + ": " + e.Message
	}
	return fmt.Sprintf("%s: status %d: %s", e.Service, e.Status, e.Message)
}

// Temporary tells whether an error, of this package or of infer, may go away by
// itself, and how long the service asks to be left alone before.
func Temporary(err error) (after time.Duration, ok bool) {
	var e *Error
	if errors.As(err, &e) {
		return e.After, e.Temporary
	}
	return 0, err != nil && infer.ClassOf(err) == infer.ClassRetry
}

// refused is a reply of another status than 200.
func (s Service) refused(address string, response *http.Response, body []byte) *Error {
	message, code := said(body)
	e := s.failed(address, errors.New(message))
	e.Status = response.StatusCode
	switch {
	case e.Status >= 300 && e.Status < 400:
		e.Message = s.Without(fmt.Sprintf("it redirects to %q, where nothing is sent: give the address itself", response.Header.Get("Location")))
	case code == "insufficient_quota": // OpenAI's word for an account without credit, of status 429
	case e.Status == http.StatusTooManyRequests, e.Status == http.StatusRequestTimeout, e.Status >= 500:
		e.Temporary, e.After = true, retryAfter(response.Header)
	}
	return e
}

// said is what an error's body says, and its code. OpenAI, Groq, Anthropic and
// vLLM wrap both in "error", which is the text itself with Ollama.
func said(body []byte) (message, code string) {
	var whole struct{ Error json.RawMessage }
	var inner struct {
		Message string
		Code    any
	}
	var text string
	if json.Unmarshal(body, &whole) == nil {
		if json.Unmarshal(whole.Error, &text) == nil && text != "" {
			return shortened(text), ""
		}
		if json.Unmarshal(whole.Error, &inner) == nil && inner.Message != "" {
			code, _ = inner.Code.(string)
			return shortened(inner.Message), code
		}
	}
	return shortened(string(body)), ""
}

// shortened is a text on one line, and not too long a one.
func shortened(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 300 {
		return string(runes[:300]) + "…"
	}
	return text
}

// retryAfter is how long the service asks to be left alone: in seconds, or
// until a date by its own clock.
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if !(seconds > 0) {
			return 0
		}
		return time.Duration(min(seconds, 1e6) * float64(time.Second))
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	return max(0, until.Sub(now))
}
