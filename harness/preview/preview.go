// Package preview tells of image files what a run would send of them: at which
// size, for how many visual tokens, in how many bytes, and whether the file goes
// as it is. It reads, checks and prepares them as a run does, so what it refuses
// a run would refuse, in the same words.
package preview

import (
	"context"
	"errors"
	"runtime"

	"candor/harness/claim"
	"candor/imageproc"

	"golang.org/x/sync/errgroup"
)

// Image is what becomes of one file. Of a file that cannot be sent only File,
// Error, and what its first bytes told are set.
type Image struct {
	File        string `json:"file"`
	Format      string `json:"format"` // by its bytes: jpeg, png, gif, webp, bmp or tiff; "" is none of these
	Width       int    `json:"width"`  // pixels as stored, before Orientation
	Height      int    `json:"height"` // pixels as stored, before Orientation
	SentWidth   int    `json:"sent_width"`
	SentHeight  int    `json:"sent_height"`
	SentFormat  string `json:"sent_format"`
	Tokens      int    `json:"tokens"` // visual tokens the model spends on it
	Bytes       int    `json:"bytes"`
	SentBytes   int    `json:"sent_bytes"`
	Passed      bool   `json:"passed_through"` // sent byte for byte
	Orientation int    `json:"orientation"`    // EXIF, 1 to 8; 1 is upright, 0 is not known

	SourceSHA256 string `json:"source_sha256"` // lower-case hex, as in a trace
	SentSHA256   string `json:"sent_sha256"`
	Error        string `json:"error"` // why it cannot be sent
}

// Images prepares files, as many at once as there are processors, and hands each
// to show in the order of names, with the bytes that would be sent; nil for one
// that cannot be. An error of show, or the end of ctx, ends it.
func Images(ctx context.Context, p *imageproc.Preparer, names []string, show func(Image, []byte) error) error {
	type result struct {
		image Image
		sent  []byte
		err   error
	}
	g, ctx := errgroup.WithContext(ctx)
	queue := make(chan chan result, runtime.GOMAXPROCS(0)) // bounds what is ready and not yet shown
	g.Go(func() error {
		defer close(queue)
		for _, name := range names {
			one := make(chan result, 1)
			select {
			case queue <- one:
			case <-ctx.Done():
				return ctx.Err()
			}
			g.Go(func() error {
				img, sent, err := prepare(ctx, p, name)
				one <- result{img, sent, err}
				return nil
			})
		}
		return nil
	})
	g.Go(func() error {
		for one := range queue {
			r := <-one
			if r.err != nil {
				return r.err
			}
			if err := show(r.image, r.sent); err != nil {
				return err
			}
		}
		return nil
	})
	return g.Wait()
}

// prepare fails only where ctx has ended; what is wrong with a file is in Image.
func prepare(ctx context.Context, p *imageproc.Preparer, name string) (Image, []byte, error) {
	img := Image{File: name}
	data, err := claim.ReadImage(name)
	if err != nil {
		img.Error = err.Error()
		return img, nil, ctx.Err()
	}
	img.Bytes = len(data)
	img.Format, _ = imageproc.Sniff(data) // what it is not, Prepare says
	out, err := p.Prepare(ctx, data)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return img, nil, err
	}
	if err != nil {
		img.Error = err.Error()
		return img, nil, nil
	}
	img.Width, img.Height, img.Orientation = out.SourceWidth, out.SourceHeight, out.Orientation
	img.SentWidth, img.SentHeight, img.SentFormat = out.Width, out.Height, out.Format
	img.Tokens, img.SentBytes, img.Passed = out.Tokens, len(out.Data), out.PassedThrough
	img.SourceSHA256, img.SentSHA256 = out.SourceSHA256, out.SentSHA256
	return img, out.Data, nil
}
