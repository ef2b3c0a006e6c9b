package imageproc

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"path/filepath"
	"strings"
	"testing"
)

// What is no image is refused with words on what it looks like instead.
func TestSniffRefuses(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"nothing", "", "empty"},
		{"only zero bytes", strings.Repeat("\x00", 4096), "zero bytes"},
		{"an error page", "\n<!DOCTYPE html><html><body>404", "web page"},
		{"the same with a byte order mark", "\xef\xbb\xbf<html lang=en>", "web page"},
		{"an S3 error", `<?xml version="1.0"?><Error/>`, "XML"},
		{"drawn text", "<svg xmlns='x'/>", "SVG"},
		{"a pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00", "Git LFS"},
		{"JPEG in base64", base64.StdEncoding.EncodeToString([]byte("\xff\xd8\xff\xe0\x00\x10JFIF")), "base64"},
		{"PNG in base64", base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\x00\x00")) + "\n", "base64"},
		{"a data URI", "data:image/png;base64,iVBORw0KGgo=", "data URI"},
		{"JSON", ` {"error": "not found"}`, "JSON"},
		{"prose", "BMW is a car maker", `text: "BMW is`},
		{"a phone's photo", "\x00\x00\x00\x18ftypheic", "HEIC"},
		{"a document", "%PDF-1.7\n%\xe2\xe3", "PDF"},
		{"noise", "\x01\x02\x03\xfe", "01 02 03 fe"},
	}
	f, _ := FamilyByName("qwen3vl")
	for _, tt := range tests {
		for _, policy := range []Policy{PolicyReference, PolicyServer} {
			_, err := Prepare([]byte(tt.data), f, policy)
			if !errors.Is(err, ErrNotImage) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v; want ErrNotImage with %q", tt.name, err, tt.want)
			}
		}
	}
}

// A file cut off anywhere before its last marker never passes for whole.
func TestPrepareRefusesTruncated(t *testing.T) {
	files := []string{
		"baseline.jpg", "progressive.jpg", "cmyk.jpg", "gray16.png", "palette.png", "still.gif", "animated.gif", "animated.webp", "animated_lossy.webp", "animated.png",
		"lossy.webp", "orient6.webp", "lossless.webp", "alpha.webp", "plain.bmp", "palette.bmp", "plain.tiff", "deflate.tiff", "orient6.tiff",
		"ycck.jpg", "restart.jpg", "rgb16.png", "alpha_lossy.webp", "lzw.tiff", "interlaced.png", "profile.jpg",
	}
	for _, name := range files {
		data := read(t, name)
		for _, percent := range []int{5, 20, 40, 60, 80, 95} {
			_, err := Prepare(data[:len(data)*percent/100], tiny(), PolicyServer)
			tooShort := percent == 5 && errors.Is(err, ErrNotImage) // to tell what it is
			if !errors.Is(err, ErrDecode) && !tooShort {
				t.Errorf("%s cut at %d %%: %v; want ErrDecode", name, percent, err)
			}
		}
	}
}

// A small file that declares a large image is refused before memory is spent.
func TestPrepareRefusesImplausibleSizes(t *testing.T) {
	data := bytes.Clone(read(t, "progressive.jpg"))
	sof := bytes.Index(data, []byte("\xff\xc2"))
	binary.BigEndian.PutUint16(data[sof+5:], 9_000)
	binary.BigEndian.PutUint16(data[sof+7:], 9_000)
	for name, data := range map[string][]byte{"jpeg": data, "png": hugePNG(9_000, 9_000)} {
		if _, err := Prepare(data, tiny(), PolicyServer); !errors.Is(err, ErrDecode) || !strings.Contains(err.Error(), "cannot hold") {
			t.Errorf("%s: %v; want ErrDecode", name, err)
		}
	}
}

// Kinds that are well known and not read are refused as what they are.
func TestPrepareRefusesUnsupported(t *testing.T) {
	for name, want := range map[string]string{
		// Inverted or not? Programs differ, and a guess may show the negative.
		"cmyk_unmarked.jpg": "doesn't have Adobe APP14 metadata",
		"cmyk.tiff":         "color model",
	} {
		for _, policy := range []Policy{PolicyReference, PolicyServer} {
			if _, err := Prepare(read(t, name), tiny(), policy); !errors.Is(err, ErrDecode) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want ErrDecode with %q", name, err, want)
			}
		}
	}
}

func TestPrepareRefusesDamaged(t *testing.T) {
	data := bytes.Clone(read(t, "gray16.png"))
	data[len(data)-20] ^= 0x55
	if _, err := Prepare(data, tiny(), PolicyServer); !errors.Is(err, ErrDecode) {
		t.Errorf("PNG with a flipped byte: %v; want ErrDecode", err)
	}
}

// A declared size above the limit is refused before anything is decoded.
func TestPrepareRefusesHugeHeaders(t *testing.T) {
	f, _ := FamilyByName("qwen3vl")
	le := binary.LittleEndian
	bmp := bytes.Clone(read(t, "plain.bmp"))
	le.PutUint32(bmp[18:], 60_000)
	le.PutUint32(bmp[22:], 60_000)
	gif := bytes.Clone(read(t, "still.gif"))
	le.PutUint16(gif[6:], 60_000)
	le.PutUint16(gif[8:], 60_000)
	jpeg := bytes.Clone(read(t, "baseline.jpg"))
	sof := bytes.Index(jpeg, []byte("\xff\xc0"))
	binary.BigEndian.PutUint16(jpeg[sof+5:], 60_000)
	binary.BigEndian.PutUint16(jpeg[sof+7:], 60_000)
	tiff := bytes.Clone(read(t, "plain.tiff"))
	for _, tag := range []uint16{256, 257} {
		entry := bytes.Index(tiff, le.AppendUint16(le.AppendUint16(nil, tag), 4)) // a LONG
		le.PutUint32(tiff[entry+8:], 60_000)
	}
	for name, data := range map[string][]byte{"png": hugePNG(60_000, 60_000), "bmp": bmp, "gif": gif, "jpeg": jpeg, "tiff": tiff} {
		_, err := Prepare(data, f, PolicyServer)
		if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "60000×60000") {
			t.Errorf("%s: %v; want ErrTooLarge", name, err)
		}
	}
	webp := bytes.Clone(read(t, "orient6.webp"))
	for _, side := range []int{24, 27} { // of the canvas, less one, in three bytes
		le.PutUint16(webp[side:], 40_000-1)
	}
	if _, err := Prepare(webp, f, PolicyServer); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "40000×40000") {
		t.Errorf("webp: %v; want ErrTooLarge", err)
	}
	if _, err := Prepare(hugePNG(1<<31-1, 1<<31-1), f, PolicyReference); err == nil {
		t.Error("a size that overflows was accepted")
	}
}

// hugePNG is a header and nothing else.
func hugePNG(width, height uint32) []byte {
	ihdr := append([]byte("IHDR"), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)...)
	ihdr = append(ihdr, 8, 2, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), ihdr...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(ihdr))
}

// Y 2×2, Cb 1×1, Cr 1×2: the decoder, and so the engine, cannot read it.
func TestPrepareRefusesOddSubsampling(t *testing.T) {
	data := bytes.Clone(read(t, "baseline.jpg"))
	sof := bytes.Index(data, []byte("\xff\xc0"))
	data[sof+11], data[sof+14], data[sof+17] = 0x22, 0x11, 0x12
	_, err := Prepare(data, tiny(), PolicyServer)
	if !errors.Is(err, ErrDecode) || !strings.Contains(fmt.Sprint(err), "jpeg") {
		t.Errorf("%v; want ErrDecode", err)
	}
}

// A palette index out of range panics inside imaging, on a goroutine where no
// one can recover it; here it is an error before imaging sees the image.
func TestFlattenSurvivesWildPaletteIndex(t *testing.T) {
	img := image.NewPaletted(image.Rect(0, 0, 2, 1), color.Palette{color.Black})
	img.Pix[1] = 200
	pic := &picture{header: header{format: "png", width: 2, height: 1, orientation: 1}, still: true, image: img}
	p, err := NewPreparer(tiny(), PolicyReference)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.render(pic, 4, 2); !errors.Is(err, ErrDecode) {
		t.Errorf("%v; want ErrDecode", err)
	}
}

// Nothing a file holds ends the process; what is accepted fits the model.
func FuzzPrepare(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) < 50 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		f.Add(read(f, filepath.Base(name)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if format, err := Sniff(data); err == nil {
			cfg, err := guard(func() (image.Config, error) { return decoderOf(format).config(bytes.NewReader(data)) })
			if err == nil && cfg.Width*cfg.Height > 1<<20 && cfg.Width*cfg.Height <= MaxPixels {
				t.Skip("allowed, but slow to fuzz")
			}
		}
		p, err := Prepare(data, tiny(), PolicyReference)
		q, again := Prepare(data, tiny(), PolicyServer)
		if (err == nil) != (again == nil) {
			t.Fatalf("by reference %v, by server %v", err, again)
		}
		if err != nil {
			if p != nil || q != nil {
				t.Fatal("an image beside an error")
			}
			return
		}
		if !tiny().serverFits(q.Width, q.Height) || q.Tokens != p.Tokens {
			t.Fatalf("by server %d×%d, %d tokens; by reference %d", q.Width, q.Height, q.Tokens, p.Tokens)
		}
		if w, h, err := tiny().Sent(p.Width, p.Height); err != nil || w != p.Width || h != p.Height {
			t.Fatalf("sent %d×%d, which does not fit: %v", p.Width, p.Height, err)
		}
		if _, err := opened(p.Data); err != nil {
			t.Fatalf("cannot read back what is sent: %v", err)
		}
	})
}
