package scene

// kind is a sort of object that can be drawn.
type kind struct {
	name   string
	aspect float64 // width over height of the drawing
	size   float64 // height relative to other kinds
	spot   spot
	colors []string
	draw   func(*pen, rgb)
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

func kinds() []kind {
	bright := []string{"red", "orange", "yellow", "green", "teal", "blue", "purple", "pink"}
	return []kind{
		{"apple", .95, .5, ground, []string{"red", "green", "yellow"}, drawApple},
		{"ball", 1, .6, ground, bright, drawBall},
		{"boat", 1.1, 1.1, ground, append(bright, "brown", "white"), drawBoat},
		{"bottle", .36, .9, ground, []string{"green", "brown", "blue", "teal", "purple"}, drawBottle},
		{"car", 2, .62, ground, append(bright, "white", "gray", "black"), drawCar},
		{"chair", .6, 1, ground, []string{"brown", "red", "blue", "green", "black", "white"}, drawChair},
		{"clock", 1, .7, afloat, append(bright, "brown", "black"), drawClock},
		{"cloud", 1.8, .55, sky, []string{"white", "gray"}, drawCloud},
		{"cup", 1.15, .55, ground, append(bright, "white"), drawCup},
		{"fish", 1.75, .5, afloat, []string{"orange", "red", "yellow", "blue", "purple", "teal", "pink"}, drawFish},
		{"flag", .85, 1.1, ground, bright, drawFlag},
		{"flower", .6, .85, ground, []string{"red", "pink", "purple", "yellow", "orange", "white", "blue"}, drawFlower},
		{"heart", 1.08, .6, afloat, []string{"red", "pink", "purple"}, drawHeart},
		{"house", 1, 1.3, ground, append(bright, "white", "brown", "gray"), drawHouse},
		{"key", .46, .75, afloat, []string{"yellow", "gray", "brown", "black"}, drawKey},
		{"kite", .7, 1.05, sky, bright, drawKite},
		{"ladder", .42, 1.25, ground, []string{"brown", "yellow", "gray", "red"}, drawLadder},
		{"moon", .8, .62, sky, []string{"yellow", "white", "orange"}, drawMoon},
		{"mushroom", .95, .65, ground, []string{"red", "brown", "orange", "purple"}, drawMushroom},
		{"snowman", .66, 1.15, ground, []string{"red", "blue", "green", "purple", "orange"}, drawSnowman},
		{"star", 1.02, .6, afloat, []string{"yellow", "red", "blue", "white", "orange", "pink"}, drawStar},
		{"sun", 1, .75, sky, []string{"yellow", "orange"}, drawSun},
		{"table", 1.6, .72, ground, []string{"brown", "white", "gray", "red", "teal"}, drawTable},
		{"tree", .75, 1.4, ground, []string{"green"}, drawTree},
		{"umbrella", 1.05, .95, ground, bright, drawUmbrella},
	}
}

func kindNamed(name string) (kind, bool) {
	for _, k := range kinds() {
		if k.name == name {
			return k, true
		}
	}
	return kind{}, false
}
