// Command compat does what the Go services do to a queue, for our tests to compare with.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

var commands = map[string]func(in io.Reader, out io.Writer) error{
	"vectors": vectors,
	"read":    read,
	"fixture": fixture,
}

func main() {
	if len(os.Args) != 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: compat vectors|read|fixture")
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	err := commands[os.Args[1]](bufio.NewReader(os.Stdin), out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "compat %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}
