package scene

import "image"

// MinVisible is the least share of an object's own pixels that the objects and
// clutter before it leave uncovered, in the hardest scene, unless the object is
// doubtful.
const MinVisible = 0.5

// Scene is the plan of a picture, and what is true of it.
type Scene struct {
	Seed       uint64   `json:"seed"`
	Width      int      `json:"width"`      // pixels
	Height     int      `json:"height"`     // pixels
	Theme      string   `json:"theme"`      // one of Themes
	Difficulty float64  `json:"difficulty"` // 0 to 1
	Outlined   bool     `json:"outlined"`   // objects have a dark rim
	Horizon    float64  `json:"horizon"`    // where the ground begins, as a share of Height
	Objects    []Object `json:"objects"`    // from back to front
}

// Object is one thing in a scene.
type Object struct {
	Kind    string  `json:"kind"`    // one of Kinds
	Color   string  `json:"color"`   // its main colour, one of Colors
	Box     Box     `json:"box"`     // around all its pixels, covered ones too
	Visible float64 `json:"visible"` // share of its pixels not covered, 0 to 1
	Pose    Pose    `json:"pose"`
	Shade   [3]int  `json:"shade"` // the colour's departure from its name, red, green, blue

	// Likeness is how much is lost of what tells the object from its
	// look-alikes, 0 to 1, more in harder scenes.
	Likeness float64 `json:"likeness"`
	// Doubtful marks an object mostly hidden, cut off by the frame, or tiny: two
	// people could differ on whether the picture shows it.
	Doubtful bool `json:"doubtful,omitempty"`
}

// Box is a rectangle in pixels from the picture's upper left corner.
type Box struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// Pose says how an object's drawing is laid into the picture.
type Pose struct {
	X      float64 `json:"x"`      // centre, pixels
	Y      float64 `json:"y"`      // centre, pixels
	Height float64 `json:"height"` // of the upright drawing, pixels
	Angle  float64 `json:"angle"`  // radians, clockwise
	Flip   bool    `json:"flip"`   // left and right exchanged
}

// Has reports whether an object of a kind is in the scene beyond doubt.
func (s *Scene) Has(kind string) bool {
	for _, o := range s.Objects {
		if o.Kind == kind && !o.Doubtful {
			return true
		}
	}
	return false
}

// Doubtful is the kind of the scene's doubtful object, which is never one that
// is also there beyond doubt; "" where nothing is doubtful.
func (s *Scene) Doubtful() string {
	for _, o := range s.Objects {
		if o.Doubtful {
			return o.Kind
		}
	}
	return ""
}

// Present lists the kinds in the scene beyond doubt, each once, in the order of
// Kinds.
func (s *Scene) Present() []string {
	var present []string
	for _, k := range Kinds() {
		if s.Has(k) {
			present = append(present, k)
		}
	}
	return present
}

func (s *Scene) bounds() image.Rectangle { return image.Rect(0, 0, s.Width, s.Height) }

// Backdrop is a kind that the backdrop may be said to show though no object of
// the scene is of it, "" for none: points of light in a night sky are stars to
// a person.
func (s *Scene) Backdrop() string {
	if t, _ := themeNamed(s.Theme); t.wall == stars {
		return "star"
	}
	return ""
}
