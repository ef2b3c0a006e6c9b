//go:build !linux || !cgo

package gpu

// Reader reads nothing in this build.
type Reader struct{}

// Open returns ErrAbsent.
func Open() (*Reader, error) { return nil, ErrAbsent }

// Read returns no device.
func (*Reader) Read() []Device { return nil }

// Close does nothing.
func (*Reader) Close() {}
