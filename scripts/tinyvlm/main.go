// Command tinyvlm writes a very small random-weight model of one of the
// engine's Qwen vision-language architectures, registers it at an Ollama
// server, or both:
//
//	go run ./scripts/tinyvlm -arch qwen35 -out tiny.gguf
//	go run ./scripts/tinyvlm -arch qwen35 -register candor-tiny-qwen35 -host http://127.0.0.1:11434
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/google/renameio/v2"

	"candor/infer/ollama"
	"candor/infer/ollama/tinyvlm"
)

const (
	statusFailed = 1
	statusUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

type options struct {
	config   tinyvlm.Config
	out      string
	register string
	host     string
}

// run is main, apart from the process: it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "tinyvlm:", err)
		return statusUsage
	}
	if err := o.do(ctx, stdout); err != nil {
		fmt.Fprintln(stderr, "tinyvlm:", err)
		return statusFailed
	}
	return 0
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("tinyvlm", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.config.Architecture, "arch", "qwen35", "architecture: "+strings.Join(tinyvlm.Architectures(), ", "))
	flags.Uint64Var(&o.config.Seed, "seed", 1, "seed of the weights")
	flags.StringVar(&o.out, "out", "", "write the GGUF file here")
	flags.StringVar(&o.register, "register", "", "register it under this `name`")
	flags.StringVar(&o.host, "host", os.Getenv("OLLAMA_HOST"), "`URL` of the server to register at; OLLAMA_HOST if not given")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.out == "" && o.register == "":
		return o, errors.New("nothing to do: give -out FILE, -register NAME or both")
	case o.register != "" && o.host == "":
		return o, errors.New("-register needs -host or OLLAMA_HOST")
	}
	return o, nil
}

func (o options) do(ctx context.Context, stdout io.Writer) error {
	var gguf bytes.Buffer
	info, err := tinyvlm.Write(&gguf, o.config)
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := renameio.WriteFile(o.out, gguf.Bytes(), 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", o.out, err)
		}
		fmt.Fprintf(stdout, "%s: %s, %d bytes, %d parameters\n", o.out, info.Name, info.Size, info.Parameters)
	}
	if o.register == "" {
		return nil
	}
	client, err := ollama.New(o.host)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := tinyvlm.Register(ctx, client.API(), o.register, gguf.Bytes(), o.config); err != nil {
		return fmt.Errorf("at %s: %w", client.Endpoint(), err)
	}
	fmt.Fprintf(stdout, "%s: registered at %s (%s: its answers mean nothing)\n", o.register, client.Endpoint(), info.Name)
	return nil
}
