package report

import (
	"fmt"
	"strings"

	"candor/imageproc"
	"candor/infer"
)

// Embedded says of the embedded model what it is, so that no figure of it is
// taken for one of a model that people use: two lines, without the last's end.
func Embedded(id infer.Identity) string {
	family := id.Architecture
	if f, ok := imageproc.FamilyOf(id.Architecture); ok {
		family = strings.ToUpper(f.Name[:1]) + f.Name[1:]
	}
	return fmt.Sprintf("model: %s, a %s of %s trained on drawn scenes\n       (embedded; for trying Candor out, not a result about real VLMs)",
		id.Model, family, parameters(id.ParameterSize))
}
