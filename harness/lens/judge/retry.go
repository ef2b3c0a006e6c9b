package judge

import (
	"context"
	"fmt"
	"time"

	"candor/harness/lens/service"
	"candor/infer"
)

// What is tried, as published: three times, waiting 2 s and then 4 s.
const (
	tries = 3
	wait  = 2 * time.Second
)

// maxAsked is how long a service may ask to be left alone.
const maxAsked = time.Minute

// Retrying asks again where no reply could be had for now: the service is busy,
// broken or out of reach. It waits as published, or as long as the service
// asks, but for a minute at most. What will not go away by itself, such as a
// wrong key, is not tried again (the published packages do). A reply that
// cannot be read is one all the same.
func Retrying(j Judge, sleep func(context.Context, time.Duration) error) Judge {
	return func(ctx context.Context, prompt string) (string, error) {
		for try := 1; ; try++ {
			reply, err := j(ctx, prompt)
			after, again := temporary(err)
			if !again || ctx.Err() != nil {
				return reply, err
			}
			if try == tries {
				return "", fmt.Errorf("asked %d times: %w", tries, err)
			}
			if after > maxAsked {
				return "", fmt.Errorf("%w (it asks to be left alone for %v)", err, after)
			}
			if err := sleep(ctx, max(after, time.Duration(try)*wait)); err != nil {
				return "", err
			}
		}
	}
}

func temporary(err error) (after time.Duration, ok bool) {
	if err == nil {
		return 0, false
	}
	if after, ok = service.Temporary(err); ok {
		return after, true
	}
	return 0, infer.ClassOf(err) == infer.ClassRetry
}
