package ollama

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
)

// contentDigest is of what a server shows of a model that its answers depend
// on: the digests of its weights, projectors and adapters, the template, system
// text, example messages, parameters, renderer and parser. The manifest's own
// digest would do for models that were pulled; of one that a client made it
// differs between servers, since it names the place of the weights on the disk.
// It is "" when the server does not tell the weights.
func contentDigest(shown *api.ShowResponse, renderer, parser string) string {
	blobs := blobsOf(shown.Modelfile, "FROM", "ADAPTER")
	if len(blobs) == 0 {
		return ""
	}
	parameters := strings.Split(shown.Parameters, "\n")
	slices.Sort(parameters) // the server's order is by chance
	b, err := json.Marshal([]any{blobs, shown.Template, shown.System, shown.Messages, parameters, renderer, parser})
	if err != nil {
		return "" // a message's tool call that JSON cannot carry
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(b))
}

// blobsOf lists the digests of the files that a Modelfile names after any of
// these words, in its order.
func blobsOf(modelfile string, after ...string) (blobs []string) {
	for word, rest := range commands(modelfile) {
		if _, digest, ok := strings.Cut(path.Base(strings.ReplaceAll(rest, `\`, "/")), "sha256-"); ok && slices.Contains(after, word) {
			blobs = append(blobs, "sha256:"+digest)
		}
	}
	return blobs
}
