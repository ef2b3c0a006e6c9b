package openenv_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"candor/harness/openenv"
)

// start starts a server on a free port; stop ends it and says how it ended.
func start(t testing.TB, spec openenv.Spec, options openenv.Options) (address string, stop func() error) {
	t.Helper()
	if options.Limits.Grace == 0 {
		options.Limits.Grace = 5 * time.Second
	}
	server, err := openenv.NewServer(spec, options)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	return listener.Addr().String(), sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
}
