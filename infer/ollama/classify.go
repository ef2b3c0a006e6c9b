package ollama

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"candor/infer"

	"github.com/ollama/ollama/api"
)

// classify says what an error of the api client means for a run. The server's
// status codes do not tell a bad image from a dead runner (both are 500), so
// the texts that it is known to send are looked at too; what is unknown is
// retried, since a retry loses nothing.
func classify(model string, err error) error {
	var auth api.AuthorizationError
	if errors.As(err, &auth) {
		return &infer.Failure{Class: infer.ClassFatal, Status: auth.StatusCode, Err: err, Hint: "the server wants a login"}
	}
	var status api.StatusError
	if !errors.As(err, &status) {
		return byText(0, err.Error(), fmt.Errorf("asking the server: %w", err))
	}
	cause := fmt.Errorf("the server answered %d: %s", status.StatusCode, bounded(status.ErrorMessage))
	switch code := status.StatusCode; {
	case code == http.StatusNotFound:
		return &infer.Failure{Class: infer.ClassFatal, Status: code, Err: cause, Hint: "run: ollama pull " + model}
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return &infer.Failure{Class: infer.ClassFatal, Status: code, Err: cause, Hint: "the server refuses this client"}
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code == 499:
		return retry(code, cause)
	case code == http.StatusServiceUnavailable, code == http.StatusBadGateway, code == http.StatusGatewayTimeout:
		return retry(code, cause)
	default:
		return byText(code, status.ErrorMessage, cause)
	}
}

// known are the texts by which the engine tells its failures apart, looked
// for in this order.
var known = []struct {
	text  string
	class infer.Class
	hint  string
}{
	{"does not support thinking", infer.ClassFatal, "choose a profile with thinking off"},
	{"think value", infer.ClassFatal, "choose a profile with thinking off"},
	{"does not support", infer.ClassFatal, "choose a vision model"},
	{"requires more system memory", infer.ClassFatal, "use a smaller model or context, or a machine with more memory"},
	{"out of memory", infer.ClassRetry, "the machine has too little memory for this model and context"},
	{"exceeds the context length", infer.ClassTask, "raise num_ctx"},
	{"exceeded max context", infer.ClassTask, "raise num_ctx"},
	{"invalid format", infer.ClassFatal, "this server does not take the answer schema; try --format none"},
	{"invalid JSON schema", infer.ClassFatal, "this server does not take the answer schema; try --format none"},
	{"must be of type", infer.ClassFatal, "this server takes an option in another form"},
	{"invalid image index", infer.ClassTask, "the claim holds an image marker"},
	{"failed to process inputs", infer.ClassTask, "the server cannot read this image"},
	{"illegal base64", infer.ClassTask, "the server cannot read this image"},
	{"invalid image type", infer.ClassTask, "the server cannot read this image"},
	{"unknown format", infer.ClassTask, "the server cannot read this image"},
	{"no such host", infer.ClassFatal, "check --host"},
	{"server gave HTTP response to HTTPS client", infer.ClassFatal, "check --host: http, not https"},
}

func byText(code int, text string, cause error) error {
	for _, k := range known {
		if strings.Contains(text, k.text) {
			return &infer.Failure{Class: k.class, Status: code, Err: cause, Hint: k.hint}
		}
	}
	if code >= 400 && code < 500 {
		return &infer.Failure{Class: infer.ClassTask, Status: code, Err: cause}
	}
	return retry(code, cause)
}

func retry(code int, cause error) error {
	return &infer.Failure{Class: infer.ClassRetry, Status: code, Err: cause}
}

// isRepeatStop recognises the engines that report their stop of a repeating
// model as an error instead of an unfinished reply.
func isRepeatStop(err error) bool {
	return strings.Contains(err.Error(), "token repeat limit reached")
}

// bounded keeps a log line readable whatever the server sends.
func bounded(s string) string {
	const most = 500
	s = strings.TrimSpace(s)
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
