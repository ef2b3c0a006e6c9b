package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"candor/harness/lens/command"
)

// The tables in the manual and in the README are what the commands beside them
// print.
func TestTablesOfAgents(t *testing.T) {
	for _, row := range []struct {
		file, command, indent string
		environments          []string
	}{
		{"help/lens.md", "candor lens local:number-sort local:cooling --demo", "    ", []string{"local:number-sort", "local:cooling"}},
		{"../../README.md", "./candor lens --demo", "", nil},
	} {
		text, err := os.ReadFile(row.file)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := command.Demo(t.Context(), row.environments, 5, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := command.PrintDemo(&b, shown); err != nil {
			t.Fatal(err)
		}
		table, _, _ := strings.Cut(b.String(), "\n\n")
		want := "\n" + row.indent + strings.ReplaceAll(table, "\n", "\n"+row.indent) + "\n"
		if !strings.Contains(string(text), row.command) || !strings.Contains(string(text), want) {
			t.Errorf("%s does not hold what %s prints:\n%s", row.file, row.command, want)
		}
	}
}
