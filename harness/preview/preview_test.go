package preview_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/preview"
	"candor/imageproc"

	"go.uber.org/goleak"
)

const pictures = "../../imageproc/testdata"

func preparer(t *testing.T) *imageproc.Preparer {
	t.Helper()
	f, err := imageproc.FamilyByName("qwen3.5")
	if err != nil {
		t.Fatal(err)
	}
	p, err := imageproc.NewPreparer(f, imageproc.PolicyReference)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Whatever is said of an image is what preparing it by itself gives, in the
// order of the names, and what cannot be sent stands in its place with why.
func TestImages(t *testing.T) {
	defer goleak.VerifyNone(t)
	names, err := preview.Files([]string{pictures, filepath.Join(pictures, "nothing.jpg"), pictures + "/gray.jpg"})
	if err != nil {
		t.Fatal(err)
	}
	p := preparer(t)
	i, bad := 0, map[string]string{}
	err = preview.Images(t.Context(), p, names, func(got preview.Image, sent []byte) error {
		if got.File != names[i] {
			t.Fatalf("%d is %s, want %s", i, got.File, names[i])
		}
		i++
		data, _ := os.ReadFile(got.File)
		want, err := p.Prepare(t.Context(), data)
		if (err == nil) != (got.Error == "") || (err == nil) != (sent != nil) {
			t.Fatalf("%s: error %q, alone %v", got.File, got.Error, err)
		}
		if err != nil {
			bad[filepath.Base(got.File)] = got.Error
			return nil
		}
		if got.SentSHA256 != want.SentSHA256 || got.SentBytes != len(sent) || got.Bytes != len(data) || got.Tokens != want.Tokens ||
			got.Width != want.SourceWidth || got.Height != want.SourceHeight || got.SentWidth != want.Width || got.SentHeight != want.Height ||
			got.Format != want.SourceFormat || got.SentFormat != want.Format || got.Orientation != want.Orientation || got.Passed != want.PassedThrough {
			t.Errorf("%s: %+v, alone %+v", got.File, got, want)
		}
		return nil
	})
	if err != nil || i != len(names) {
		t.Fatalf("%d of %d, %v", i, len(names), err)
	}
	for name, says := range map[string]string{"make.py": "not a readable image", "cmyk_unmarked.jpg": "Adobe", "cmyk.tiff": "color model", "nothing.jpg": "no such file"} {
		if !strings.Contains(bad[name], says) {
			t.Errorf("%s: %q does not say %q", name, bad[name], says)
		}
	}
	if len(bad) != 4 {
		t.Errorf("refused: %v", bad)
	}
}

// Whoever is shown the images can end it, and leaves no goroutine behind; so
// does a context.
func TestImagesEnd(t *testing.T) {
	defer goleak.VerifyNone(t)
	names, err := preview.Files([]string{pictures})
	if err != nil {
		t.Fatal(err)
	}
	enough, shown := errors.New("enough"), 0
	err = preview.Images(t.Context(), preparer(t), names, func(preview.Image, []byte) error {
		shown++
		return enough
	})
	if !errors.Is(err, enough) || shown != 1 {
		t.Errorf("%d shown, %v", shown, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = preview.Images(ctx, preparer(t), names, func(preview.Image, []byte) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}

// A folder stands for its files, and not for what is hidden or below it.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.png", "a.jpg", ".hidden", "sub/c.png"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := preview.Files([]string{"missing.png", dir})
	if want := "missing.png " + dir + "/a.jpg " + dir + "/b.png"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := preview.Files([]string{t.TempDir()}); err == nil {
		t.Error("an empty folder passed")
	}
}

// What is kept is what would be sent; nothing that is there is written over.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	keep := func(names ...string) error {
		f, err := preview.NewFolder(dir, names)
		if err != nil {
			return err
		}
		return preview.Images(t.Context(), preparer(t), names, f.Keep)
	}
	for range 2 { // a second time changes nothing
		if err := keep(pictures+"/still.gif", pictures+"/gray.jpg", pictures+"/gray.png"); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "still.gif.png"))
	if err != nil {
		t.Fatal(err)
	}
	if format, _ := imageproc.Sniff(data); format != "png" {
		t.Errorf("still.gif.png is %q", format)
	}
	other := filepath.Join(t.TempDir(), "gray.png")
	if err := keep(pictures+"/animated.gif", pictures+"/gray.png", other); err == nil || !strings.Contains(err.Error(), other) {
		t.Errorf("two images of one name: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "animated.gif.png")); err == nil {
		t.Error("an image was kept before the names were found to clash")
	}
	if err := os.WriteFile(filepath.Join(dir, "still.gif.png"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := keep(pictures + "/still.gif"); err == nil {
		t.Error("another file was written over")
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "still.gif.png")); string(data) != "mine" {
		t.Errorf("still.gif.png holds %q", data)
	}
}
