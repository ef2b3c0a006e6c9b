//go:build unix

package agent

import (
	"os/exec"
	"syscall"
)

// group has a command and whatever it starts end together.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
