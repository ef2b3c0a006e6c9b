// Package agent reaches agents of many kinds: a model on any server that infer
// knows, an OpenAI-compatible endpoint, a command that speaks lines of JSON, an
// HTTP endpoint. Each becomes a function from an observation to an action and
// its reasons, as package play takes them; an error says that no answer could
// be had, and is never an answer.
package agent
