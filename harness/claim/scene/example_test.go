package scene_test

import (
	"fmt"

	"candor/harness/claim/scene"
)

func ExampleGenerate() {
	easy := 0.0
	s, err := scene.Generate(1, scene.Options{Width: 384, Height: 288, Theme: "beach", Objects: 3, Difficulty: &easy})
	if err != nil {
		fmt.Println(err)
		return
	}
	img, err := scene.Draw(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(img.Bounds().Size(), s.Theme, len(s.Present()), "kinds")
	// Output: (384,288) beach 3 kinds
}

func ExampleLookAlikes() {
	fmt.Println(scene.LookAlikes("orange"))
	fmt.Println(scene.LookAlikes("house"))
	// Output:
	// [apple ball]
	// []
}
