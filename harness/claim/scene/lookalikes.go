package scene

import "slices"

// LookAlikes lists the kinds that one may be mistaken for, the likest first;
// none for a kind like no other. It goes both ways.
func LookAlikes(kind string) []string {
	var like []string
	for _, pair := range lookAlikes() {
		if i := slices.Index(pair[:], kind); i >= 0 {
			like = append(like, pair[1-i])
		}
	}
	return like
}

// lookAlikes are pairs of kinds that share an outline, colours and at least
// one theme.
func lookAlikes() [][2]string {
	return [][2]string{
		{"apple", "orange"}, {"ball", "balloon"}, {"car", "truck"}, {"chair", "stool"},
		{"cup", "bucket"}, {"mushroom", "umbrella"}, {"sun", "star"}, {"kite", "flag"},
		{"kite", "balloon"}, {"ball", "orange"}, {"table", "stool"},
	}
}
