package openenv

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// slowUpload begins an upload of which some bytes come and then no more until
// it gives way.
func slowUpload(t *testing.T, b *budget, bytes int) (ended chan error) {
	r, w := io.Pipe()
	u := &upload{giveWay: func() { w.CloseWithError(io.ErrClosedPipe) }, waits: func(bool) {}}
	ended = make(chan error, 1)
	go func() {
		_, _, err := b.readAll(t.Context(), r, u)
		ended <- err
	}()
	go func() { io.WriteString(w, strings.Repeat("x", bytes)) }()
	t.Cleanup(func() { w.CloseWithError(io.ErrClosedPipe) })
	return ended
}

func quickUpload(ctx context.Context, b *budget, bytes int) (func(), error) {
	_, release, err := b.readAll(ctx, strings.NewReader(strings.Repeat("x", bytes)), &upload{giveWay: func() {}, waits: func(bool) {}})
	return release, err
}

// Where uploads that stop take all the room, those that come get it after all:
// the others give way, no more of them than must.
func TestStalledUploadsGiveWay(t *testing.T) {
	const most = 2 << 20
	b := newBudget(most, time.Minute)
	var stalled []chan error
	for range 7 { // four have room and three wait
		stalled = append(stalled, slowUpload(t, b, most-9))
	}
	full := func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.long.free == 0 && len(b.long.queue) == 3
	}
	for !full() {
		time.Sleep(time.Millisecond)
	}
	// What is of middling length need not wait for that.
	soon, cancel := context.WithCancel(t.Context())
	release, err := quickUpload(soon, b, most/16)
	if err != nil {
		t.Fatal(err)
	}
	release()
	cancel()
	release, err = quickUpload(t.Context(), b, most)
	if err != nil {
		t.Fatal(err)
	}
	release()
	gone := 0
	for _, one := range stalled {
		select {
		case err := <-one:
			if err == nil {
				t.Error("half a message is taken for a whole one")
			}
			gone++
		default:
		}
	}
	if gone == 0 {
		t.Error("none gave way")
	}
}

// All that is taken is given back, whether a message comes wholly, stops or
// never gets room.
func TestBudgetIsGivenBack(t *testing.T) {
	const most = 2 << 20
	b := newBudget(most, time.Minute)
	free := func() [2]int64 {
		b.mu.Lock()
		defer b.mu.Unlock()
		return [2]int64{b.middling.free, b.long.free}
	}
	before := free()
	var releases []func()
	for i := range 8 { // as many whole messages as there is room for
		release, err := quickUpload(t.Context(), b, most/16+i*most/16)
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, release)
	}
	if free() == before {
		t.Error("messages that are being answered take no room")
	}
	for _, release := range releases {
		release()
		release() // once more does nothing
	}
	if after := free(); after != before {
		t.Errorf("%v is free, of %v", after, before)
	}
	ended := slowUpload(t, b, most/2)
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	go func() {
		io.WriteString(w, strings.Repeat("x", most/2))
		cancel()
		w.CloseWithError(io.ErrUnexpectedEOF)
	}()
	if _, _, err := b.readAll(ctx, r, &upload{giveWay: func() {}, waits: func(bool) {}}); err == nil {
		t.Error("half a message is taken for a whole one")
	}
	select {
	case err := <-ended:
		t.Errorf("an upload gave way to none: %v", err)
	default:
	}
}
