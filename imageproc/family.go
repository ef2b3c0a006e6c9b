package imageproc

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// MaxAspect is the largest ratio of the long side to the short one: the
// engines refuse (in fact, panic on) anything longer.
const MaxAspect = 200

// Errors that say what is wrong with an image; match them with errors.Is.
var (
	// ErrNotImage marks bytes that are no image of a kind read here.
	ErrNotImage = errors.New("not a readable image")
	// ErrDecode marks an image that is damaged or uses a feature the decoders lack.
	ErrDecode = errors.New("image cannot be decoded")
	// ErrTooLarge marks an image whose header declares more than MaxPixels pixels.
	ErrTooLarge = errors.New("image too large")
	// ErrAspect marks an image longer than MaxAspect times its width.
	ErrAspect = errors.New("image too long and thin")
)

// Family is a line of vision models that cut images alike: patches of
// Patch×Patch pixels, merged Merge×Merge into one visual token, with the
// fitted area kept within MinPixels and MaxPixels.
type Family struct {
	Name      string
	Patch     int // pixels
	Merge     int // patches a side in one token
	MinPixels int // pixels of the fitted image
	MaxPixels int // pixels of the fitted image
}

// FamilyByName returns the family of one of the names in FamilyNames. Case
// and hyphens do not matter: Qwen2.5-VL is qwen2.5vl.
func FamilyByName(name string) (Family, error) {
	plain := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "")
	for _, f := range families() {
		if f.Name == plain {
			return f, nil
		}
	}
	return Family{}, fmt.Errorf("unknown model family %q: use one of %s", name, strings.Join(FamilyNames(), ", "))
}

// FamilyNames lists the names FamilyByName knows.
func FamilyNames() []string {
	var names []string
	for _, f := range families() {
		names = append(names, f.Name)
	}
	return names
}

// FamilyOf returns the family of a model from its GGUF metadata
// general.architecture, and false for an architecture that is not known.
func FamilyOf(architecture string) (Family, bool) {
	var name string
	switch architecture {
	case "qwen25vl":
		name = "qwen2.5vl"
	case "qwen3vl", "qwen3vlmoe":
		name = "qwen3vl"
	case "qwen35", "qwen35moe", "qwen3next":
		name = "qwen3.5"
	default:
		return Family{}, false
	}
	f, err := FamilyByName(name)
	return f, err == nil
}

// Metadata is what a model's own GGUF metadata says of its image processor,
// under vision.patch_size and so on; 0 where it says nothing.
type Metadata struct {
	PatchSize        int
	SpatialMergeSize int
	ShortestEdge     int // in fact the least pixels of a fitted image
	MaxPixels        int
}

// As returns the family with the grid and bounds that the engine takes from a
// model's metadata: of the bounds, Qwen2.5-VL's only the upper one, the later
// lines' only the lower one.
func (f Family) As(m Metadata) Family {
	set := func(field *int, value int) {
		if value > 0 {
			*field = value
		}
	}
	set(&f.Patch, m.PatchSize)
	set(&f.Merge, m.SpatialMergeSize)
	if f.Name == "qwen2.5vl" {
		set(&f.MaxPixels, m.MaxPixels)
	} else {
		set(&f.MinPixels, m.ShortestEdge)
	}
	return f
}

// families holds the pixel bounds that the engine really applies, which for
// Qwen3-VL are not those of the model card: it caps the area at 2 Mi pixels.
func families() []Family {
	return []Family{
		{Name: "qwen2.5vl", Patch: 14, Merge: 2, MinPixels: 56 * 56, MaxPixels: 2 << 20},
		{Name: "qwen3vl", Patch: 16, Merge: 2, MinPixels: 64 << 10, MaxPixels: 2 << 20},
		{Name: "qwen3.5", Patch: 16, Merge: 2, MinPixels: 64 << 10, MaxPixels: 2 << 20},
	}
}

// Factor is the side in pixels of one visual token: both sides of a fitted
// image are multiples of it.
func (f Family) Factor() int { return f.Patch * f.Merge }

// Fit returns the size at which the model's own processor shows it an image of
// width×height pixels: Qwen's smart resize. Each side is rounded (half to even)
// to the factor; an area above MaxPixels or below MinPixels is scaled back into
// bounds keeping the proportions, as far as a side is no shorter than the
// factor.
//
// With the bounds of the families here a fitted size is a fixed point, Fit(Fit(w,
// h)) = Fit(w, h), so a server that resizes by the same rule leaves such an
// image alone. The one exception is an image of nearly MaxAspect to 1 which
// rounding makes longer than that: see Sent.
//
// Fails with ErrAspect when the long side is more than MaxAspect times the
// short one, and for sizes below 1×1.
func (f Family) Fit(width, height int) (w, h int, err error) {
	if err := f.check(); err != nil {
		return 0, 0, err
	}
	if width < 1 || height < 1 {
		return 0, 0, fmt.Errorf("image of %d×%d pixels: both sides must be at least 1", width, height)
	}
	if tooLong(width, height) {
		return 0, 0, fmt.Errorf("%w: %d×%d pixels is more than %d to 1: crop it", ErrAspect, width, height, MaxAspect)
	}
	w, h = f.smartResize(float64(width), float64(height))
	return max(w, f.Factor()), max(h, f.Factor()), nil
}

// Sent returns the size at which an image of width×height pixels is sent, and
// the model sees it: that of Fit, with the long side cut to MaxAspect times the
// short one where rounding made it longer, since the engine would panic.
func (f Family) Sent(width, height int) (w, h int, err error) {
	w, h, err = f.Fit(width, height)
	return min(w, MaxAspect*h), min(h, MaxAspect*w), err
}

func tooLong(width, height int) bool {
	return (max(width, height)-1)/min(width, height) >= MaxAspect
}

// Tokens is the number of visual tokens an image of width×height pixels
// costs: one for each factor×factor cell of the image sent, and two that open
// and close it. It is 0 for a size that Fit refuses.
func (f Family) Tokens(width, height int) int {
	w, h, err := f.Sent(width, height)
	if err != nil {
		return 0
	}
	return (w/f.Factor())*(h/f.Factor()) + 2
}

func (f Family) check() error {
	if f.Patch < 1 || f.Merge < 1 || f.MinPixels < 0 || f.MaxPixels < 1 || f.MinPixels > f.MaxPixels {
		return fmt.Errorf("model family %q: patch %d, merge %d, %d to %d pixels make no sense",
			f.Name, f.Patch, f.Merge, f.MinPixels, f.MaxPixels)
	}
	return nil
}

// smartResize is the rule of the Qwen processors as the engine applies it: a
// side may come out as 0 where the area is above its bound.
// Areas are float64, exact below 2⁵³ and free of overflow above.
func (f Family) smartResize(w, h float64) (int, int) {
	factor := float64(f.Factor())
	wBar := math.RoundToEven(w/factor) * factor
	hBar := math.RoundToEven(h/factor) * factor
	switch area, lo, hi := wBar*hBar, float64(f.MinPixels), float64(f.MaxPixels); {
	case area > hi:
		beta := math.Sqrt(h * w / hi)
		wBar = math.Floor(w/beta/factor) * factor
		hBar = math.Floor(h/beta/factor) * factor
	case area < lo:
		beta := math.Sqrt(lo / (h * w))
		wBar = math.Ceil(w*beta/factor) * factor
		hBar = math.Ceil(h*beta/factor) * factor
	}
	return int(wBar), int(hBar)
}
