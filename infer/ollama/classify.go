package ollama

import (
	"encoding/json"
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
	fatal := func(code int, cause error, hint string) error {
		return &infer.Failure{Class: infer.ClassFatal, Status: code, Err: cause, Hint: hint}
	}
	var auth api.AuthorizationError
	if errors.As(err, &auth) {
		return fatal(auth.StatusCode, err, "the server wants a login")
	}
	var status api.StatusError
	if !errors.As(err, &status) {
		return classifyUnanswered(err)
	}
	cause := fmt.Errorf("the server answered %w", brief(status))
	switch code := status.StatusCode; code {
	case http.StatusRequestEntityTooLarge:
		return &infer.Failure{Class: infer.ClassTask, Status: code, Err: cause, Hint: tooLarge}
	case http.StatusNotFound:
		if isWebPage(status.ErrorMessage) {
			return fatal(code, cause, "check --host: is this an Ollama server?")
		}
		return fatal(code, cause, "run: ollama pull "+model)
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return fatal(code, cause, "check --host: is this an Ollama server?")
	case http.StatusForbidden:
		return fatal(code, cause, "the server refuses this client")
	case http.StatusTooManyRequests, http.StatusRequestTimeout, 499,
		http.StatusServiceUnavailable, http.StatusBadGateway, http.StatusGatewayTimeout:
		return retry(code, cause)
	default:
		return byText(code, status.ErrorMessage, cause)
	}
}

// classifyUnanswered classifies an error without a status: the request could
// not be written, the connection failed, or a 200 reply carried an error.
func classifyUnanswered(err error) error {
	cause := fmt.Errorf("asking the server: %w", err)
	if text := err.Error(); len(text) > mostText {
		cause = fmt.Errorf("asking the server: %s", bounded(text))
	}
	var value *json.UnsupportedValueError
	var marshal *json.MarshalerError
	switch {
	case errors.As(err, &value), errors.As(err, &marshal):
		return &infer.Failure{Class: infer.ClassFatal, Err: cause, Hint: "an option or the answer schema is not valid"}
	case errors.Is(err, errRedirect):
		return &infer.Failure{Class: infer.ClassFatal, Err: cause, Hint: "name that address with --host"}
	}
	return byText(0, err.Error(), cause)
}

// tooLarge is the hint of 413, which Ollama itself never sends.
const tooLarge = "a proxy before the server limits the size of requests: raise its limit, or name the server itself with --host"

// brief is a refusal in one line: the pages that proxies send instead are for
// browsers, and say no more than their status does.
func brief(status api.StatusError) error {
	text := bounded(status.ErrorMessage)
	if isMarkup(status.ErrorMessage) {
		text = strings.TrimSpace(http.StatusText(status.StatusCode) + ", with a web page and not as Ollama does")
	}
	return fmt.Errorf("%d: %s", status.StatusCode, text)
}

func isMarkup(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	return strings.HasPrefix(text, "<!doctype") || strings.Contains(text, "<html") || strings.HasPrefix(text, "<?xml")
}

// isWebPage tells a path that nobody serves from a model that is missing.
func isWebPage(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "page not found") || strings.Contains(text, "<html")
}

// known are the texts by which engines tell their failures apart, in lower
// case, looked for in this order.
var known = []struct {
	text  string
	class infer.Class
	hint  string
}{
	{"does not support thinking", infer.ClassFatal, "choose a profile with thinking off"},
	{"think value", infer.ClassFatal, "choose a profile with thinking off"},
	{"does not support", infer.ClassFatal, "choose a vision model"},
	{"image input is not supported", infer.ClassFatal, "choose a vision model"},
	{"missing data required for image input", infer.ClassFatal, "choose a vision model"},
	{"model is required", infer.ClassFatal, "name a model with --model"},
	{"unknown model architecture", infer.ClassFatal, "this server is too old for the model"},
	{"requires more system memory", infer.ClassFatal, "use a smaller model or context, or a machine with more memory"},
	{"out of memory", infer.ClassRetry, "the machine has too little memory for this model and context"},
	{"input length exceeds", infer.ClassTask, "raise num_ctx"},
	{"exceeds the context length", infer.ClassTask, "raise num_ctx"},
	{"exceeded max context", infer.ClassTask, "raise num_ctx"},
	{"exceeds the available context", infer.ClassTask, "raise num_ctx"},
	// Before the schema's: a decoder says "png: invalid format" too.
	{"invalid image index", infer.ClassTask, "the claim holds an image marker"},
	{"failed to process inputs", infer.ClassTask, "the server cannot read this image"},
	{"invalid format", infer.ClassFatal, "this server does not take the answer schema; try --format none"},
	{"invalid json schema", infer.ClassFatal, "this server does not take the answer schema; try --format none"},
	{"failed to parse grammar", infer.ClassFatal, "this server does not take the answer schema; try --format none"},
	{"must be of type", infer.ClassFatal, "this server takes an option in another form"},
	{"invalid option", infer.ClassFatal, "this server does not take an option"},
	{"top_logprobs must be", infer.ClassFatal, "ask for at most 20 alternatives"},
	{"illegal base64", infer.ClassTask, "the server cannot read this image"},
	{"invalid image type", infer.ClassTask, "the server cannot read this image"},
	{"unknown format", infer.ClassTask, "the server cannot read this image"},
	{"invalid jpeg format", infer.ClassTask, "the server cannot read this image"},
	{"must be larger than factor", infer.ClassTask, "the image is too small for this model"},
	{"no such host", infer.ClassFatal, "check --host"},
	{"failed to verify certificate", infer.ClassFatal, "check --host: its certificate is not trusted"},
	{"server gave http response to https client", infer.ClassFatal, "check --host: http, not https"},
	{"http request to an https server", infer.ClassFatal, "check --host: https, not http"},
}

func byText(code int, text string, cause error) error {
	text = strings.ToLower(text)
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

// mostText bounds the text of an error, in bytes.
const mostText = 500

// bounded keeps a log line readable whatever the server sends.
func bounded(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > mostText {
		return strings.ToValidUTF8(s[:mostText], "") + "…"
	}
	return s
}
