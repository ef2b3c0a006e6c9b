package gpu

import (
	"errors"
	"testing"
)

// On any machine opening either works or says that there is nothing.
func TestOpen(t *testing.T) {
	r, err := Open()
	if err != nil {
		if !errors.Is(err, ErrAbsent) || r != nil {
			t.Errorf("%v, %v; want ErrAbsent", r, err)
		}
		return
	}
	defer r.Close()
	for _, d := range r.Read() {
		if d.Name == "" || d.Busy < 0 || d.Busy > 1 || d.Total == 0 || d.Used > d.Total {
			t.Errorf("%+v", d)
		}
	}
}

func TestTotal(t *testing.T) {
	if got := Total(nil); got != (Device{}) {
		t.Errorf("of none: %+v", got)
	}
	got := Total([]Device{{"A", 1, 3, 10}, {"B", .5, 4, 20}})
	if want := (Device{"A", .75, 7, 30}); got != want {
		t.Errorf("%+v; want %+v", got, want)
	}
}
