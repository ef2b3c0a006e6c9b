package scripts

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instruction is one line of a Dockerfile, split into words.
type instruction []string

func dockerfile(t *testing.T) []instruction {
	t.Helper()
	var list []instruction
	for line := range strings.Lines(readFile(t, "Dockerfile")) {
		words := strings.Fields(line)
		if len(words) > 0 && !strings.HasPrefix(words[0], "#") {
			list = append(list, words)
		}
	}
	return list
}

// all returns the arguments of every instruction of a kind.
func all(list []instruction, kind string) [][]string {
	var found [][]string
	for _, words := range list {
		if words[0] == kind {
			found = append(found, words[1:])
		}
	}
	return found
}

// The base images are pinned, and the compiler is the one of go.mod.
func TestDockerfileBases(t *testing.T) {
	goVersion := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(readFile(t, "../go.mod"))[1]
	bases := all(dockerfile(t), "FROM")
	if len(bases) != 2 {
		t.Fatalf("stages %v", bases)
	}
	if image := bases[0][0]; image != "golang:"+goVersion+"-bookworm" || !fullVersion.MatchString(image) {
		t.Errorf("built with %s, go.mod says %s", image, goVersion)
	}
	if image := bases[1][0]; image != "scratch" {
		t.Errorf("based on %s, want nothing", image)
	}
}

// What is copied from the tree exists and reaches the builder, and nothing that
// the program is built from is left out.
func TestDockerfileCopies(t *testing.T) {
	ignore := strings.Fields(readFile(t, "Dockerfile.dockerignore"))
	var copied []string
	for _, words := range all(dockerfile(t), "COPY") {
		if strings.HasPrefix(words[0], "--from=") {
			continue
		}
		for _, source := range words[:len(words)-1] {
			copied = append(copied, source)
			if _, err := os.Stat(filepath.Join("..", source)); err != nil {
				t.Errorf("COPY %s: %v", source, err)
			}
			if !slices.Contains(ignore, "!"+source) {
				t.Errorf("COPY %s: Dockerfile.dockerignore keeps it from the builder", source)
			}
		}
	}
	for _, folder := range []string{"cmd", "harness", "imageproc", "infer", "scoring", "go.mod", "go.sum"} {
		if !slices.Contains(copied, folder) {
			t.Errorf("%s is not copied", folder)
		}
	}
}

// It does not run as root and needs no shell.
func TestDockerfileUser(t *testing.T) {
	list := dockerfile(t)
	user := all(list, "USER")
	if len(user) != 1 || strings.HasPrefix(user[0][0], "0") || user[0][0] == "root" {
		t.Errorf("USER %v", user)
	}
	entry := all(list, "ENTRYPOINT")
	if len(entry) != 1 || !strings.HasPrefix(entry[0][0], "[") {
		t.Errorf("ENTRYPOINT %v", entry)
	}
}
