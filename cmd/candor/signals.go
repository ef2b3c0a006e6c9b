package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// signals turns Ctrl-C into an orderly end. The first one closes stop, for a
// command that can finish what is in flight, or cancels ctx for any other; the
// second cancels ctx at once. One more ends the process whatever it does.
type signals struct {
	ctx    context.Context
	stop   chan struct{}
	gentle atomic.Pointer[func(string)] // set by a command that listens to stop: how it tells the user
	cancel context.CancelFunc
	notify chan os.Signal
}

func watchSignals() *signals {
	s := &signals{stop: make(chan struct{}), notify: make(chan os.Signal, 2)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	signal.Notify(s.notify, os.Interrupt, syscall.SIGTERM)
	go func() {
		if _, ok := <-s.notify; !ok {
			return
		}
		close(s.stop)
		if say := s.gentle.Load(); say != nil {
			(*say)("candor: finishing what is in flight; once more to stop at once")
			if _, ok := <-s.notify; !ok {
				return
			}
		}
		s.cancel()
		signal.Stop(s.notify)
	}()
	return s
}

// finishFirst makes the first signal leave what is in flight to the command,
// and say so.
func (s *signals) finishFirst(say func(string)) { s.gentle.Store(&say) }

func (s *signals) close() {
	signal.Stop(s.notify)
	close(s.notify)
	s.cancel()
}
