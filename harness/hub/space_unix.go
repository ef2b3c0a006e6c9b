//go:build linux || darwin || freebsd

package hub

import (
	"fmt"
	"syscall"
)

// checkSpace refuses a download that will not fit. Where it cannot be told, the
// download tries.
func checkSpace(dir string, needed int64) error {
	var s syscall.Statfs_t
	if needed <= 0 || syscall.Statfs(dir, &s) != nil {
		return nil
	}
	if free := int64(s.Bavail) * int64(s.Bsize); free < needed {
		return fmt.Errorf("it needs %d MB more, and %d MB are free: %w", needed/1e6+1, free/1e6, syscall.ENOSPC)
	}
	return nil
}
