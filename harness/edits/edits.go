// Package edits tells how far apart two names are, so that a message can name
// what a misspelt one was meant to be.
package edits

// Distance is the Levenshtein distance of two words in bytes: how many must be
// put in, taken out or exchanged to make one of the other.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal, row[j+1] = row[j+1], min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
