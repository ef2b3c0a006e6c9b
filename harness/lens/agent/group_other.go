//go:build !unix

package agent

import "os/exec"

// group does nothing: what a command has started may outlive it.
func group(*exec.Cmd) {}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
