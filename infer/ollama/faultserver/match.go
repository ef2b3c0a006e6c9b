package faultserver

import (
	"slices"
	"strings"
)

// Match picks requests. Those that count see requests in order of arrival,
// and hold their count: make a new one for every server.
type Match func(*Request) bool

// Always matches every request.
func Always(*Request) bool { return true }

// PromptContains matches requests whose prompt holds text.
func PromptContains(text string) Match {
	return func(r *Request) bool { return strings.Contains(r.Prompt, text) }
}

// Not matches what m does not.
func Not(m Match) Match { return func(r *Request) bool { return !m(r) } }

// First matches the first n requests that among picks (every request when
// among is nil), so that a caller can leave preflight requests out.
func First(n int, among Match) Match {
	return counted(among, func(i int) bool { return i < n })
}

// After matches all but the first n requests that among picks.
func After(n int, among Match) Match {
	return counted(among, func(i int) bool { return i >= n })
}

// Nth matches the requests with these numbers, from 0, of those that among
// picks.
func Nth(among Match, numbers ...int) Match {
	return counted(among, func(i int) bool { return slices.Contains(numbers, i) })
}

// Every matches the first and then every nth request of those that among
// picks.
func Every(n int, among Match) Match {
	return counted(among, func(i int) bool { return i%n == 0 })
}

// FirstOfEach matches the first n tries of every question (prompt, image and
// seed) that among picks.
func FirstOfEach(n int, among Match) Match {
	seen := map[string]int{}
	return func(r *Request) bool {
		if among != nil && !among(r) {
			return false
		}
		k := r.question()
		seen[k]++
		return seen[k] <= n
	}
}

// Share matches the share (0 to 1) of questions that hash gives, the same
// ones at every try.
func Share(share float64, among Match) Match {
	return func(r *Request) bool {
		return (among == nil || among(r)) && unit(r.question(), "share") < share
	}
}

func counted(among Match, pick func(int) bool) Match {
	n := 0
	return func(r *Request) bool {
		if among != nil && !among(r) {
			return false
		}
		n++
		return pick(n - 1)
	}
}
