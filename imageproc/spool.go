package imageproc

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// spool is a temporary file of prepared images, made when the first is put.
type spool struct {
	limit int64

	mu   sync.Mutex
	file *os.File
	used int64
	full bool // or it could not be made or written
}

// place is where an image lies; the zero place is nowhere.
type place struct {
	offset int64
	length int
}

// put stores data, or returns the zero place when there is no room.
func (s *spool) put(data []byte) place {
	at, file := s.reserve(int64(len(data)))
	if file == nil {
		return place{}
	}
	if _, err := file.WriteAt(data, at); err != nil {
		// A full disk is no error of the run: images will be prepared again.
		s.mu.Lock()
		s.full = true
		s.mu.Unlock()
		return place{}
	}
	return place{at, len(data)}
}

func (s *spool) reserve(n int64) (at int64, file *os.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full || s.used+n > s.limit {
		return 0, nil
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "candor-images-*")
		if err != nil {
			s.full = true
			return 0, nil
		}
		// Without a name it is gone with the process, however that ends. Where
		// an open file cannot lose its name, close removes it.
		_ = os.Remove(f.Name())
		s.file = f
	}
	at = s.used
	s.used += n
	return at, s.file
}

func (s *spool) get(p place) ([]byte, error) {
	s.mu.Lock()
	file := s.file
	s.mu.Unlock()
	if file == nil {
		return nil, errors.New("the store of images is closed")
	}
	data := make([]byte, p.length)
	if _, err := file.ReadAt(data, p.offset); err != nil {
		return nil, fmt.Errorf("reading a prepared image back: %w", err)
	}
	return data, nil
}

func (s *spool) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if gone := os.Remove(s.file.Name()); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	s.file, s.full = nil, true
	return err
}
