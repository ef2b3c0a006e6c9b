package scene

import "sync"

// kind is a sort of object that can be drawn.
type kind struct {
	name   string
	aspect float64 // width over height of the drawing
	size   float64 // height relative to other kinds
	spot   spot
	colors []string
	draw   func(*pen, rgb)
	alike  []string // colours of its look-alikes, which it takes where it is like them
}

// spot is where in a picture a kind is found.
type spot int

// From the back of a picture to its front.
const (
	sky    spot = iota // hangs in the upper half
	afloat             // anywhere
	ground             // stands on the ground
)

// Kinds lists the sorts of object there are.
func Kinds() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// kinds is made once, as it is asked for many times in a scene.
var kinds = sync.OnceValue(func() []kind {
	bright := []string{"red", "orange", "yellow", "green", "teal", "blue", "purple", "pink"}
	return []kind{
		{"apple", .95, .5, ground, []string{"red", "green"}, drawApple, []string{"orange", "yellow"}},
		{"ball", 1, .6, ground, bright, drawBall, nil},
		{"balloon", .62, .95, afloat, bright, drawBalloon, nil},
		{"boat", 1.1, 1.1, ground, append(bright, "brown", "white"), drawBoat, nil},
		{"bottle", .36, .9, ground, []string{"green", "brown", "blue", "teal", "purple"}, drawBottle, nil},
		{"bucket", .9, .68, ground, append(bright, "gray"), drawBucket, nil},
		{"car", 2, .62, ground, append(bright, "white", "gray", "black"), drawCar, nil},
		{"chair", .6, 1, ground, []string{"brown", "red", "blue", "green", "black", "white"}, drawChair, nil},
		{"clock", 1, .7, afloat, append(bright, "brown", "black"), drawClock, nil},
		{"cloud", 1.8, .55, sky, []string{"white", "gray"}, drawCloud, nil},
		{"cup", 1.15, .55, ground, append(bright, "white"), drawCup, []string{"gray"}},
		{"fish", 1.75, .5, afloat, []string{"orange", "red", "yellow", "blue", "purple", "teal", "pink"}, drawFish, nil},
		{"flag", .85, 1.1, ground, bright, drawFlag, nil},
		{"flower", .6, .85, ground, []string{"red", "pink", "purple", "yellow", "orange", "white", "blue"}, drawFlower, nil},
		{"heart", 1.08, .6, afloat, []string{"red", "pink", "purple"}, drawHeart, nil},
		{"house", 1, 1.3, ground, append(bright, "white", "brown", "gray"), drawHouse, nil},
		{"key", .46, .75, afloat, []string{"yellow", "gray", "brown", "black"}, drawKey, nil},
		{"kite", .7, 1.05, sky, bright, drawKite, nil},
		{"ladder", .42, 1.25, ground, []string{"brown", "yellow", "gray", "red"}, drawLadder, nil},
		{"moon", .8, .62, sky, []string{"yellow", "white", "orange"}, drawMoon, nil},
		{"mushroom", .95, .65, ground, []string{"red", "brown", "orange", "purple"}, drawMushroom, []string{"teal", "pink", "blue"}},
		{"orange", 1, .5, ground, []string{"orange"}, drawOrange, []string{"yellow"}},
		{"snowman", .66, 1.15, ground, []string{"red", "blue", "green", "purple", "orange"}, drawSnowman, nil},
		{"star", 1.02, .6, afloat, []string{"yellow", "red", "blue", "white", "orange", "pink"}, drawStar, []string{"yellow", "orange"}},
		{"stool", .7, .78, ground, []string{"brown", "red", "blue", "green", "black", "white"}, drawStool, nil},
		{"sun", 1, .75, sky, []string{"yellow", "orange"}, drawSun, []string{"yellow", "red"}},
		{"table", 1.6, .72, ground, []string{"brown", "white", "gray", "red", "teal"}, drawTable, nil},
		{"tree", .75, 1.4, ground, []string{"green"}, drawTree, nil},
		{"truck", 1.9, .76, ground, append(bright, "white", "gray", "black"), drawTruck, nil},
		{"umbrella", 1.05, .95, ground, bright, drawUmbrella, nil},
	}
})

func kindNamed(name string) (kind, bool) {
	for _, k := range kinds() {
		if k.name == name {
			return k, true
		}
	}
	return kind{}, false
}
