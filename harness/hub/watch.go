package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

var (
	// errCut is a body that ended before its end.
	errCut = errors.New("the connection was cut")
	// errStalled is the cause of the end of a request that nothing comes from.
	errStalled = fmt.Errorf("%w: nothing came any more", errCut)
)

// watchdog ends a request whose body brings nothing for some time.
type watchdog struct {
	timer    *time.Timer
	patience time.Duration
	ctx      context.Context
	cancel   context.CancelCauseFunc
}

// watch returns a context for a request whose body is to be watched.
func (c *Client) watch(ctx context.Context) (context.Context, *watchdog) {
	w := &watchdog{patience: c.set.DownloadTimeout}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	return w.ctx, w
}

func (w *watchdog) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.cancel(nil)
}

// over begins to watch a body.
func (w *watchdog) over(body io.ReadCloser) io.ReadCloser {
	w.timer = time.AfterFunc(w.patience, func() { w.cancel(errStalled) })
	return watched{body, w}
}

type watched struct {
	io.ReadCloser
	w *watchdog
}

func (b watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.w.timer.Reset(b.w.patience)
	}
	if err != nil && errors.Is(context.Cause(b.w.ctx), errStalled) {
		err = errStalled
	}
	return n, err
}
