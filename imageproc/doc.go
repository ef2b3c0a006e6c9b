// Package imageproc goes from the bytes of any image file to bytes a Qwen
// vision-language model reads well. The type is told by the first bytes, never
// the name: JPEG, PNG, GIF (its first frame), WebP, BMP and TIFF. Sizes are
// checked in the header before anything is decoded, and every image is decoded
// once in full, so that a damaged file is found before a run and not in it.
//
// A Family knows the grid of a model line: Fit gives the size at which the
// model will see an image, Tokens what that costs. Prepare makes the bytes to
// send, under one of two policies. By PolicyReference an image already on the
// grid passes through byte for byte and any other is resized here by
// antialiased bicubic, as the models' own processors do, so that the server's
// bilinear resize has nothing left to do. By PolicyServer bytes pass through
// whenever the server reads them right.
//
// All functions may be called from many goroutines at once. The bytes of a
// re-encoded image depend on the Go version's PNG encoder; its pixels do not.
package imageproc
