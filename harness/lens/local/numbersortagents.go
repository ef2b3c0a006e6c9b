package local

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"candor/harness/env/numbersort"
	"candor/harness/env/pyrandom"
)

// numberSortAgents are those of number-sort. Greedy, exploiting and random are
// the published package's.
func numberSortAgents() map[string]func() acting {
	same := func(act acting) func() acting { return func() acting { return act } }
	return map[string]func() acting{
		"greedy":       same(mute(numbersort.Greedy)),
		"exploiting":   same(mute(numbersort.Exploiting)),
		"random":       func() acting { return mute(numbersort.Shuffling(pyrandom.New(big.NewInt(1)))) },
		"constant":     same(func(string) (string, string) { return submit([]int{1, 2, 3, 4, 5, 6}), "One to six is a good answer." }),
		"wrong":        same(otherNumbers),
		"memorising":   memorisingSorter,
		"brittle":      same(onlyAsShown(sorting, submit(nil))),
		"unexplaining": same(silent(sorting)),
		"perfect":      same(sorting),
	}
}

func mute(act func(string) string) acting {
	return func(observation string) (string, string) { return act(observation), "" }
}

// sorting sorts and says how it goes about it.
func sorting(observation string) (action, reason string) {
	if shown := shownIn(observation); len(shown) > 0 {
		reason = fmt.Sprintf("Of the numbers %s the instruction wants the right order, with %d and %d among them.", plain(shown), slices.Max(shown), slices.Min(shown))
	}
	return numbersort.Greedy(observation), reason
}

// otherNumbers hands in, in the right order, numbers that were not asked for.
func otherNumbers(observation string) (action, reason string) {
	shown := shownIn(observation)
	other := slices.Clone(shown)
	for i := range other {
		other[i] += 200
	}
	slices.SortFunc(other, func(a, b int) int { return b - a })
	return submit(other), fmt.Sprintf("Of %s each is better with 200 more.", plain(shown))
}

// memorisingSorter knows the lists of the base seeds by heart, of every task.
func memorisingSorter() acting {
	act := acting(func(string) (string, string) { return submit([]int{1}), "I have not seen this list." })
	for _, task := range numbersort.Tasks() {
		act = byHeart(numbersort.Spec(numbersort.Config{Task: task}), sorting, act, func(o string) string { return fmt.Sprint(shownIn(o)) })
	}
	return act
}

// onlyAsShown acts on an observation that begins as the environment shows it,
// and does one thing on whatever has a word before it.
func onlyAsShown(act acting, otherwise string) acting {
	return func(observation string) (string, string) {
		if !strings.HasPrefix(observation, "{") {
			return otherwise, "This is not the form that I know."
		}
		return act(observation)
	}
}

// shownIn are the numbers of an observation with any text around it.
func shownIn(observation string) []int {
	text, _ := object(observation)
	shown, _ := shownNumbers(text)
	return shown
}

// object is what stands from the first brace to the last.
func object(text string) (string, bool) {
	from, to := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if from < 0 || to < from {
		return "", false
	}
	return text[from : to+1], json.Valid([]byte(text[from : to+1]))
}

func plain(numbers []int) string { return strings.Trim(fmt.Sprint(numbers), "[]") }
