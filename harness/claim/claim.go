package claim

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Label is what is true of a claim.
type Label string

const (
	Supported Label = "SUPPORTED" // the image shows what the claim says
	Refuted   Label = "REFUTED"   // it does not
)

// Claim is a sentence about one image, true or false.
type Claim struct {
	ID          string // Split + "/" + QuestionID, unique in a set
	Split       string // random, popular, adversarial, or what the file is called
	QuestionID  string // as published; POPE's collide between splits
	ImageSource string // the image's file name without extension
	Question    string // as published, "" where there is only a claim
	Text        string // the sentence put to the model
	Object      string // what the question asks about, "" where that is not known
	Label       Label
}

// Key identifies what is claimed of which image: the image source, a tab, and
// the normalised text. Equal claims of two splits share it.
func (c Claim) Key() string { return c.ImageSource + "\t" + Normalise(c.Text) }

// Open reads the claim's image; an error names the claim.
func (c Claim) Open(ctx context.Context, images Images) (data []byte, name string, err error) {
	data, name, err = images.Open(ctx, c.ImageSource)
	if err != nil {
		return nil, "", fmt.Errorf("claim %s: %w", c.ID, err)
	}
	return data, name, nil
}

// DemoName is what Load calls Demo.
const DemoName = "demo"

// DemoSeeds is how many demo sets there are to be asked about.
const DemoSeeds = 100

// DemoSeed reads what Load calls a demo set: "demo", of seed 0, or "demo:SEED",
// another one of the same kind. Seeds from DemoSeeds on are for learning from,
// so that no demo shows what a model was trained on.
func DemoSeed(spec string) (seed uint64, isDemo bool, err error) {
	if spec == DemoName {
		return 0, true, nil
	}
	text, isDemo := strings.CutPrefix(spec, DemoName+":")
	if !isDemo {
		return 0, false, nil
	}
	if seed, err = strconv.ParseUint(text, 10, 64); err != nil || seed >= DemoSeeds {
		return 0, true, fmt.Errorf("data set %s: the seed of a demo set is a whole number from 0 to %d", spec, DemoSeeds-1)
	}
	return seed, true, nil
}

// Set is claims and the images they are about.
type Set struct {
	Name      string // where it came from
	Revision  string // sha256 of its files, or the demo's seed
	Claims    []Claim
	Images    Images
	LabelSets []LabelSet // other labels for the claims that come with the set itself
	Files     []File     // what it was read from; none of a set that is made, or of the Hub
	Cached    []string   // a set's of the Hub: its files in the cache
}

// File is a file of a set.
type File struct {
	Path   string
	SHA256 string // lower-case hex
}

// Images gives the original bytes of an image by its source.
type Images interface {
	// Open returns the bytes and the file's name, for messages.
	Open(ctx context.Context, imageSource string) (data []byte, name string, err error)
}

// Splits lists the set's splits in alphabetical order.
func (s *Set) Splits() []string {
	var names []string
	for _, c := range s.Claims {
		if i, found := slices.BinarySearch(names, c.Split); !found {
			names = slices.Insert(names, i, c.Split)
		}
	}
	return names
}

// Stem is the image source of a file name: no image extension, forward slashes,
// no "./". Only the extensions of images are cut, so "photo.v2" stays whole.
func Stem(name string) string {
	name = path.Clean(strings.ReplaceAll(strings.TrimSpace(name), `\`, "/"))
	if isImageName(name) {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	return name
}

func isImageName(name string) bool {
	return slices.Contains(extensions(), strings.ToLower(path.Ext(name)))
}

// extensions are those of the formats that package imageproc reads.
func extensions() []string {
	return []string{".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff"}
}

// Normalise is a claim's text in lower case, with blanks collapsed, POPE's
// misspelt "imange" put right and closing punctuation dropped.
func Normalise(text string) string {
	words := strings.Fields(strings.ToLower(norm.NFC.String(text)))
	for i, w := range words {
		if rest, ok := strings.CutPrefix(w, "imange"); ok && strings.IndexFunc(rest, unicode.IsLetter) < 0 {
			words[i] = "image" + rest
		}
	}
	return strings.TrimRightFunc(strings.Join(words, " "), func(r rune) bool {
		return unicode.IsPunct(r) || unicode.IsSpace(r)
	})
}
