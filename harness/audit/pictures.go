package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"sync"

	"candor/harness/claim"
	"candor/imageproc"
)

// Pictures is what the images are like. Counts are of images.
type Pictures struct {
	Checked    int            `json:"checked"`
	Missing    int            `json:"missing"`
	Unreadable int            `json:"unreadable"`
	Formats    map[string]int `json:"formats"` // by their first bytes
	Colours    map[string]int `json:"colours"` // rgb, rgba, gray, cmyk or palette
	Misnamed   int            `json:"misnamed"`
	Turned     int            `json:"turned"`   // stored otherwise than upright, by their EXIF
	Tiny       int            `json:"tiny"`     // a side is shorter than one visual token
	Enlarged   int            `json:"enlarged"` // fewer pixels than the model takes
	Reduced    int            `json:"reduced"`  // more
	Repeated   int            `json:"repeated"` // bytes that another image of the set has too
	Across     int            `json:"repeated_across_partitions"`
	Smallest   [2]int         `json:"smallest"` // width and height in pixels, by area
	Largest    [2]int         `json:"largest"`
	Odd        []OddPicture   `json:"odd"`
}

// OddPicture is an image to look at.
type OddPicture struct {
	Image string `json:"image"`
	What  string `json:"what"`
}

// mostOdd is how many images are named.
const mostOdd = 100

// pictures reads every image of the set, as many at once as there are
// processors, unless there is no place to read them from.
func (r *Report) pictures(ctx context.Context, set *claim.Set, opt Options) error {
	names := imagesOf(set.Claims)
	if len(names) == 0 {
		return nil
	}
	if _, _, err := set.Images.Open(ctx, names[0]); errors.Is(err, claim.ErrNoImages) {
		return nil
	}
	if err := claim.CheckImages(ctx, set.Images, names); err != nil {
		return err
	}
	found := make([]picture, len(names))
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(names) && ctx.Err() == nil; i += workers {
				found[i] = lookAt(ctx, set.Images, names[i], opt.Family)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	r.Pictures = &Pictures{Formats: map[string]int{}, Colours: map[string]int{}, Odd: []OddPicture{}}
	for i, p := range found {
		r.Pictures.add(names[i], p, opt.Family)
	}
	r.Pictures.repeated(names, found, opt)
	r.tellPictures()
	return nil
}

func imagesOf(claims []claim.Claim) []string {
	seen := map[string]bool{}
	for _, c := range claims {
		seen[c.ImageSource] = true
	}
	return sorted(seen)
}

func (p *Pictures) add(name string, of picture, f imageproc.Family) {
	p.Checked++
	switch {
	case errors.Is(of.err, fs.ErrNotExist):
		p.Missing++
		p.odd(name, "missing")
		return
	case of.err != nil:
		p.Unreadable++
		p.odd(name, of.err.Error())
		return
	}
	p.Formats[of.format]++
	p.Colours[of.colour]++
	if of.misnamed() {
		p.Misnamed++
		p.odd(name, fmt.Sprintf("a %s named %s", of.format, of.ext))
	}
	if of.colour == "cmyk" {
		p.odd(name, "CMYK colours")
	}
	if of.turned {
		p.Turned++
		p.odd(name, "turned by its EXIF orientation")
	}
	if min(of.width, of.height) < f.Factor() {
		p.Tiny++
		p.odd(name, fmt.Sprintf("%d×%d pixels, too small for the model: it is enlarged", of.width, of.height))
	}
	p.Enlarged += one(of.width*of.height < f.MinPixels)
	p.Reduced += one(of.width*of.height > f.MaxPixels)
	size := [2]int{of.width, of.height}
	if p.Smallest == [2]int{} || area(size) < area(p.Smallest) {
		p.Smallest = size
	}
	if area(size) > area(p.Largest) {
		p.Largest = size
	}
}

func area(size [2]int) int { return size[0] * size[1] }

func (p *Pictures) odd(name, what string) {
	if len(p.Odd) < mostOdd {
		p.Odd = append(p.Odd, OddPicture{Image: name, What: what})
	}
}

// repeated finds images of the same bytes, and those of them that are on both
// sides of the partition, which goes by name.
func (p *Pictures) repeated(names []string, found []picture, opt Options) {
	first := map[string]int{} // by hash
	for i, of := range found {
		if of.err != nil {
			continue
		}
		k, known := first[of.hash]
		if !known {
			first[of.hash] = i
			continue
		}
		p.Repeated++
		across := opt.inEval(names[i]) != opt.inEval(names[k])
		p.Across += one(across)
		what := "the same bytes as " + names[k]
		if across {
			what += ", on the other side of the partition"
		}
		p.odd(names[i], what)
	}
}

func (r *Report) tellPictures() {
	p := r.Pictures
	for _, w := range []struct {
		n          int
		code, text string
	}{
		{p.Missing, "missing_images", "not found"},
		{p.Unreadable, "unreadable_images", "found, but cannot be read"},
		{p.Misnamed, "misnamed_images", "of another kind than the name says (sent as what they are)"},
		{p.Turned, "turned_images", "stored otherwise than upright (turned before they are sent)"},
		{p.Tiny, "tiny_images", "of a side too short for the model (enlarged)"},
		{p.Repeated, "repeated_images", "of the very bytes of another one"},
		{p.Across, "leaking_images", "in one partition and, under another name, in the other: what is fitted on train has seen them"},
	} {
		if w.n > 0 {
			r.warn(w.code, "%d of %s: %s", w.n, plural(p.Checked, "image"), w.text)
		}
	}
}
