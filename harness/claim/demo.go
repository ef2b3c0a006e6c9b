package claim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"candor/harness/claim/scene"
)

// demoImages is how many scenes the demo set has; a fifth are eval images.
const demoImages = 150

// perLabel is how many claims of each label an image has in a split.
const perLabel = 3

// Demo is a set that needs no download: scenes drawn by package scene, and
// claims about them made as POPE makes its own. An image has three true and
// three false claims in each of the splits random, popular and adversarial.
// The true ones are the same in all; the objects of the false ones are drawn
// evenly from those absent, or are the commonest in the set, or those that
// most often stand beside what is there.
//
// One seed gives the same claims and pixels; the bytes of the images, drawn
// when opened, are those of one Go version's JPEG encoder.
func Demo(seed uint64) (*Set, error) {
	scenes := make([]scene.Scene, demoImages)
	for i := range scenes {
		var err error
		// Seeds far apart, so that two demos share no scene.
		if scenes[i], err = scene.Generate(seed<<20+uint64(i), scene.Options{}); err != nil {
			return nil, fmt.Errorf("demo image %d: %w", i+1, err)
		}
	}
	return &Set{
		Name: "demo", Revision: fmt.Sprintf("demo seed %d", seed),
		Claims: demoClaims(seed, scenes), Images: demoPictures(scenes),
	}, nil
}

// demoPictures draws images when they are opened.
type demoPictures []scene.Scene

func (p demoPictures) Open(ctx context.Context, imageSource string) ([]byte, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	i := slices.Index(demoNames(len(p)), Stem(imageSource))
	if i < 0 {
		return nil, "", fmt.Errorf("the demo has no image %s", imageSource)
	}
	img, err := scene.Draw(p[i])
	if err != nil {
		return nil, "", err
	}
	data, err := scene.EncodeJPEG(img)
	return data, Stem(imageSource) + ".jpg", err
}

func demoNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("demo_%06d", i+1)
	}
	return names
}

// demoClaims asks about every scene, alternating yes and no as POPE does.
func demoClaims(seed uint64, scenes []scene.Scene) []Claim {
	names, stats := demoNames(len(scenes)), countKinds(scenes)
	samplers := []struct {
		split  string
		absent func(rng *rand.Rand, present, asked []string) []string
	}{
		{"random", stats.anyAbsent}, {"popular", stats.commonAbsent}, {"adversarial", stats.likelyAbsent},
	}
	var claims []Claim
	for _, s := range samplers {
		id := 0
		for i := range scenes {
			present := scenes[i].Present()
			asked := pick(rand.New(rand.NewPCG(seed, uint64(i))), present, perLabel)
			absent := s.absent(rand.New(rand.NewPCG(seed, uint64(i)|1<<40)), present, asked)
			for j := range perLabel {
				claims = append(claims,
					demoClaim(s.split, id+1, names[i], asked[j], Supported),
					demoClaim(s.split, id+2, names[i], absent[j], Refuted))
				id += 2
			}
		}
	}
	return claims
}

func demoClaim(split string, id int, image, object string, label Label) Claim {
	article := "a"
	if strings.ContainsAny(object[:1], "aeiou") {
		article = "an"
	}
	question := fmt.Sprintf("Is there %s %s in the image?", article, object)
	text, object, _ := Sentence(question)
	return Claim{
		ID: fmt.Sprintf("%s/%d", split, id), Split: split, QuestionID: fmt.Sprint(id),
		ImageSource: image, Question: question, Text: text, Object: object, Label: label,
	}
}

// pick draws n of the names without replacement.
func pick(rng *rand.Rand, names []string, n int) []string {
	drawn := slices.Clone(names)
	rng.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	return drawn[:n]
}
