//go:build unix

package bench

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"candor/harness/claim"
	"candor/imageproc"
)

const (
	photos         = 12
	claimsAnImage  = 6 // as in a split of POPE
	pillowsProgram = "../scripts/bench-pillow.py"
)

// photo is a JPEG of a scene drawn here: soft light, hard edges and grain, some
// 100 KB at 640×480 like those of COCO.
func photo(b *testing.B, width, height, seed int) []byte {
	b.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	grain := uint32(seed)
	for y := range height {
		for x := range width {
			grain = grain*1664525 + 1013904223
			fx, fy := float64(x)/float64(width), float64(y)/float64(height)
			light := 120 + 60*math.Sin(5*fx+float64(seed)) + 40*math.Cos(7*fy) + float64(grain>>24)/8
			c := color.RGBA{uint8(light), uint8(light * (.6 + .4*fy)), uint8(220 - light/2), 255}
			if (x/40+y/30+seed)%5 == 0 {
				c.R, c.B = c.B, c.R/2
			}
			img.SetRGBA(x, y, c)
		}
	}
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: 90}); err != nil {
		b.Fatal(err)
	}
	return buf.Bytes()
}

// album is a folder of such photos.
func album(b *testing.B, width, height int) (folder string, names []string) {
	b.Helper()
	folder = b.TempDir()
	for i := range photos {
		name := fmt.Sprintf("%06d", i)
		if err := os.WriteFile(filepath.Join(folder, name+".jpg"), photo(b, width, height, i), 0o600); err != nil {
			b.Fatal(err)
		}
		names = append(names, name)
	}
	return folder, names
}

func images(b *testing.B, folder string, l imageproc.Limits) *imageproc.Store {
	b.Helper()
	source, err := claim.NewFolder(folder)
	if err != nil {
		b.Fatal(err)
	}
	f, err := imageproc.FamilyByName("qwen3.5")
	if err != nil {
		b.Fatal(err)
	}
	p, err := imageproc.NewPreparer(f, imageproc.PolicyReference)
	if err != nil {
		b.Fatal(err)
	}
	return imageproc.NewStore(source, p, l)
}

func check(b *testing.B, s *imageproc.Store, names []string) {
	for i, err := range s.Check(b.Context(), names) {
		if err != nil {
			b.Fatal(names[i], err)
		}
	}
}

// BenchmarkPrepare is an image from its file to the bytes that are sent, in
// processor time, which a busy machine changes little; and the claims whose
// images a core prepares at six claims each. With CANDOR_PILLOW, a Python that
// has Pillow (scripts/bench-pillow.sh), also the time divided by Pillow's for
// the same work: decode, bicubic, PNG at its quickest level; of what passes
// through only the decode.
func BenchmarkPrepare(b *testing.B) {
	for _, row := range []struct {
		name          string
		width, height int
	}{
		{"resized", 640, 427},
		{"passed", 640, 480},
	} {
		b.Run(row.name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			folder, names := album(b, row.width, row.height)
			python := os.Getenv("CANDOR_PILLOW")
			b.ReportAllocs()
			for b.Loop() {
				ours, pillows := math.Inf(1), math.Inf(1)
				for range 3 { // in turn, so that both meet the same load
					before := processorTime(b)
					check(b, images(b, folder, imageproc.Limits{}), names)
					ours = min(ours, (processorTime(b)-before)/photos)
					if python != "" {
						pillows = min(pillows, pillowTakes(b, python, folder, row.name))
					}
				}
				b.ReportMetric(ours*1e3, "cpu-ms/image")
				b.ReportMetric(claimsAnImage/ours, "claims/s/core")
				if python != "" {
					b.ReportMetric(ours/pillows, "x-pillow")
				}
			}
		})
	}
}

// pillowTakes is the seconds of a processor that Pillow takes for an image of
// the folder; it times itself, without its start.
func pillowTakes(b *testing.B, python, folder, job string) float64 {
	b.Helper()
	out, err := exec.CommandContext(b.Context(), python, pillowsProgram, folder, job).Output()
	if err != nil {
		b.Fatal(err)
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return seconds
}

// BenchmarkPassThrough is what it takes to have the bytes of an image that was
// checked and passes through, read again from its file and told to be the same,
// beside reading the file and its header.
func BenchmarkPassThrough(b *testing.B) {
	folder, names := album(b, 640, 480)
	s := images(b, folder, imageproc.Limits{})
	check(b, s, names)
	source, err := claim.NewFolder(folder)
	if err != nil {
		b.Fatal(err)
	}
	const rounds = 10
	b.ReportAllocs()
	for b.Loop() {
		took := times(5,
			func() {
				each(b, names, rounds, func(ctx context.Context, name string) error { _, err := s.Get(ctx, name); return err })
			},
			func() {
				each(b, names, rounds, func(ctx context.Context, name string) error { return header(ctx, source, name) })
			})
		b.ReportMetric(took[0]/rounds/photos*1e6, "µs/image")
		b.ReportMetric(took[0]/took[1], "x-header")
	}
}

func each(b *testing.B, names []string, rounds int, do func(context.Context, string) error) {
	for range rounds {
		for _, name := range names {
			if err := do(b.Context(), name); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func header(ctx context.Context, source *claim.Folder, name string) error {
	data, _, err := source.Open(ctx, name)
	if err == nil {
		_, _, err = image.DecodeConfig(bytes.NewReader(data))
	}
	return err
}

// BenchmarkCores is how images are prepared on all cores beside one: x-linear is
// the speed-up by the number of cores, 1 where it is linear; a machine that is
// busy with other things shows less. x-cpu, which does not depend on that, is
// the processor time of an image on all cores by that on one.
func BenchmarkCores(b *testing.B) {
	cores := runtime.GOMAXPROCS(0)
	if cores == 1 {
		b.Skip("one core")
	}
	folder, names := album(b, 640, 427)
	var cpu [2]float64
	way := func(i, procs int) func() {
		return func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			before := processorTime(b)
			check(b, images(b, folder, imageproc.Limits{}), names)
			cpu[i] = min(cpu[i], processorTime(b)-before)
		}
	}
	for b.Loop() {
		cpu = [2]float64{math.Inf(1), math.Inf(1)}
		took := times(4, way(0, 1), way(1, cores))
		b.ReportMetric(took[0]/took[1]/float64(cores), "x-linear")
		b.ReportMetric(cpu[1]/cpu[0], "x-cpu")
	}
}

// processorTime is the seconds of processors that this process has used.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
