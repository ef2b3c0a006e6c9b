package export_test

import (
	"os/exec"
	"syscall"
)

// ownGroup lets a server be ended with its workers.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func endGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended itself
	_ = cmd.Wait()
}
