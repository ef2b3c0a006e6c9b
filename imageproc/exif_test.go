package imageproc

import "testing"

func TestOrientationOf(t *testing.T) {
	// One directory with one entry: tag 274, a SHORT, count 1, value 6.
	little := "II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00"
	big := "MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00"
	app1 := func(tiff string) string {
		return "\xff\xe1" + string([]byte{0, byte(2 + 6 + len(tiff))}) + exifPrefix + tiff
	}
	tests := []struct {
		name, format, data string
		want               int
	}{
		{"little endian", "jpeg", "\xff\xd8" + app1(little), 6},
		{"big endian", "jpeg", "\xff\xd8" + app1(big), 6},
		// XMP uses the same marker, and fill bytes may stand before any.
		{"after XMP", "jpeg", "\xff\xd8\xff\xe1\x00\x06http\xff\xff" + app1(big), 6},
		{"after the scan began", "jpeg", "\xff\xd8\xff\xda\x00\x02" + app1(big), 1},
		{"segment longer than the file", "jpeg", "\xff\xd8\xff\xe1\xff\xff" + exifPrefix + big, 1},
		{"as LONG", "tiff", "II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x04\x00\x01\x00\x00\x00\x08\x00\x00\x00", 8},
		{"out of range", "tiff", "II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x09\x00\x00\x00", 1},
		{"zero", "tiff", "II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x00\x00\x00\x00", 1},
		{"directory outside the file", "tiff", "II*\x00\xff\xff\xff\xff\x01\x00", 1},
		{"directory cut off", "tiff", "II*\x00\x08\x00\x00\x00\xff\xff\x12\x01", 1},
		{"neither byte order", "tiff", "XX*\x00\x08\x00\x00\x00\x01\x00", 1},
		{"odd chunk before", "webp", "RIFF\x00\x00\x00\x00WEBPVP8L\x01\x00\x00\x00x\x00EXIF\x16\x00\x00\x00" + little, 6},
		{"with JPEG's prefix", "webp", "RIFF\x00\x00\x00\x00WEBPEXIF\x1c\x00\x00\x00" + exifPrefix + little, 6},
		{"chunk longer than the file", "png", "\x89PNG\r\n\x1a\n\xff\xff\xff\xffeXIfMM\x00*", 1},
		{"format without EXIF", "bmp", little, 1},
		{"nothing", "jpeg", "", 1},
	}
	for _, tt := range tests {
		if got := orientationOf([]byte(tt.data), tt.format); got != tt.want {
			t.Errorf("%s (%s): orientation %d; want %d", tt.name, tt.format, got, tt.want)
		}
	}
}

// White in lossy WebP is luma 235, and must not come out as light gray.
func TestLossyWebPRange(t *testing.T) {
	pic, err := opened(read(t, "lossy.webp"))
	if err != nil {
		t.Fatal(err)
	}
	img, err := pic.flatten(nil, pic.whole())
	if err != nil {
		t.Fatal(err)
	}
	if got := img.NRGBAAt(48, 36); got.R < 225 || got.B > 48 {
		t.Errorf("yellow (230, 200, 40) came out as %v", got)
	}
}
