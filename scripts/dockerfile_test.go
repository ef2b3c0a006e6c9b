package scripts

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
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
	if len(bases) != 4 {
		t.Fatalf("stages %v", bases)
	}
	if image := bases[0][0]; image != "golang:"+goVersion+"-bookworm" || !fullVersion.MatchString(image) {
		t.Errorf("built with %s, go.mod says %s", image, goVersion)
	}
	if image := bases[1][0]; image != "scratch" {
		t.Errorf("based on %s, want nothing", image)
	}
	// The server's stage and, last, what is built where no stage is named.
	if server, last := bases[2], bases[3]; strings.Join(server, " ") != "candor AS serve" || strings.Join(last, " ") != "candor" {
		t.Errorf("stages %v and %v; want candor AS serve, and candor", server, last)
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
	if len(entry) != 2 || !strings.HasPrefix(entry[0][0], "[") || !strings.HasPrefix(entry[1][0], "[") {
		t.Errorf("ENTRYPOINT %v", entry)
	}
}

// The server's image serves on the port that it exposes, asks the same for its
// health, and its manifest names that port. All of it is in the list form,
// since there is no shell.
func TestDockerfileServer(t *testing.T) {
	list := dockerfile(t)
	command := func(words []string) []string {
		t.Helper()
		var parts []string
		if err := json.Unmarshal([]byte(strings.Join(words, " ")), &parts); err != nil {
			t.Fatalf("%v: %v", words, err)
		}
		return parts
	}
	port := all(list, "EXPOSE")[0][0]
	entry := command(all(list, "ENTRYPOINT")[1])
	if want := []string{"/usr/local/bin/candor", "serve", "--addr", "0.0.0.0:" + port}; !slices.Equal(entry, want) {
		t.Errorf("ENTRYPOINT %q; want %q", entry, want)
	}
	health := all(list, "HEALTHCHECK")[0]
	at := slices.Index(health, "CMD")
	if want := []string{"/usr/local/bin/candor", "serve", "--check", "http://127.0.0.1:" + port}; at < 0 || !slices.Equal(command(health[at+1:]), want) {
		t.Errorf("HEALTHCHECK %q; want CMD %q", health, want)
	}
	var manifest struct {
		SpecVersion   int `yaml:"spec_version"`
		Name, Runtime string
		Port          int
	}
	if err := yaml.Unmarshal([]byte(readFile(t, "openenv.yaml")), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.SpecVersion != 1 || manifest.Name == "" || manifest.Runtime != "docker" || fmt.Sprint(manifest.Port) != port {
		t.Errorf("openenv.yaml says %+v; the image serves on %s", manifest, port)
	}
}
