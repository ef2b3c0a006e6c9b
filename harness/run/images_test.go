package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/harness/claim"
	"candor/imageproc"
)

// counter is a source of images that counts how often each is opened.
type counter struct {
	bad   map[string]bool
	delay time.Duration

	mu     sync.Mutex
	opened map[string]int
	busy   int
}

func (c *counter) Open(ctx context.Context, name string) ([]byte, string, error) {
	c.count(name, 1)
	defer c.count("", -1)
	time.Sleep(c.delay)
	if c.bad[name] {
		return []byte("<html>"), name + ".jpg", nil
	}
	var n int
	if _, err := fmt.Sscanf(name, "%d", &n); err != nil {
		return nil, "", err
	}
	img := image.NewGray(image.Rect(0, 0, 300+n, 224)) // off the grid, no two alike
	img.SetGray(0, 0, color.Gray{uint8(n)})
	var buf bytes.Buffer
	err := png.Encode(&buf, img)
	return buf.Bytes(), name + ".jpg", err
}

func (c *counter) count(name string, busy int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy += busy
	if name != "" {
		c.opened[name]++
	}
}

// sixEach is claims about n images, six each, one image after the other.
func sixEach(n int) (claims []claim.Claim, tasks []Task) {
	for i := range n {
		for k := range 6 {
			c := claim.Claim{ID: fmt.Sprintf("random/%d-%d", i, k), ImageSource: fmt.Sprint(i)}
			claims, tasks = append(claims, c), append(tasks, Task{Claim: c, User: c.ID})
		}
	}
	return claims, tasks
}

func verified(t *testing.T, source *counter, n int) *asking {
	t.Helper()
	source.opened = map[string]int{}
	claims, tasks := sixEach(n)
	s := newImageStore(source, claims)
	t.Cleanup(s.close)
	f, _ := imageproc.FamilyOf("qwen35")
	if err := s.verify(t.Context(), f, imageproc.PolicyReference, Silent{}); err != nil {
		t.Fatal(err)
	}
	return &asking{run: &openedRun{}, plan: &Plan{images: s, Tasks: tasks}, halt: make(chan struct{})}
}

// However many claims an image has, it is opened and decoded once; jobs come in
// the order of the tasks, each with its own image.
func TestImagesArePreparedOnce(t *testing.T) {
	source := &counter{}
	a := verified(t, source, 20)
	ahead, cancel := a.prepareAhead(t.Context(), a.plan.Tasks)
	defer cancel()
	a.prepared = ahead
	n := 0
	for jobs, more := a.Next(); more; jobs, more = a.Next() {
		if len(jobs) != 6 {
			t.Fatalf("%d jobs of an image; want 6", len(jobs))
		}
		for _, j := range jobs {
			if want := a.plan.Tasks[n].ID; j.task.ID != want || j.image.SourceWidth != 300+n/6 {
				t.Fatalf("job %d is %s with an image %d wide; want %s", n, j.task.ID, j.image.SourceWidth, want)
			}
			n++
		}
	}
	if n != 120 || len(source.opened) != 20 {
		t.Errorf("%d jobs, %d images", n, len(source.opened))
	}
	for name, opened := range source.opened {
		if opened != 1 {
			t.Errorf("image %s was opened %d times", name, opened)
		}
	}
}

// Where bytes cannot be kept, images are prepared a few ahead of their turn and
// no more; when that is cancelled, none is under way.
func TestPrepareAheadIsCancelled(t *testing.T) {
	source := &counter{}
	a := verified(t, source, 40)
	a.plan.images.limits = imageproc.Limits{}
	f, _ := imageproc.FamilyOf("qwen35")
	if err := a.plan.images.verify(t.Context(), f, imageproc.PolicyReference, Silent{}); err != nil {
		t.Fatal(err)
	}
	source.mu.Lock()
	source.opened, source.delay = map[string]int{}, 2*time.Millisecond
	source.mu.Unlock()
	ahead, cancel := a.prepareAhead(t.Context(), a.plan.Tasks)
	a.prepared = ahead
	if jobs, more := a.Next(); !more || jobs[0].task.ID != a.plan.Tasks[0].ID {
		t.Fatalf("%v, %v", jobs, more)
	}
	time.Sleep(10 * time.Millisecond)
	cancel()
	source.mu.Lock()
	defer source.mu.Unlock()
	// One that was handed on, those in the channel, one waiting to be put there.
	if most := cap(ahead) + 2; source.busy != 0 || len(source.opened) > most {
		t.Errorf("%d under way after cancelling, %d opened; want 0 and at most %d", source.busy, len(source.opened), most)
	}
}

// Every image that cannot be used is named, in the order of asking, with a
// claim that needs it.
func TestVerifyNamesBadImagesInOrder(t *testing.T) {
	source := &counter{bad: map[string]bool{"17": true, "3": true, "9": true}, opened: map[string]int{}}
	claims, _ := sixEach(20)
	s := newImageStore(source, claims)
	defer s.close()
	f, _ := imageproc.FamilyOf("qwen35")
	err := s.verify(t.Context(), f, imageproc.PolicyReference, Silent{})
	if err == nil || !strings.HasPrefix(err.Error(), "3 of 20 images cannot be used; nothing was asked") {
		t.Fatal(err)
	}
	at := -1
	for _, name := range []string{"3", "9", "17"} {
		i := strings.Index(err.Error(), fmt.Sprintf("image %s.jpg: not a readable image", name))
		if i <= at || !strings.Contains(err.Error()[i:], fmt.Sprintf("(needed by claim random/%s-0)", name)) {
			t.Errorf("image %s is not named in its turn:\n%v", name, err)
		}
		at = i
	}
}

// A cancelled check is an interruption, and leaves nothing under way.
func TestVerifyCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	source := &counter{opened: map[string]int{}, delay: 5 * time.Millisecond}
	claims, _ := sixEach(60)
	s := newImageStore(source, claims)
	defer s.close()
	time.AfterFunc(10*time.Millisecond, cancel)
	f, _ := imageproc.FamilyOf("qwen35")
	if err := s.verify(ctx, f, imageproc.PolicyReference, Silent{}); !errors.Is(err, ErrInterrupted) {
		t.Errorf("%v; want ErrInterrupted", err)
	}
	source.mu.Lock()
	defer source.mu.Unlock()
	if source.busy != 0 || len(source.opened) == 60 {
		t.Errorf("%d under way, %d opened", source.busy, len(source.opened))
	}
}
