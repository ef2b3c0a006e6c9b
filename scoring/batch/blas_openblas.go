//go:build openblas

package batch

// #cgo LDFLAGS: -lopenblas
import "C"

import (
	"gonum.org/v1/netlib/blas/netlib"
	"gorgonia.org/tensor"
)

// tensor keeps its BLAS in a variable of its own, to be set before any use;
// this is the one place where the project sets it.
func init() { tensor.Use(netlib.Implementation{}) }
