package judge

import (
	"context"
	"time"
)

// What is tried, as published: three times, waiting 2 s and then 4 s.
const (
	tries = 3
	wait  = 2 * time.Second
)

// Retrying asks again when no reply could be had. A reply that cannot be read is
// one all the same.
func Retrying(j Judge, sleep func(context.Context, time.Duration) error) Judge {
	return func(ctx context.Context, prompt string) (string, error) {
		for try := 1; ; try++ {
			reply, err := j(ctx, prompt)
			if err == nil || try == tries || ctx.Err() != nil {
				return reply, err
			}
			if err := sleep(ctx, time.Duration(try)*wait); err != nil {
				return "", err
			}
		}
	}
}
