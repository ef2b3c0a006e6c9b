//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// continuation tells when the program goes on after it was stopped (Ctrl-Z).
type continuation struct{ c chan os.Signal }

func resumed() continuation {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGCONT)
	return continuation{c}
}

func (c continuation) stop() { signal.Stop(c.c) }
