package main

import (
	"bytes"
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"candor/harness/claim"
	"candor/harness/claim/scene"
	"candor/imageproc"
)

// dumped is what a job writes.
func dumped(t *testing.T, j job, workers int) (pixels []byte, rows []row, lines string) {
	t.Helper()
	var p, l bytes.Buffer
	if err := j.run(&p, &l, workers); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(l.String()))
	for dec.More() {
		var r row
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return p.Bytes(), rows, l.String()
}

// One seed, the same bytes, with one worker or several; another seed, others.
func TestDumpIsDeterministic(t *testing.T) {
	one, _, oneLines := dumped(t, job{seed: 100, n: 12}, 1)
	three, _, threeLines := dumped(t, job{seed: 100, n: 12}, 3)
	if !bytes.Equal(one, three) || oneLines != threeLines {
		t.Error("one worker writes otherwise than three")
	}
	if other, _, otherLines := dumped(t, job{seed: 101, n: 12}, 2); bytes.Equal(one, other) || oneLines == otherLines {
		t.Error("two seeds, the same scenes")
	}
	// More scenes begin with the same ones.
	if _, _, more := dumped(t, job{seed: 100, n: 14}, 2); !strings.HasPrefix(more, oneLines) {
		t.Error("the first scenes depend on how many there are")
	}
}

// A row says where its picture is and what it shows, and the claims are those
// of the scene, labelled rightly.
func TestRowsDescribeThePictures(t *testing.T) {
	pixels, rows, _ := dumped(t, job{seed: 123, n: 40}, 2)
	offset := int64(0)
	for i, r := range rows {
		if r.Index != i || r.Seed != 123<<20+uint64(i) || r.Offset != offset || r.Width%32 != 0 || r.Height%32 != 0 {
			t.Errorf("row %d: %+v; its pixels begin at %d", i, r, offset)
		}
		offset += int64(3 * r.Width * r.Height)
		for _, o := range r.Objects {
			if o.X < 0 || o.Y < 0 || o.W < 1 || o.H < 1 || o.X+o.W > float64(r.Width)+2 || o.Y+o.H > float64(r.Height)+2 {
				t.Errorf("row %d: %+v lies outside %d×%d", i, o, r.Width, r.Height)
			}
			if slices.Contains(r.Present, o.Kind) == o.Doubtful {
				t.Errorf("row %d: %s, doubtful %v, with %v present", i, o.Kind, o.Doubtful, r.Present)
			}
		}
		splits := make(map[string]int)
		for _, c := range r.Claims {
			splits[c.Split]++
			if !c.Ambiguous && slices.Contains(r.Present, c.Object) != (c.Label == claim.Supported) || !strings.Contains(c.Text, c.Object) {
				t.Errorf("row %d: %+v of %v", i, c, r.Present)
			}
		}
		if len(splits) != 3 || splits["random"] != 6 || splits["popular"] != 6 || splits["adversarial"] != 6 {
			t.Errorf("row %d: claims %v", i, splits)
		}
	}
	if len(rows) != 40 || offset != int64(len(pixels)) {
		t.Errorf("%d rows of %d bytes; %d bytes of pixels", len(rows), offset, len(pixels))
	}
}

// The pixels are those that the server decodes from what the product sends.
func TestPixelsAreThoseSent(t *testing.T) {
	pixels, rows, _ := dumped(t, job{seed: 100, n: 4}, 2)
	family, err := imageproc.FamilyByName("qwen3.5")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		s, err := scene.Generate(r.Seed, scene.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := prepare(s, family)
		if err != nil {
			t.Fatal(err)
		}
		img, _, err := image.Decode(bytes.NewReader(p.Data))
		if err != nil || img.Bounds() != image.Rect(0, 0, r.Width, r.Height) {
			t.Fatalf("%v: %v", img.Bounds(), err)
		}
		for _, at := range []image.Point{{0, 0}, {r.Width / 2, r.Height / 3}, {r.Width - 1, r.Height - 1}} {
			red, green, blue, _ := img.At(at.X, at.Y).RGBA()
			want := []byte{byte(red >> 8), byte(green >> 8), byte(blue >> 8)}
			if got := pixels[r.Offset+3*int64(at.Y*r.Width+at.X):][:3]; !bytes.Equal(got, want) {
				t.Errorf("scene %d at %v: %v; want %v", r.Index, at, got, want)
			}
		}
	}
}

func TestEasyShare(t *testing.T) {
	_, rows, _ := dumped(t, job{seed: 100, n: 30, easyShare: 1}, 2)
	for _, r := range rows {
		if r.Difficulty >= .3 {
			t.Errorf("scene %d has difficulty %.2f", r.Index, r.Difficulty)
		}
	}
}

// Scenes of the demo sets are never drawn to learn from.
func TestRefusals(t *testing.T) {
	for _, j := range []job{
		{seed: 0, n: 1}, {seed: 99, n: 1}, {seed: 1 << 44, n: 1}, // reserved, or wrapping round to those
		{seed: 100}, {seed: 100, n: 1<<20 + 1}, // none, or the next seed's
		{seed: 100, n: 1, easyShare: 1.1}, {seed: 100, n: 1, easyShare: -.1},
	} {
		prefix := filepath.Join(t.TempDir(), "x")
		if err := write(j, prefix); err == nil {
			t.Errorf("%+v was accepted", j)
		}
		if _, err := os.Stat(prefix + ".rgb"); err == nil {
			t.Errorf("%+v left a file", j)
		}
	}
	if err := write(job{seed: 100, n: 1}, ""); err == nil {
		t.Error("no prefix was accepted")
	}
}

func TestWriteMakesBothFiles(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "new", "x")
	if err := write(job{seed: 100, n: 2}, prefix); err != nil {
		t.Fatal(err)
	}
	pixels, _, lines := dumped(t, job{seed: 100, n: 2}, 1)
	for name, want := range map[string][]byte{".rgb": pixels, ".jsonl": []byte(lines)} {
		if got, err := os.ReadFile(prefix + name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(want))
		}
	}
}
