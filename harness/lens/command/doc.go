// Package command is candor lens: from words for an environment, an agent and a
// judge to a report, a replay or a demonstration.
package command
