package batch_test

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"gorgonia.org/tensor"

	_ "candor/scoring/batch"
)

// The product runs on the BLAS that the build asked for; the other tests then
// hold it to scoring's own figures.
func TestBLAS(t *testing.T) {
	want := "gonum.Implementation"
	info, _ := debug.ReadBuildInfo()
	for _, s := range info.Settings {
		if s.Key == "-tags" && strings.Contains(s.Value, "openblas") {
			want = "netlib.Implementation"
		}
	}
	if got := fmt.Sprintf("%T", tensor.WhichBLAS()); got != want {
		t.Errorf("BLAS %s, want %s", got, want)
	}
}
