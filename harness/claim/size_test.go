package claim_test

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/claim"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

// The published size: 500 images of 163 kB in 9000 rows, 1.47 GB decoded.
const (
	fullImages = 500
	fullBytes  = 163_466
	fullLimit  = 300 << 20
)

// TestFullSize: a set of the published size is read, and every image of it
// opened, in less than 300 MB, however its files are divided.
func TestFullSize(t *testing.T) {
	if os.Getenv("CANDOR_SLOW") == "" {
		t.Skip("slow: writes 2 GB; CANDOR_SLOW=1 runs it")
	}
	// As published: repeated images stand once in a row group.
	t.Run("row groups of 100, dictionaries", func(t *testing.T) {
		dir := t.TempDir()
		writeFull[dictionaryRow](t, dir, 100, &parquet.Snappy)
		measure(t, dir)
	})
	t.Run("one row group, pages of 1000 images", func(t *testing.T) {
		dir := t.TempDir()
		writeFull[plainRow](t, dir, 3000, &parquet.Uncompressed)
		measure(t, dir)
	})
}

// TestPeersFullSize: so is one that pyarrow and datasets wrote, each in its own
// way.
func TestPeersFullSize(t *testing.T) {
	python := os.Getenv("CANDOR_PEERS")
	if python == "" {
		t.Skip("needs CANDOR_PEERS, a Python interpreter with pyarrow and datasets")
	}
	dir := t.TempDir()
	out, err := exec.Command(python, filepath.Join("..", "..", "scripts", "record", "parquet.py"), dir, "full").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	measure(t, dir)
}

// measure reads a set in a process of its own, and wants that to have held no
// more than it may.
func measure(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("needs /proc")
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestReadFullSize$", "-test.v")
	cmd.Env = append(os.Environ(), "CANDOR_SLOW_READ="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var peak int64
	for line := range strings.Lines(string(out)) {
		_, _ = fmt.Sscanf(line, "VmHWM: %d kB", &peak)
	}
	t.Logf("%s", out)
	if peak <<= 10; peak == 0 || peak > fullLimit {
		t.Errorf("at most %d MB were held; want less than %d", peak>>20, fullLimit>>20)
	}
}

// TestReadFullSize is the process that is measured.
func TestReadFullSize(t *testing.T) {
	dir := os.Getenv("CANDOR_SLOW_READ")
	if dir == "" {
		t.Skip("part of TestFullSize and TestPeersFullSize")
	}
	set, err := claim.Load(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := claim.CheckImages(t.Context(), set.Images, sourcesOf(set)); err != nil {
		t.Fatal(err)
	}
	different := map[[sha256.Size]byte]bool{}
	seen := map[string]bool{}
	for _, c := range set.Claims {
		if seen[c.ImageSource] {
			continue
		}
		seen[c.ImageSource] = true
		data, _, err := c.Open(t.Context(), set.Images)
		if err != nil || len(data) != fullBytes {
			t.Fatalf("%s: %d bytes, %v", c.ID, len(data), err)
		}
		different[sha256.Sum256(data)] = true
	}
	if len(set.Claims) != 18*fullImages || len(different) != fullImages {
		t.Errorf("%d claims and %d different images", len(set.Claims), len(different))
	}
	status, err := os.Open("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	defer status.Close()
	for lines := bufio.NewScanner(status); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "VmHWM") {
			fmt.Println(lines.Text())
		}
	}
}

type texts struct {
	ID          string `parquet:"id,optional"`
	QuestionID  string `parquet:"question_id,optional"`
	Question    string `parquet:"question,optional,dict"`
	Answer      string `parquet:"answer,optional,dict"`
	ImageSource string `parquet:"image_source,optional,dict"`
	Category    string `parquet:"category,optional,dict"`
}

type dictionaryRow struct {
	texts
	Image struct {
		Bytes []byte  `parquet:"bytes,optional,dict"`
		Path  *string `parquet:"path,optional"`
	} `parquet:"image,optional"`
}

type plainRow struct {
	texts
	Image struct {
		Bytes []byte  `parquet:"bytes,optional"`
		Path  *string `parquet:"path,optional"`
	} `parquet:"image,optional"`
}

func (r *dictionaryRow) fill(t texts, image []byte) { r.texts, r.Image.Bytes = t, image }
func (r *plainRow) fill(t texts, image []byte)      { r.texts, r.Image.Bytes = t, image }

// writeFull writes the set in three files, one a split.
func writeFull[R any, P interface {
	*R
	fill(texts, []byte)
}](t *testing.T, dir string, group int64, codec compress.Codec) {
	t.Helper()
	noise := rand.NewChaCha8([32]byte{1})
	images := make([][]byte, fullImages)
	for i := range images {
		images[i] = make([]byte, fullBytes)
		_, _ = noise.Read(images[i]) // never fails
	}
	for i, split := range []string{"adversarial", "popular", "random"} {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("test-%05d-of-00003.parquet", i)))
		if err != nil {
			t.Fatal(err)
		}
		w := parquet.NewGenericWriter[R](f, parquet.Compression(codec), parquet.MaxRowsPerRowGroup(group), parquet.PageBufferSize(150<<20))
		for n := range 6 * fullImages {
			var r R
			P(&r).fill(texts{
				ID: fmt.Sprint(i*6*fullImages + n), QuestionID: fmt.Sprint(n + 1), Question: fmt.Sprintf("Is there a thing%d in the image?", n%6),
				Answer: []string{"yes", "no"}[n%2], ImageSource: fmt.Sprintf("COCO_val2014_%012d", n/6), Category: split,
			}, images[n/6])
			if _, err := w.Write([]R{r}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
