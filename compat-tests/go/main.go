// Command compat does what the Go services do to a queue, for our tests to compare with.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// command is one of the subcommands. What it writes reaches the reader when it flushes or ends.
type command func(ctx context.Context, args []string, in io.Reader, out *bufio.Writer) error

var commands = map[string]command{
	"vectors": filter(vectors),
	"read":    filter(read),
	"fixture": filter(fixture),
	"produce": produce,
	"consume": consume,
	"claim":   claim,
}

const usage = "usage: compat vectors|read|fixture|produce|consume|claim [-help]"

func main() {
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	out := bufio.NewWriter(os.Stdout)
	err := commands[os.Args[1]](ctx, os.Args[2:], bufio.NewReader(os.Stdin), out)
	if err == nil {
		err = out.Flush()
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errCrash):
		os.Exit(crashCode)
	case err != nil:
		fmt.Fprintf(os.Stderr, "compat %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

// filter is a command without flags.
func filter(run func(in io.Reader, out io.Writer) error) command {
	return func(_ context.Context, args []string, in io.Reader, out *bufio.Writer) error {
		if len(args) > 0 {
			return fmt.Errorf("unexpected arguments %q", args)
		}
		return run(in, out)
	}
}
