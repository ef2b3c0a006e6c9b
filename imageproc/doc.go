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
// whenever the server can decode them.
//
// What is resized here reaches the model as the published processors would
// show it, chroma of JPEG and WebP included: over 50 dB on the recorded images,
// where the server's own resize leaves 33 to 49. A JPEG that passes through is
// decoded by the server, whose decoder repeats halved chroma where libjpeg
// interpolates it: some 40 dB where strong colours meet at hard edges, more
// elsewhere. Colour profiles are ignored, as the processors ignore them.
//
// A Preparer does it for many images with shared buffers and a bound on memory;
// a Store does it for a set, each image once.
//
// All functions may be called from many goroutines at once. The bytes of a
// re-encoded image depend on the Go version's PNG encoder; its pixels do not.
package imageproc
