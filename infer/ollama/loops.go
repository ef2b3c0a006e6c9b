package ollama

import "strings"

// The engines stop a model that gives the same token 31 times in a row, blanks
// around it not counted (Ollama v0.24.0, llm/server.go), and end the reply
// there. The text then ends in that token, so often that this many of them, of
// no more bytes each, are no accident.
const (
	leastLoops = 20
	longToken  = 32
)

// loops reports whether a text ends as if its model had been stopped for
// repeating one token. A token without text leaves no trace of it.
func loops(text string) bool {
	if len(text)-len(strings.TrimRight(text, " \t\r\n")) >= leastLoops {
		return true
	}
	const most = 4 * leastLoops * longToken // with blanks between
	s := strings.Join(strings.Fields(text[max(0, len(text)-most):]), "")
	for n := 1; n <= longToken && n*leastLoops <= len(s); n++ {
		tail := s[len(s)-n*leastLoops:]
		if tail[n:] == tail[:len(tail)-n] {
			return true
		}
	}
	return false
}
