package main

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// tb lets a row use what the tests have for the coding agent and its model. A fatal error of theirs is a panic that
// guarded turns into an error.
type tb struct {
	testing.TB // nil: what is not below is not called
	b          *bench
}

type fatal struct{ error }

// guarded runs f with a tb.
func (b *bench) guarded(f func(testing.TB) (string, error)) (s string, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case fatal:
			err = p.error
		default:
			panic(p)
		}
	}()
	return f(&tb{b: b})
}

func (t *tb) Helper()                  {}
func (t *tb) Cleanup(f func())         { t.b.later(f) }
func (t *tb) Context() context.Context { return t.b.ctx }
func (t *tb) Logf(string, ...any)      {}
func (t *tb) Fatal(args ...any)        { panic(fatal{fmt.Errorf("%s", fmt.Sprint(args...))}) }
func (t *tb) Fatalf(f string, a ...any) {
	panic(fatal{fmt.Errorf(f, a...)})
}
func (t *tb) Error(args ...any)         { t.Fatal(args...) }
func (t *tb) Errorf(f string, a ...any) { t.Fatalf(f, a...) }

func (t *tb) TempDir() string {
	dir, err := os.MkdirTemp(t.b.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
