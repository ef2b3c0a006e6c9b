// Package gpu reads how much the graphics processors of this machine have to
// do and how much of their memory is taken, whoever takes it. It asks NVIDIA's
// management library (NVML), which is loaded when a Reader is opened and need
// not be there: without it, or in a program built without cgo, nothing is read
// and nothing else changes.
package gpu

import "errors"

// ErrAbsent: there is nothing to read here.
var ErrAbsent = errors.New("no GPU that NVML knows")

// Device is one GPU as it is now.
type Device struct {
	Name string
	// Busy is the share of the driver's last sampling period, a sixth of a second
	// to a second, in which anything ran on it.
	Busy        float64
	Used, Total uint64 // memory in bytes
}

// Total is several devices as one: memory summed, Busy averaged, and the name
// of the first.
func Total(devices []Device) Device {
	var all Device
	for i, d := range devices {
		if i == 0 {
			all.Name = d.Name
		}
		all.Busy += d.Busy / float64(len(devices))
		all.Used += d.Used
		all.Total += d.Total
	}
	return all
}
