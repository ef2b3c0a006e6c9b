package claim

import (
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"candor/harness/claim/scene"
)

// demoImages is how many scenes the demo set has; about a fifth are eval images.
const demoImages = 750

// Demo is a set that needs no download: scenes drawn by package scene, and
// claims about them made as POPE makes its own, with its faults. An image has
// three claims held true and three held false in each of the splits random,
// popular and adversarial, as Asker makes them. The labels are those of a
// careless annotator; the set's own label set "corrected" has what is true, and
// leaves out the claims that are ambiguous, as RePOPE does for POPE.
//
// One seed gives the same claims and pixels; the bytes of the images, drawn
// when opened, are those of one Go version's JPEG encoder.
func Demo(seed uint64) (*Set, error) {
	scenes, err := DemoScenes(seed)
	if err != nil {
		return nil, err
	}
	set := &Set{Name: "demo", Revision: revisionOf(seed, scenes), Images: demoPictures(scenes)}
	corrected := LabelSet{Name: "corrected", Labels: make(map[string]Label)}
	asker := NewAsker(seed, scenes)
	bySplit := make(map[string][]Claim)
	for i := range scenes {
		for _, a := range asker.Ask(i, &scenes[i]) {
			bySplit[a.Split] = append(bySplit[a.Split], a.Claim)
			if !a.Ambiguous {
				corrected.Labels[a.ID] = a.Truth
			}
		}
	}
	for _, r := range regimes() {
		set.Claims = append(set.Claims, bySplit[r.split]...)
	}
	set.LabelSets = []LabelSet{corrected}
	return set, nil
}

// revisionOf names a demo by its seed and by what is in its scenes, which a later
// version of the generator may plan otherwise. It leaves out the poses, whose
// last bits are not the same on all processors.
func revisionOf(seed uint64, scenes []scene.Scene) string {
	sum := sha256.New()
	for _, s := range scenes {
		fmt.Fprintln(sum, s.Width, s.Height, s.Theme)
		for _, o := range s.Objects {
			fmt.Fprintln(sum, o.Kind, o.Color, o.Box, o.Doubtful)
		}
	}
	return fmt.Sprintf("demo seed %d, scenes %x", seed, sum.Sum(nil)[:6])
}

// DemoScenes plans the scenes of the demo of a seed. Those of two seeds differ:
// they are drawn from seeds far apart, seed<<20 and those that follow.
func DemoScenes(seed uint64) ([]scene.Scene, error) {
	scenes, errs := make([]scene.Scene, demoImages), make([]error, demoImages)
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(scenes); i += workers {
				scenes[i], errs[i] = scene.Generate(seed<<20+uint64(i), scene.Options{})
			}
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("demo image %d: %w", i+1, err)
		}
	}
	return scenes, nil
}

// demoPictures draws images when they are opened.
type demoPictures []scene.Scene

func (p demoPictures) Open(ctx context.Context, imageSource string) ([]byte, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	var number int
	if _, err := fmt.Sscanf(Stem(imageSource), "demo_%d", &number); err != nil || number < 1 || number > len(p) || demoName(number-1) != Stem(imageSource) {
		return nil, "", fmt.Errorf("the demo has no image %s", imageSource)
	}
	img, err := scene.Draw(p[number-1])
	if err != nil {
		return nil, "", err
	}
	data, err := scene.EncodeJPEG(img)
	return data, Stem(imageSource) + ".jpg", err
}

func demoName(i int) string { return fmt.Sprintf("demo_%06d", i+1) }

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
