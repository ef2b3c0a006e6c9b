//go:build openblas

package batch

// #cgo LDFLAGS: -lopenblas
// void openblas_set_num_threads(int);
import "C"

import (
	"gonum.org/v1/netlib/blas/netlib"
	"gorgonia.org/tensor"
)

// tensor keeps its BLAS in a variable of its own, to be set before any use;
// this is the one place where the project sets it. Blocks already run on all
// cores, where threads of OpenBLAS's own would wait in each other's way.
func init() {
	C.openblas_set_num_threads(1)
	tensor.Use(netlib.Implementation{})
}
