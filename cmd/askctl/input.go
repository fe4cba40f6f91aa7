package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// errNothingSent: the person left before anything went to askd.
var errNothingSent = errors.New("nothing was sent: the form waits as before")

// input is what a person types, or what a script pipes in. The zero value has nothing.
type input struct {
	r        io.Reader
	terminal bool
	lines    chan string // what was read in the background; nil until the first line is wanted
}

func newInput(f *os.File) *input {
	return &input{r: f, terminal: term.IsTerminal(int(f.Fd()))}
}

// line waits for a line that the person types. The end of the input and of ctx, as by Ctrl+C, are errNothingSent.
func (a *app) line(ctx context.Context) (string, error) {
	if a.in.lines == nil {
		a.in.lines = make(chan string)
		a.spawn("input", func() { a.in.read(ctx) })
	}
	select {
	case <-ctx.Done():
	case line, ok := <-a.in.lines:
		if ok {
			return line, nil
		}
	}
	a.out.printf("\n")
	return "", errNothingSent
}

// read hands on line by line. A read cannot be called off: it ends with the program.
func (in *input) read(ctx context.Context) {
	defer close(in.lines)
	r := bufio.NewReader(in.r)
	for {
		line, err := r.ReadString('\n')
		if err != nil && line == "" {
			return
		}
		select {
		case in.lines <- strings.TrimRight(line, "\r\n"):
		case <-ctx.Done():
			return
		}
	}
}

// confirm asks a question that only "y" and "yes" agree to.
func (a *app) confirm(ctx context.Context, question string) error {
	a.out.printf("%s [y/N] ", question)
	line, err := a.line(ctx)
	if err != nil {
		return err
	}
	if !agrees(line) {
		return errNothingSent
	}
	return nil
}

func agrees(line string) bool {
	word := strings.ToLower(strings.TrimSpace(line))
	return word == "y" || word == "yes"
}
