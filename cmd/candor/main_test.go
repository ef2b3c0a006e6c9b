package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets this test binary be candor itself, for scripts and for tests
// that interrupt and kill it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"candor": main})
}

// TestScripts runs testdata/script. Beside testscript's own commands they have
// those of scriptCommands.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Cmds:                scriptCommands(t),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("OLLAMA_HOST", "http://127.0.0.1:1") // nobody is there
			env.Setenv("HOME", env.WorkDir)
			return nil
		},
	})
}
