package claim_test

import (
	"context"
	"fmt"

	"candor/harness/claim"
)

func ExampleSentence() {
	text, object, _ := claim.Sentence("Is there an umbrella in the image?")
	fmt.Println(text, object)
	// Output: There is an umbrella in the image. umbrella
}

func ExampleSelect() {
	set, err := claim.Demo(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	tasks, err := claim.Select(set, claim.Selection{Splits: []string{"adversarial"}, Partition: claim.Eval, NumTasks: 60})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, name, err := tasks[0].Open(context.Background(), set.Images)
	fmt.Println(len(tasks), name == tasks[0].ImageSource+".jpg", err)
	// Output: 60 true <nil>
}

func ExampleSamplingSeed() {
	// Draw 0 is the answer that is scored; 1 and up measure its consistency.
	fmt.Println(claim.SamplingSeed(0, 0, 0, "adversarial", "1"), claim.SamplingSeed(0, 0, 1, "adversarial", "1"))
	// Output: 1087061790 124439243
}
