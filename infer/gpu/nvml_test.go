//go:build linux && cgo

package gpu

import (
	"errors"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"
)

// machine is a library with GPUs of NVIDIA's own stand-in.
func machine(devices ...nvml.Device) *mock.Interface {
	return &mock.Interface{
		InitFunc:           func() nvml.Return { return nvml.SUCCESS },
		ShutdownFunc:       func() nvml.Return { return nvml.SUCCESS },
		DeviceGetCountFunc: func() (int, nvml.Return) { return len(devices), nvml.SUCCESS },
		DeviceGetHandleByIndexFunc: func(i int) (nvml.Device, nvml.Return) {
			return devices[i], nvml.SUCCESS
		},
	}
}

func device(name string, use uint32, used uint64, memory nvml.Return) *mock.Device {
	return &mock.Device{
		GetNameFunc: func() (string, nvml.Return) { return name, nvml.SUCCESS },
		GetUtilizationRatesFunc: func() (nvml.Utilization, nvml.Return) {
			return nvml.Utilization{Gpu: use}, nvml.SUCCESS
		},
		GetMemoryInfoFunc: func() (nvml.Memory, nvml.Return) {
			return nvml.Memory{Used: used, Total: 100}, memory
		},
	}
}

// One that tells no memory, as those with unified memory do, is left out.
func TestRead(t *testing.T) {
	lib := machine(device("one", 87, 40, nvml.SUCCESS), device("two", 1, 1, nvml.ERROR_NOT_SUPPORTED), device("three", 0, 100, nvml.SUCCESS))
	r, err := open(lib)
	if err != nil {
		t.Fatal(err)
	}
	got := r.Read()
	want := []Device{{"one", .87, 40, 100}, {"three", 0, 100, 100}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v; want %+v", got, want)
	}
	r.Close()
	if n := len(lib.ShutdownCalls()); n != 1 {
		t.Errorf("shut down %d times", n)
	}
}

// Without a library, or without a device, nothing stays open.
func TestAbsent(t *testing.T) {
	none := machine()
	none.InitFunc = func() nvml.Return { return nvml.ERROR_LIBRARY_NOT_FOUND }
	for name, tt := range map[string]struct {
		lib      *mock.Interface
		shutdown int
	}{
		"no library": {none, 0},
		"no device":  {machine(), 1},
	} {
		if r, err := open(tt.lib); r != nil || !errors.Is(err, ErrAbsent) || len(tt.lib.ShutdownCalls()) != tt.shutdown {
			t.Errorf("%s: %v, %v, shut down %d times; want ErrAbsent and %d", name, r, err, len(tt.lib.ShutdownCalls()), tt.shutdown)
		}
	}
}
