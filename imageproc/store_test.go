package imageproc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// shelf is a source of images in memory, or made when asked for; it counts.
type shelf struct {
	make func(name string) ([]byte, error)

	mu     sync.Mutex
	opened map[string]int
}

func (s *shelf) Open(ctx context.Context, name string) ([]byte, string, error) {
	s.mu.Lock()
	if s.opened == nil {
		s.opened = map[string]int{}
	}
	s.opened[name]++
	s.mu.Unlock()
	data, err := s.make(name)
	return data, name + ".file", err
}

func newStore(t testing.TB, source Source, f Family, l Limits) *Store {
	t.Helper()
	p, err := NewPreparer(f, PolicyReference)
	if err != nil {
		t.Fatal(err)
	}
	s := NewStore(source, p, l)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// checked fails the test unless every image is accepted.
func checked(t testing.TB, s *Store, names []string) {
	t.Helper()
	for i, err := range s.Check(t.Context(), names) {
		if err != nil {
			t.Fatal(names[i], err)
		}
	}
}

// photo draws a picture that no other seed has.
func photo(width, height int, seed byte) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x*3) + seed, uint8(y*5) ^ seed, uint8(x * y / 64), 255})
		}
	}
	return img
}

func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func jpegOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, img, nil); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// Wherever the bytes lie between Check and Get, they are those that Prepare
// makes; and how often the source is read tells that nothing is decoded twice
// as long as there is room.
func TestStoreKeepsWhatItPrepared(t *testing.T) {
	files := map[string][]byte{
		"on the grid": pngOf(t, photo(64, 48, 1)), "off the grid": pngOf(t, photo(61, 50, 2)),
		"its double": pngOf(t, photo(61, 50, 2)), "another": jpegOf(t, photo(70, 50, 3)),
	}
	names := []string{"on the grid", "off the grid", "its double", "another"}
	tests := []struct {
		name   string
		limits Limits
		reads  []int // of each image, for Check and three Gets
	}{
		{"in memory", Limits{Memory: 1 << 20}, []int{1, 1, 1, 1}},
		// What passes through is read again, and not decoded.
		{"on disk", Limits{Disk: 1 << 20}, []int{4, 1, 1, 1}},
		{"nowhere", Limits{}, []int{4, 4, 4, 4}},
	}
	for _, tt := range tests {
		source := &shelf{make: func(name string) ([]byte, error) { return files[name], nil }}
		s := newStore(t, source, tiny(), tt.limits)
		checked(t, s, names)
		for range 3 {
			for _, name := range names {
				want, err := Prepare(files[name], tiny(), PolicyReference)
				if err != nil {
					t.Fatal(err)
				}
				got, err := s.Get(t.Context(), name)
				if err != nil || !bytes.Equal(got.Data, want.Data) || got.SentSHA256 != want.SentSHA256 || got.Tokens != want.Tokens {
					t.Errorf("%s, %s: %v", tt.name, name, err)
				}
				if facts, ok := s.Facts(name); !ok || facts.Data != nil || facts.Width != want.Width {
					t.Errorf("%s, %s: facts %+v, %v", tt.name, name, facts, ok)
				}
			}
		}
		for i, name := range names {
			if source.opened[name] != tt.reads[i] {
				t.Errorf("%s: %s was read %d times; want %d", tt.name, name, source.opened[name], tt.reads[i])
			}
		}
	}
}

// Errors stand in the order of the names, whatever the order of the work, and
// name the file.
func TestCheckErrorsInOrder(t *testing.T) {
	good, missing := pngOf(t, photo(64, 48, 1)), errors.New("no such image")
	source := &shelf{make: func(name string) ([]byte, error) {
		switch name[0] {
		case 'b':
			time.Sleep(time.Millisecond) // the later ones are done first
			return good[:len(good)/2], nil
		case 'm':
			return nil, missing
		case 'h':
			return []byte("<html>"), nil
		}
		return good, nil
	}}
	names := []string{"b1", "g1", "m1", "h1", "g2", "b2", "m2", "g3"}
	wants := []error{ErrDecode, nil, missing, ErrNotImage, nil, ErrDecode, missing, nil}
	s := newStore(t, source, tiny(), DefaultLimits())
	for i, err := range s.Check(t.Context(), names) {
		if !errors.Is(err, wants[i]) || (err == nil) != (wants[i] == nil) {
			t.Errorf("%s: %v; want %v", names[i], err, wants[i])
		}
		if err != nil && !errors.Is(err, missing) && !strings.Contains(err.Error(), names[i]+".file") {
			t.Errorf("%q does not name %s", err, names[i])
		}
	}
	if _, err := s.Get(t.Context(), "b1"); err == nil {
		t.Error("an image that was refused can be had")
	}
}

// An image that is no longer what it was is not sent.
func TestGetRefusesChanged(t *testing.T) {
	seed := byte(1)
	source := &shelf{make: func(name string) ([]byte, error) { return pngOf(t, photo(len(name), 48, seed)), nil }}
	names := []string{strings.Repeat("a", 64), strings.Repeat("b", 61)} // one passes through
	s := newStore(t, source, tiny(), Limits{})
	checked(t, s, names)
	seed = 2
	for _, name := range names {
		if _, err := s.Get(t.Context(), name); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), name+".file") {
			t.Errorf("%v; want ErrChanged", err)
		}
	}
}

// When the context ends, nothing more is begun, and nothing is under way once
// Check has returned.
func TestCheckCancelled(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx, cancel := context.WithCancel(t.Context())
	names := make([]string, 200)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	var mu sync.Mutex
	begun, done := 0, 0
	good := pngOf(t, photo(61, 50, 1))
	source := &shelf{make: func(name string) ([]byte, error) {
		mu.Lock()
		begun++
		if begun == 5 {
			cancel()
		}
		mu.Unlock()
		time.Sleep(2 * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		done++
		return good, nil
	}}
	s := newStore(t, source, tiny(), DefaultLimits())
	errs := s.Check(ctx, names)
	mu.Lock()
	defer mu.Unlock()
	if begun != done || begun > 5+runtime.GOMAXPROCS(0) {
		t.Errorf("%d begun, %d done; want the same, and few more than 5", begun, done)
	}
	if !errors.Is(errs[len(errs)-1], context.Canceled) || slices.Contains(errs[150:], nil) {
		t.Errorf("images that were not begun have errors %v", errs[150:])
	}
}

// Memory stays within bounds however many images there are: 300 that pass
// through, 1 MB each, and 60 of nearly 200 KB when prepared go through a store
// that may hold 4 MB of them.
func TestStoreMemoryIsBounded(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	// What follows the end of a PNG is ignored: other bytes, the same pixels.
	noisy, plain := noise(t, 250, 250), append(pngOf(t, photo(64, 48, 1)), make([]byte, 1<<20)...)
	source := &shelf{make: func(name string) ([]byte, error) {
		if name < "0060" {
			return append(slices.Clone(noisy), name...), nil
		}
		return append(slices.Clone(plain), name...), nil
	}}
	names := make([]string, 360)
	for i := range names {
		names[i] = fmt.Sprintf("%04d", i)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	s := newStore(t, source, tiny(), Limits{Memory: 4 << 20, Disk: 1 << 30})
	before := heap()
	most := watchHeap()
	checked(t, s, names)
	total := 0
	for _, name := range names {
		p, err := s.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		total += len(p.Data)
	}
	peak := most() - before
	bound := int64(16+8*runtime.GOMAXPROCS(0)) << 20
	t.Logf("%d MB were prepared, with at most %d MB of memory", total>>20, peak>>20)
	if total < 300<<20 {
		t.Fatalf("only %d bytes were prepared", total)
	}
	if peak > bound {
		t.Errorf("%d MB of memory for a store of 4 MB; want at most %d", peak>>20, bound>>20)
	}
	if left, err := os.ReadDir(folder); err != nil || runtime.GOOS != "windows" && len(left) != 0 {
		t.Errorf("files that others see: %v, %v", left, err)
	}
}

// heap is the memory in use, garbage not yet collected included.
func heap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// watchHeap looks at the heap often until the function it returns is called,
// which tells the most it was.
func watchHeap() func() int64 {
	stop, most := make(chan struct{}), make(chan int64)
	go func() {
		var peak int64
		for {
			peak = max(peak, heap())
			select {
			case <-stop:
				most <- peak
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() int64 { close(stop); return <-most }
}

// A disk without room costs time, and no answer.
func TestStoreWithoutDisk(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	data := pngOf(t, photo(61, 50, 1))
	s := newStore(t, &shelf{make: func(string) ([]byte, error) { return data, nil }}, tiny(), Limits{Disk: 1 << 20})
	checked(t, s, []string{"a"})
	if p, err := s.Get(t.Context(), "a"); err != nil || p.Width != 64 {
		t.Errorf("%+v, %v", p, err)
	}
}

// Images wait for one another when together they would have more pixels than
// the limit, as long as the context lasts.
func TestPreparerSharesRoom(t *testing.T) {
	p, err := NewPreparer(tiny(), PolicyReference)
	if err != nil {
		t.Fatal(err)
	}
	data := pngOf(t, photo(61, 50, 1))
	if err := p.room.Acquire(t.Context(), most-61*50*perPixel+1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := p.Prepare(ctx, data); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without room: %v; want its context's error", err)
	}
	p.room.Release(1)
	if _, err := p.Prepare(t.Context(), data); err != nil {
		t.Error(err)
	}
}

// The canvas and the encoder's buffers are made once for many images.
func TestPreparerReusesBuffers(t *testing.T) {
	data := jpegOf(t, photo(610, 500, 1))
	p, err := NewPreparer(tiny(), PolicyReference)
	if err != nil {
		t.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it empties pools
	allocated := func(prepare func() (*Prepared, error)) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 5 {
			if _, err := prepare(); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	each := allocated(func() (*Prepared, error) { return Prepare(data, tiny(), PolicyReference) })
	shared := allocated(func() (*Prepared, error) { return p.Prepare(t.Context(), data) })
	// Under the race detector pools drop a quarter of what is put back.
	if saved := int64(each) - int64(shared); saved < 2*4*610*500 {
		t.Errorf("five images allocate %d KB with shared buffers, %d KB without", shared>>10, each>>10)
	}
}

// noise is a PNG that cannot be compressed.
func noise(t testing.TB, width, height int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	state := uint32(1)
	for i := range img.Pix {
		state = state*1664525 + 1013904223
		img.Pix[i] = uint8(state >> 24)
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return pngOf(t, img)
}
