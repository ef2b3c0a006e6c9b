package selective

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"candor/harness/claim"
	"candor/imageproc"
)

// picturesPath is where a server has the images, each under the sha256 of its
// bytes.
const picturesPath = "/images/"

func picturePath(p *imageproc.Prepared) string { return picturesPath + p.SentSHA256 + "." + p.Format }

// pictures are the images, each prepared when it is first asked for.
type pictures struct {
	store *imageproc.Store

	mu    sync.Mutex
	gates map[string]*gate  // by image source
	names map[string]string // image sources by the sha256 of what was made of them
}

// gate lets one at a time prepare an image, whoever gives up waiting.
type gate struct {
	free  chan struct{} // holds one token
	ready bool          // for who has it
}

func newPictures(images claim.Images, preparer *imageproc.Preparer, limits imageproc.Limits) *pictures {
	return &pictures{
		store: imageproc.NewStore(images, preparer, limits),
		gates: map[string]*gate{}, names: map[string]string{},
	}
}

// get returns an image as it is to be sent. Its bytes are shared. What cannot
// be prepared is tried again the next time: a file may have come meanwhile.
func (p *pictures) get(ctx context.Context, name string) (*imageproc.Prepared, error) {
	gate := p.gate(name)
	select {
	case <-gate.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !gate.ready {
		if err := p.store.Check(ctx, []string{name})[0]; err != nil {
			gate.free <- struct{}{}
			return nil, err
		}
		gate.ready = true
		p.publish(name)
	}
	gate.free <- struct{}{}
	return p.store.Get(ctx, name)
}

// picture is the image of an episode, nil where a form has none.
func (t *Tasks) picture(ctx context.Context, of episode, form form) (*imageproc.Prepared, error) {
	if form == formNone {
		return nil, nil
	}
	picture, err := t.pictures.get(ctx, of.image)
	return picture, of.needs(err)
}

func (p *pictures) gate(name string) *gate {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.gates[name]
	if g == nil {
		g = &gate{free: make(chan struct{}, 1)}
		g.free <- struct{}{}
		p.gates[name] = g
	}
	return g
}

// publish lets the image be fetched by its sum.
func (p *pictures) publish(name string) {
	facts, _ := p.store.Facts(name)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.names[facts.SentSHA256] = name
}

// ServeHTTP gives an image that an observation named. Others are not found,
// those of the set that nobody was shown yet among them.
func (p *pictures) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sum, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, picturesPath), ".")
	p.mu.Lock()
	name, ok := p.names[sum]
	p.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	picture, err := p.get(r.Context(), name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", mediaType(picture))
	w.Header().Set("ETag", `"`+sum+`"`)
	// What a sum names cannot change; whether to share it is not for caches.
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(picture.Data))
}

func (p *pictures) close() error { return p.store.Close() }
