package judge

import (
	"context"
	"time"

	"candor/harness/lens/service"
)

// Retrying asks again where no reply could be had for now, see
// [service.Patiently]; the published packages also repeat what cannot succeed.
// A reply that cannot be read is one all the same.
func Retrying(j Judge, sleep func(context.Context, time.Duration) error) Judge {
	return func(ctx context.Context, prompt string) (reply string, err error) {
		err = service.Patiently(ctx, sleep, func() error {
			reply, err = j(ctx, prompt)
			return err
		})
		return reply, err
	}
}
