// Package pyjson reads and writes JSON texts as Python's json module does.
//
// Agents see observations as text, and what they were trained and measured on
// is the text of a Python program: json.dumps(observation, indent=2). So keys
// stay in the order of the wire, everything but ASCII is escaped, floats are
// spelled as Python's repr spells them, and integers keep all their digits.
// The way back, from what an agent says to the action that is sent, follows
// Python too, where it matters: in what counts as JSON at all.
package pyjson
