// Package service posts JSON to services that want a key, and keeps the key
// between the two: it goes to the address asked and nowhere else, redirects
// are not followed, and neither an error nor a reply that repeats the key holds
// it. What may succeed later is told apart from what will not, with the time
// that the service asks to be left alone.
package service

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Service is how one is reached. The zero value needs no key.
type Service struct {
	Name string // in errors; "" is the address
	// Key is a secret, and stands in Header wherever the service wants it.
	Key    string
	Header http.Header
	// Client is http.DefaultClient if nil. Its redirect policy is not heeded.
	Client *http.Client
	// Timeout is for one exchange; 0 is DefaultTimeout.
	Timeout time.Duration
}

// DefaultTimeout leaves a model time to think.
const DefaultTimeout = 2 * time.Minute

const maxBody = 16 << 20 // bytes of a reply

// Bearer is the header that most services want a key in.
func Bearer(key string) http.Header {
	if key == "" {
		return nil
	}
	return http.Header{"Authorization": {"Bearer " + key}}
}

// Post sends a value as JSON to an address and returns the body of a reply of
// status 200. Its error is an [*Error], or that of ctx if that has ended.
func (s Service) Post(ctx context.Context, address string, value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(s.Timeout, DefaultTimeout))
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		return nil, s.failed(address, err)
	}
	for name, values := range s.Header {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client().Do(request)
	if err != nil {
		return nil, s.broke(ctx, limited, address, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, s.broke(ctx, limited, address, err)
	case len(body) > maxBody:
		return nil, s.failed(address, fmt.Errorf("a reply of more than %d bytes", maxBody))
	case response.StatusCode != http.StatusOK:
		return nil, s.refused(address, response, body)
	}
	return []byte(s.Without(string(body))), nil
}

// Without is a text with the key taken out. Keys too short to be secret, such
// as the placeholders that local servers are content with, stay: they may be
// words.
func (s Service) Without(text string) string {
	if len(s.Key) < shortestSecret {
		return text
	}
	return strings.ReplaceAll(text, s.Key, "[key]")
}

const shortestSecret = 8 // bytes

// client follows no redirect: what is posted, and the key, are for one address.
func (s Service) client() *http.Client {
	client := *cmp.Or(s.Client, http.DefaultClient)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// failed is an error that will not go away by itself.
func (s Service) failed(address string, err error) *Error {
	return &Error{Service: cmp.Or(s.Name, address), Message: s.Without(err.Error())}
}

// broke is an exchange that came to no end.
func (s Service) broke(ctx, limited context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	e := s.failed(address, err)
	e.Temporary = true
	if limited.Err() != nil {
		e.Message = fmt.Sprintf("no reply within %v", cmp.Or(s.Timeout, DefaultTimeout))
	}
	return e
}
