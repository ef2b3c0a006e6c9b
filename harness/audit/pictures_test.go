package audit_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"candor/harness/audit"
	"candor/harness/claim"
	"candor/scoring"

	"github.com/parquet-go/parquet-go"
)

// nothing has no images.
type nothing struct{}

func (nothing) Open(context.Context, string) ([]byte, string, error) {
	return nil, "", claim.ErrNoImages
}

func blank(t *testing.T, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Each image is one kind of trouble, or none, and is named with it.
func TestPictures(t *testing.T) {
	sample := func(name string) string {
		data, err := os.ReadFile(filepath.Join("..", "..", "imageproc", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	photo := sample("baseline.jpg")
	images := map[string]string{
		"fine.jpg": photo, "same.jpg": photo, "png.jpg": blank(t, 400, 300), "gray.png": sample("gray.png"), "cmyk.jpg": sample("cmyk.jpg"),
		"turned.jpg": sample("orient6.jpg"), "cut.jpg": photo[:len(photo)*6/10], "page.jpg": "<!DOCTYPE html><html>", "empty.jpg": "",
		"thin.png": blank(t, 8100, 40), "tiny.png": blank(t, 20, 300), "palette.png": sample("palette.png"), "alpha.png": sample("alpha.png"),
	}
	want := map[string]string{ // what is said, by image
		"png": "a png named .jpg", "cmyk": "CMYK colours", "turned": "turned by its EXIF orientation", "cut": "damaged", "page": "web page",
		"empty": "the file is empty", "thin": "too long and thin", "tiny": "20×300 pixels, too small", "same": "the same bytes as fine", "gone": "missing",
	}
	var rows strings.Builder
	of := map[string]string{}
	for i, name := range append(slices.Sorted(maps.Keys(images)), "gone.jpg") {
		of["img/"+name] = images[name]
		fmt.Fprintf(&rows, `{"question_id": %d, "image": %q, "claim": "It is %s.", "label": "yes"}`+"\n", i, name, name)
	}
	delete(of, "img/gone.jpg")
	of["x.jsonl"] = rows.String()
	dir := files(t, of)
	p := look(t, load(t, filepath.Join(dir, "x.jsonl"), filepath.Join(dir, "img")), options(t)).Pictures
	if p.Checked != 14 || p.Missing != 1 || p.Unreadable != 4 || p.Misnamed != 1 || p.Turned != 1 || p.Tiny != 1 || p.Enlarged < 2 || p.Repeated != 1 || p.Formats["jpeg"] != 4 || p.Formats["png"] != 5 {
		t.Errorf("%+v", p)
	}
	if p.Colours["gray"] != 1 || p.Colours["cmyk"] != 1 || p.Colours["palette"] != 1 || p.Colours["rgba"] < 1 {
		t.Errorf("%v", p.Colours)
	}
	for image, what := range want {
		i := slices.IndexFunc(p.Odd, func(o audit.OddPicture) bool { return o.Image == image && strings.Contains(o.What, what) })
		if i < 0 {
			t.Errorf("%s is not said to be %q: %+v", image, what, p.Odd)
		}
	}
	if slices.ContainsFunc(p.Odd, func(o audit.OddPicture) bool { return o.Image == "fine" }) {
		t.Errorf("%+v", p.Odd)
	}
}

// The same picture under two names, one of them in eval and one in train.
func TestPictureAcrossPartitions(t *testing.T) {
	eval, train := "", ""
	for i := 0; eval == "" || train == ""; i++ {
		if name := fmt.Sprint(i); claim.InEval(name) {
			eval = name
		} else {
			train = name
		}
	}
	shown := blank(t, 64, 64)
	dir := files(t, map[string]string{
		"x.jsonl":     fmt.Sprintf(`{"image": "%s.png", "claim": "A.", "label": "yes"}`+"\n"+`{"image": "%s.png", "claim": "B.", "label": "no"}`, eval, train),
		eval + ".png": shown, train + ".png": shown,
	})
	r := look(t, load(t, filepath.Join(dir, "x.jsonl"), dir), options(t))
	if r.Pictures.Across != 1 || !slices.Contains(codes(r.Warnings), "leaking_images") {
		t.Errorf("%+v, %v", r.Pictures, codes(r.Warnings))
	}
}

func TestAuditStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	set := load(t, files(t, map[string]string{"x.jsonl": `{"image": "a.png", "claim": "A.", "label": "yes"}`, "a.png": blank(t, 64, 64)}), "")
	if _, err := audit.Audit(ctx, set, options(t)); err == nil {
		t.Error("an audit went on although it was cancelled")
	}
}

// A copy in the Hub's cache that is not the one it is named after is told of,
// whether it is read by its name there or by the link that a snapshot has.
func TestDamagedCopy(t *testing.T) {
	row := `{"question_id": 1, "image": "a.jpg", "claim": "It rains.", "label": "yes"}` + "\n"
	good := fmt.Sprintf("%x", sha256.Sum256([]byte(row)))
	bad := strings.Repeat("ab", 32)
	dir := files(t, map[string]string{"blobs/" + good: row, "blobs/" + bad: row, "snapshots/note": ""})
	for name, damaged := range map[string]bool{good: false, bad: true} {
		link := filepath.Join(dir, "snapshots", name[:4]+".jsonl")
		if err := os.Symlink(filepath.Join("..", "blobs", name), link); err != nil {
			t.Skip("no links here: ", err)
		}
		r := look(t, load(t, link, ""), options(t))
		told := slices.ContainsFunc(r.Warnings, func(w scoring.Warning) bool {
			return w.Code == "damaged_copy" && strings.Contains(w.Message, filepath.Join("blobs", bad)) && strings.Contains(w.Message, good)
		})
		if told != damaged {
			t.Errorf("%s: told is %v: %v", name, told, r.Warnings)
		}
	}
}

// Rows of one image source with different pictures are refused.
func TestSeveralPictures(t *testing.T) {
	type row struct {
		ID     string `parquet:"question_id"`
		Source string `parquet:"image_source"`
		Claim  string `parquet:"claim"`
		Label  string `parquet:"label"`
		Image  []byte `parquet:"image"`
	}
	file := filepath.Join(t.TempDir(), "set.parquet")
	one, other := []byte(blank(t, 64, 64)), []byte(blank(t, 96, 64))
	if err := parquet.WriteFile(file, []row{{"1", "a", "It rains.", "yes", one}, {"2", "a", "It snows.", "no", one}, {"3", "a", "It is dry.", "no", other}}); err != nil {
		t.Fatal(err)
	}
	_, err := audit.Audit(t.Context(), load(t, file, ""), options(t))
	if !errors.Is(err, claim.ErrSeveralPictures) || !strings.Contains(err.Error(), "row 1 of set.parquet and row 3 of set.parquet") {
		t.Errorf("error %v", err)
	}
}
