package main

import (
	"math"

	"candor/harness/claim"
	"candor/harness/claim/scene"
)

// row is what is true of one picture.
type row struct {
	Index      int      `json:"index"`
	Seed       uint64   `json:"seed"`   // of the scene
	Offset     int64    `json:"offset"` // of its first byte in the file of pixels
	Width      int      `json:"width"`  // pixels, prepared: a multiple of 32
	Height     int      `json:"height"` // pixels, prepared: a multiple of 32
	Theme      string   `json:"theme"`
	Difficulty float64  `json:"difficulty"` // 0 to 1
	Objects    []object `json:"objects"`    // from back to front
	Present    []string `json:"present"`    // kinds beyond doubt, each once
	Claims     []asked  `json:"claims"`     // what the demo would ask, of all splits
}

// object is one thing in a picture, its box in pixels of the prepared picture.
type object struct {
	Kind    string  `json:"kind"`
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
	W       float64 `json:"w"`
	H       float64 `json:"h"`
	Visible float64 `json:"visible"` // share of its pixels not covered

	Likeness float64 `json:"likeness"` // to its look-alikes, 0 to 1
	Doubtful bool    `json:"doubtful"` // hardly in the picture
}

// asked is a claim about the picture, labelled rightly. An ambiguous one has
// the label that the demo would publish.
type asked struct {
	Split     string      `json:"split"`
	Object    string      `json:"object"`
	Text      string      `json:"text"`
	Label     claim.Label `json:"label"`
	Ambiguous bool        `json:"ambiguous"`
}

func describe(i int, s scene.Scene, width, height int, claims []claim.Asked) row {
	r := row{
		Index: i, Seed: s.Seed, Width: width, Height: height,
		Theme: s.Theme, Difficulty: s.Difficulty, Present: s.Present(),
	}
	fx, fy := float64(width)/float64(s.Width), float64(height)/float64(s.Height)
	for _, o := range s.Objects {
		r.Objects = append(r.Objects, object{
			Kind: o.Kind, Visible: o.Visible, Likeness: o.Likeness, Doubtful: o.Doubtful,
			X: tenth(fx * float64(o.Box.X)), Y: tenth(fy * float64(o.Box.Y)),
			W: tenth(fx * float64(o.Box.W)), H: tenth(fy * float64(o.Box.H)),
		})
	}
	for _, c := range claims {
		a := asked{Split: c.Split, Object: c.Object, Text: c.Text, Label: c.Truth, Ambiguous: c.Ambiguous}
		if c.Ambiguous {
			a.Label = c.Label
		}
		r.Claims = append(r.Claims, a)
	}
	return r
}

func tenth(v float64) float64 { return math.Round(10*v) / 10 }
