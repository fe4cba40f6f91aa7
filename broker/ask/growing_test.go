package ask

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// TestGrowingFile: what grows while it is read, or says of itself that it is empty as files of the kernel do, is cut off at
// the limit.
func TestGrowingFile(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.WriteString(w, strings.Repeat("x", 64*MaxContextFile)) // ends when nobody reads any more
	}()
	if _, err := readDescriptor(int(r.Fd()), 10); !errors.Is(err, errTooLarge) {
		t.Errorf("got %v", err)
	}
	r.Close()
	<-ended
	w.Close()
}
