package scene

import "math/rand/v2"

// theme is a setting: what it looks like and what is found there.
type theme struct {
	name    string
	weight  int // how often the setting comes up
	back    rgb // sky or wall at the top
	haze    rgb // sky or wall at the horizon
	floor   rgb // ground
	wall    pattern
	texture int // depth of the ground's texture, 0 to 255
	kinds   []share
}

// share is how often a kind is drawn in a theme, relative to the others.
type share struct {
	kind   string
	weight int
}

// pattern is what a wall or the space above the ground is covered with.
type pattern int

const (
	plain pattern = iota
	stripes
	tiles
	waves // a band of sea above the ground
	stars // specks of light
)

// Themes lists the settings there are.
func Themes() []string {
	var names []string
	for _, t := range themes() {
		names = append(names, t.name)
	}
	return names
}

// themes share out the kinds unevenly: a few are nearly everywhere, most
// belong to one or two settings, as in photographs.
func themes() []theme {
	return []theme{
		{"park", 26, rgb{112, 176, 232}, rgb{206, 228, 240}, rgb{104, 160, 82}, plain, 40, []share{
			{"tree", 30}, {"flower", 18}, {"ball", 12}, {"kite", 8}, {"sun", 14}, {"cloud", 12},
			{"chair", 6}, {"umbrella", 6}, {"mushroom", 6}, {"apple", 4}, {"orange", 4},
			{"balloon", 10}, {"stool", 4}}},
		{"street", 22, rgb{150, 184, 214}, rgb{216, 220, 222}, rgb{128, 128, 132}, plain, 22, []share{
			{"car", 28}, {"truck", 22}, {"house", 26}, {"tree", 16}, {"cloud", 10}, {"flag", 7}, {"ladder", 5},
			{"umbrella", 6}, {"clock", 4}, {"key", 2}}},
		{"beach", 16, rgb{96, 178, 236}, rgb{190, 228, 244}, rgb{224, 200, 150}, waves, 34, []share{
			{"boat", 24}, {"sun", 18}, {"umbrella", 16}, {"ball", 14}, {"fish", 10}, {"cloud", 8},
			{"kite", 7}, {"flag", 6}, {"chair", 6}, {"bottle", 4}, {"bucket", 12}, {"cup", 6},
			{"balloon", 6}, {"star", 4}}},
		{"kitchen", 16, rgb{232, 216, 190}, rgb{220, 204, 180}, rgb{164, 120, 84}, tiles, 18, []share{
			{"table", 26}, {"cup", 20}, {"chair", 18}, {"bottle", 14}, {"apple", 14}, {"clock", 10},
			{"flower", 5}, {"key", 4}, {"fish", 3}, {"orange", 12}, {"stool", 14}, {"bucket", 9}}},
		{"playroom", 10, rgb{206, 222, 236}, rgb{220, 214, 230}, rgb{188, 150, 108}, stripes, 18, []share{
			{"ball", 18}, {"star", 14}, {"heart", 12}, {"car", 10}, {"chair", 8}, {"table", 7},
			{"kite", 5}, {"boat", 5}, {"key", 4}, {"fish", 3}, {"clock", 5}, {"balloon", 14}, {"truck", 10},
			{"stool", 7}, {"bucket", 4}}},
		{"night", 9, rgb{22, 28, 62}, rgb{52, 60, 104}, rgb{44, 62, 60}, stars, 26, []share{
			{"moon", 24}, {"house", 16}, {"tree", 14}, {"star", 14}, {"car", 10}, {"cloud", 5},
			{"boat", 4}, {"ladder", 3}, {"mushroom", 3}, {"truck", 8}, {"umbrella", 3}}},
		{"winter", 9, rgb{160, 194, 222}, rgb{224, 234, 242}, rgb{226, 234, 242}, plain, 20, []share{
			{"snowman", 24}, {"tree", 18}, {"house", 14}, {"cloud", 10}, {"star", 5}, {"heart", 4},
			{"ladder", 4}, {"flag", 5}, {"cup", 4}, {"bucket", 4}, {"sun", 4}}},
	}
}

func themeNamed(name string) (theme, bool) {
	for _, t := range themes() {
		if t.name == name {
			return t, true
		}
	}
	return theme{}, false
}

func drawTheme(rng *rand.Rand) theme {
	all := themes()
	weights := make([]int, len(all))
	for i, t := range all {
		weights[i] = t.weight
	}
	return all[weighted(rng, weights)]
}

// strangerShare of objects do not belong to their theme.
const strangerShare = .08

// drawKind picks a kind for the theme, now and then one that is foreign to it.
func (t theme) drawKind(rng *rand.Rand) kind {
	all := kinds()
	if rng.Float64() < strangerShare {
		return all[rng.IntN(len(all))]
	}
	weights := make([]int, len(t.kinds))
	for i, s := range t.kinds {
		weights[i] = s.weight
	}
	k, _ := kindNamed(t.kinds[weighted(rng, weights)].kind)
	return k
}

// weighted draws an index with probability in proportion to its weight.
func weighted(rng *rand.Rand, weights []int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := rng.IntN(sum)
	for i, w := range weights {
		if n -= w; n < 0 {
			return i
		}
	}
	return len(weights) - 1
}
