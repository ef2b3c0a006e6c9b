package play

import (
	"encoding/base64"
	"regexp"
)

var dataURI = regexp.MustCompile(`data:image/[a-zA-Z0-9.+-]+;base64,([A-Za-z0-9+/]+=*)`)

// WithoutImages takes the images out of an observation that holds them as data
// URIs, and returns the first.
func WithoutImages(observation string) (text string, image []byte) {
	text = dataURI.ReplaceAllStringFunc(observation, func(uri string) string {
		decoded, err := base64.StdEncoding.DecodeString(dataURI.FindStringSubmatch(uri)[1])
		if err != nil {
			return uri
		}
		if image == nil {
			image = decoded
		}
		return "(the image)"
	})
	return text, image
}
