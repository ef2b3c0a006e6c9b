//go:build linux && cgo

package gpu

import (
	"fmt"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// Reader reads the GPUs of this machine. It is not safe for concurrent use.
type Reader struct {
	lib     library
	devices []nvml.Device
}

// library is what is used of NVML.
type library interface {
	Init() nvml.Return
	Shutdown() nvml.Return
	DeviceGetCount() (int, nvml.Return)
	DeviceGetHandleByIndex(int) (nvml.Device, nvml.Return)
}

// Open loads NVML. Without it, or without a GPU, the error is ErrAbsent.
func Open() (*Reader, error) { return open(nvml.New()) }

func open(lib library) (*Reader, error) {
	if ret := lib.Init(); ret != nvml.SUCCESS {
		return nil, fmt.Errorf("%w: %v", ErrAbsent, ret)
	}
	r := &Reader{lib: lib}
	n, ret := lib.DeviceGetCount()
	for i := 0; i < n && ret == nvml.SUCCESS; i++ {
		if d, ret := lib.DeviceGetHandleByIndex(i); ret == nvml.SUCCESS {
			r.devices = append(r.devices, d)
		}
	}
	if len(r.devices) == 0 {
		r.Close()
		return nil, fmt.Errorf("%w: %d counted (%v)", ErrAbsent, n, ret)
	}
	return r, nil
}

// Read returns the devices that can be read at the moment: one that has fallen
// off the bus, or that does not tell, is left out.
func (r *Reader) Read() []Device {
	var out []Device
	for _, d := range r.devices {
		name, ret := d.GetName()
		use, useRet := d.GetUtilizationRates()
		memory, memoryRet := d.GetMemoryInfo()
		if ret == nvml.SUCCESS && useRet == nvml.SUCCESS && memoryRet == nvml.SUCCESS {
			out = append(out, Device{Name: name, Busy: float64(use.Gpu) / 100, Used: memory.Used, Total: memory.Total})
		}
	}
	return out
}

// Close unloads the library.
func (r *Reader) Close() { r.lib.Shutdown() }
