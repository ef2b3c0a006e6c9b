package main

import (
	"context"
	"io"
	"os"
)

// open opens a file, or standard input for "-". Standard input may never end,
// so reading it ends with ctx.
func open(ctx context.Context, name string, in io.Reader) (io.ReadCloser, string, error) {
	if name != "-" {
		f, err := os.Open(name)
		return f, name, err
	}
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	return r, "standard input", nil
}
