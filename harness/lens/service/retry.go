package service

import (
	"context"
	"fmt"
	"time"
)

// What is tried, as by the published packages: three times, waiting 2 s and
// then 4 s.
const (
	tries = 3
	pause = 2 * time.Second
)

// maxAsked is how long a service may ask to be left alone.
const maxAsked = time.Minute

// Patiently does something once more, and again, where it failed for now: the
// service is busy, broken or out of reach. In between it sleeps 2 s and 4 s, or
// as long as the service asks, but for a minute at most. What will not go away
// by itself, such as a wrong key, is not tried again. A nil sleep is real.
func Patiently(ctx context.Context, sleep func(context.Context, time.Duration) error, do func() error) error {
	if sleep == nil {
		sleep = sleepOf
	}
	for try := 1; ; try++ {
		err := do()
		after, again := Temporary(err)
		switch {
		case !again || ctx.Err() != nil:
			return err
		case try == tries:
			return fmt.Errorf("asked %d times: %w", tries, err)
		case after > maxAsked:
			return fmt.Errorf("%w (it asks to be left alone for %v)", err, after)
		}
		if err := sleep(ctx, max(after, time.Duration(try)*pause)); err != nil {
			return err
		}
	}
}

func sleepOf(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
