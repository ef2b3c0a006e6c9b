package imageproc

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Sniff tells the format of an image, "jpeg", "png", "gif", "webp", "bmp" or
// "tiff", by its first bytes; a file's name says nothing. Anything else is
// ErrNotImage with a message that says what the bytes look like.
func Sniff(data []byte) (format string, err error) {
	if len(data) == 0 {
		return "", fmt.Errorf("%w: the file is empty (0 bytes)", ErrNotImage)
	}
	for _, m := range readable() {
		if m.matches(data) && !(m.name == "bmp" && looksLikeText(data)) {
			return m.name, nil
		}
	}
	return "", fmt.Errorf("%w: %s", ErrNotImage, describe(data))
}

// magic is a run of bytes at an offset that gives a kind of file away.
type magic struct {
	offset int
	bytes  string
	name   string
}

func (m magic) matches(data []byte) bool {
	return len(data) >= m.offset && bytes.HasPrefix(data[m.offset:], []byte(m.bytes))
}

func readable() []magic {
	return []magic{
		{0, "\xff\xd8\xff", "jpeg"},
		{0, "\x89PNG\r\n\x1a\n", "png"},
		{0, "GIF87a", "gif"},
		{0, "GIF89a", "gif"},
		{8, "WEBP", "webp"},
		{0, "II*\x00", "tiff"},
		{0, "MM\x00*", "tiff"},
		{0, "BM", "bmp"},
	}
}

// foreign are kinds of file often found where an image should be.
func foreign() []magic {
	return []magic{
		{4, "ftypavif", "it looks like AVIF: convert it to PNG or JPEG"},
		{4, "ftypheic", "it looks like HEIC: convert it to PNG or JPEG"},
		{4, "ftyp", "it looks like a HEIF image or an MP4 video: convert it to PNG or JPEG"},
		{0, "\x00\x00\x00\x0cJXL ", "it looks like JPEG XL: convert it to PNG or JPEG"},
		{0, "\xff\x0a", "it looks like JPEG XL: convert it to PNG or JPEG"},
		{0, "\x00\x00\x00\x0cjP  ", "it looks like JPEG 2000: convert it to PNG or JPEG"},
		{0, "II+\x00", "it looks like BigTIFF: convert it to PNG or JPEG"},
		{0, "MM\x00+", "it looks like BigTIFF: convert it to PNG or JPEG"},
		{0, "\x00\x00\x01\x00", "it looks like an icon file: convert it to PNG or JPEG"},
		{0, "8BPS", "it looks like a Photoshop file: convert it to PNG or JPEG"},
		{0, "%PDF", "it looks like a PDF document"},
		{0, "PK\x03\x04", "it looks like a zip archive: unpack it first"},
		{0, "\x1f\x8b", "it looks like gzip: unpack it first"},
		{0, "PAR1", "it looks like a Parquet file"},
	}
}

// written are kinds of text, matched on the text in lower case.
func written() []magic {
	return []magic{
		{0, "<!doctype html", "it looks like a web page (HTML), perhaps an error page saved as an image: download it again"},
		{0, "<html", "it looks like a web page (HTML), perhaps an error page saved as an image: download it again"},
		{0, "<head", "it looks like a web page (HTML), perhaps an error page saved as an image: download it again"},
		{0, "<svg", "it looks like SVG: render it to PNG first"},
		{0, "<?xml", "it looks like XML, perhaps SVG or an error message: download it again"},
		{0, "version https://git-lfs", "it looks like a Git LFS pointer: fetch the file itself with git lfs pull"},
		{0, "data:image", "it looks like a data URI: decode its base64 first"},
		{0, "/9j/", "it looks like a JPEG in base64: decode it first"},
		{0, "ivborw0kggo", "it looks like a PNG in base64: decode it first"},
		{0, "r0lgod", "it looks like a GIF in base64: decode it first"},
		{0, "uklgr", "it looks like a WebP in base64: decode it first"},
		{0, "{", "it looks like JSON text"},
		{0, "[", "it looks like JSON text"},
	}
}

func describe(data []byte) string {
	for _, m := range foreign() {
		if m.matches(data) {
			return m.name
		}
	}
	head := data[:min(len(data), 512)]
	if len(bytes.Trim(head, "\x00")) == 0 {
		return "it holds only zero bytes: the download was probably cut off"
	}
	if !looksLikeText(data) {
		return fmt.Sprintf("the first bytes are % x, of no image format known here (jpeg, png, gif, webp, bmp, tiff)", data[:min(len(data), 8)])
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	lower := bytes.ToLower(text)
	for _, m := range written() {
		if m.matches(lower) {
			return m.name
		}
	}
	// No more than tells what it is: it may be a file that nobody meant to show.
	return fmt.Sprintf("it looks like text: %.8q", text)
}

// looksLikeText reports whether the beginning is UTF-8 without control bytes.
func looksLikeText(data []byte) bool {
	head := data[:min(len(data), 512)]
	for len(head) > 0 {
		r, size := utf8.DecodeRune(head)
		if r == utf8.RuneError && size == 1 {
			return len(data) > 512 && len(head) < utf8.UTFMax // a rune cut by the sample
		}
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' {
			return false
		}
		head = head[size:]
	}
	return true
}
