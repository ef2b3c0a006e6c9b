package imageproc_test

import (
	"fmt"
	"os"

	"candor/imageproc"
)

func ExampleFamily_Fit() {
	for _, name := range imageproc.FamilyNames() {
		f, _ := imageproc.FamilyByName(name)
		w, h, _ := f.Fit(640, 480)
		fmt.Printf("%s sees 640×480 as %d×%d: %d tokens\n", name, w, h, f.Tokens(640, 480))
	}
	// Output:
	// qwen2.5vl sees 640×480 as 644×476: 393 tokens
	// qwen3vl sees 640×480 as 640×480: 302 tokens
	// qwen3.5 sees 640×480 as 640×480: 302 tokens
}

func ExamplePrepare() {
	photo, err := os.ReadFile("testdata/orient6.jpg") // stored lying on its side
	if err != nil {
		fmt.Println(err)
		return
	}
	family, _ := imageproc.FamilyByName("qwen3.5")
	p, err := imageproc.Prepare(photo, family, imageproc.PolicyReference)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %d×%d → %s %d×%d, %d tokens, as it was: %v\n",
		p.SourceFormat, p.SourceWidth, p.SourceHeight, p.Format, p.Width, p.Height, p.Tokens, p.PassedThrough)
	// Output: jpeg 48×64 → png 320×224, 72 tokens, as it was: false
}

func ExamplePrepare_refused() {
	family, _ := imageproc.FamilyByName("qwen3.5")
	_, err := imageproc.Prepare([]byte("<html>Not found</html>"), family, imageproc.PolicyReference)
	fmt.Println(err)
	// Output: not a readable image: it looks like a web page (HTML), perhaps an error page saved as an image: download it again
}
