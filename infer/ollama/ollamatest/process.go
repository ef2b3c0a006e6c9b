package ollamatest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// PID is the process id of the server itself.
func (s *Server) PID() int { return s.command.Process.Pid }

// Stop ends the server and its runners and waits until they are gone. More
// than one call does no harm; the test's end calls it too.
func (s *Server) Stop() {
	s.t.Helper()
	_ = s.command.Process.Signal(syscall.SIGTERM) // an error says that it has exited
	select {
	case <-s.exited:
	case <-time.After(stopTimeout):
		s.t.Errorf("the server ignores SIGTERM for %v and is killed", stopTimeout)
	}
	s.killGroup()
	if !eventually(func() bool { return len(s.group()) == 0 }) {
		s.t.Errorf("processes %v of the server outlive it", s.group())
	}
}

// Kill kills the server as a crash would, leaving its runners behind. Stop, or
// the end of the test, removes them.
func (s *Server) Kill() {
	_ = s.command.Process.Kill()
	<-s.exited
}

// KillRunners kills the runner processes, of which the server has one for each
// loaded model, waits until they are gone, and returns how many there were.
func (s *Server) KillRunners() int {
	s.t.Helper()
	pids := s.RunnerPIDs()
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			s.t.Fatalf("killing runner %d: %v", pid, err)
		}
	}
	gone := func() bool {
		alive := s.group() // a dying process loses its arguments first
		return !slices.ContainsFunc(pids, func(pid int) bool { return slices.Contains(alive, pid) })
	}
	if !eventually(gone) {
		s.t.Fatalf("runners %v survive SIGKILL", pids)
	}
	return len(pids)
}

// RunnerPIDs lists the runner processes, orphans of a killed server included.
func (s *Server) RunnerPIDs() []int {
	return slices.DeleteFunc(s.group(), func(pid int) bool {
		arguments, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		// Reading fails when the process has ended meanwhile.
		return err != nil || !bytes.Contains(arguments, []byte("\x00runner\x00"))
	})
}

func (s *Server) killGroup() {
	_ = syscall.Kill(-s.PID(), syscall.SIGKILL) // fails when nobody is left
}

// group lists the live processes of the server's process group, to which its
// runners belong.
func (s *Server) group() []int {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		s.t.Fatal(err)
	}
	var pids []int
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		pid, state, group := parseStat(string(text))
		if group == s.PID() && state != "Z" && state != "X" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parseStat reads process id, state and process group from /proc/PID/stat
// (proc(5)): "PID (name) state parent group …", where name may hold blanks and
// parentheses.
func parseStat(text string) (pid int, state string, group int) {
	first, _, _ := strings.Cut(text, " ")
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 3 {
		return 0, "", 0
	}
	pid, _ = strconv.Atoi(first)
	group, _ = strconv.Atoi(fields[2])
	return pid, fields[0], group
}

// eventually polls for a few seconds.
func eventually(condition func() bool) bool {
	for range 250 {
		if condition() {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return condition()
}
