package ask

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// MaxContextFiles is the most bytes that the context files of one call may have together where the client has to send
// them: with the rest of the call they must fit into one message.
const MaxContextFiles = 4 << 20

// File is a context file as a client on another machine read it there (PROTOCOL, tool.call). Data counts only without a
// Fault.
type File struct {
	Path  string `json:"path"`
	Data  []byte `json:"data,omitempty"`  // base64 on the wire; at most MaxContextFile
	Fault string `json:"fault,omitempty"` // a key of the faults, or any other word
}

// The reasons that only files of another machine have.
var (
	errTooMany  = errors.New("the context files of one form are larger than 4 MiB together, the most that is sent to an askd on another machine")
	errUnsent   = errors.New("it is on another machine than askd, and the asking program did not send it; put the text itself into context")
	errUnopened = errors.New("it cannot be read")
)

// faults words why a file could not be read on its own machine.
var faults = map[string]error{
	"missing": errNoFile, "irregular": errNotRegular, "denied": errNoAccess, "large": errTooLarge, "many": errTooMany,
}

// Gather reads the files that the contexts name on this machine, for an askd on another one. Arguments that askd will
// refuse give none. It blocks on the disk.
func Gather(arguments []byte) []File {
	p, err := ReadPayload(arguments)
	if err != nil || p.Validate() != nil {
		return nil
	}
	var out []File
	total := 0
	for _, path := range p.paths() {
		f := File{Path: path, Fault: "many"}
		if total <= MaxContextFiles {
			f = gathered(path)
		}
		if total += len(f.Data); total > MaxContextFiles {
			f = File{Path: path, Fault: "many"}
		}
		out = append(out, f)
	}
	return out
}

// paths are the files that the contexts name on this machine, each once.
func (p *Payload) paths() []string {
	var out []string
	for i := range p.questions {
		for j := range p.questions[i].context {
			if path, ok := p.questions[i].context[j].pathOn(ownDisk); ok && !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	return out
}

func gathered(path string) File {
	data, err := contextBytes(path)
	if err == nil {
		return File{Path: path, Data: data}
	}
	for word, reason := range faults {
		if errors.Is(err, reason) {
			return File{Path: path, Fault: word}
		}
	}
	return File{Path: path, Fault: "unreadable"}
}

// shelf is where context files come from.
type shelf struct {
	holds func(line string) bool // whether a line with white space names something there
	read  func(path string) (string, error)
}

// ownDisk is the shelf of a client on this machine.
var ownDisk = shelf{
	holds: func(line string) bool {
		_, err := os.Lstat(line)
		return err == nil
	},
	read: func(path string) (string, error) {
		data, err := contextBytes(path)
		if err != nil {
			return "", err
		}
		return decodeContext(data)
	},
}

// sent is the shelf of a client on another machine: what it has sent and nothing else. A file of the same name on this
// machine is none of the asker's.
func sent(files []File) shelf {
	byPath := make(map[string]*File, len(files))
	for i := range files {
		byPath[files[i].Path] = &files[i]
	}
	return shelf{
		holds: func(line string) bool { return byPath[line] != nil },
		read: func(path string) (string, error) {
			f := byPath[path]
			switch {
			case f == nil:
				return "", errUnsent
			case f.Fault != "":
				if reason, ok := faults[f.Fault]; ok {
					return "", reason
				}
				return "", errUnopened
			case len(f.Data) > MaxContextFile:
				return "", errTooLarge
			}
			return decodeContext(f.Data)
		},
	}
}

// TakeContexts is LoadContexts for a client on another machine, with the files that it sent. It opens none.
func (p *Payload) TakeContexts(files []File) []Issue { return p.fill(sent(files)) }

// fill replaces every context that names a file by the text that the shelf has.
func (p *Payload) fill(from shelf) []Issue {
	var issues []Issue
	for i := range p.questions {
		for _, err := range p.questions[i].loadContext(from) {
			issues = append(issues, Issue{Path: fmt.Sprintf("questions[%d].context", i), Message: err.Error()})
		}
	}
	return issues
}

// pathOn gives the file that a part stands for. A line that starts with a slash is a path when it names something or has no
// white space; other lines are sentences that begin with one.
func (p *part) pathOn(where shelf) (string, bool) {
	line := Trim(p.text)
	if p.literal || !strings.HasPrefix(line, "/") || strings.ContainsAny(line, lineTerminator) {
		return line, p.file
	}
	if p.file || strings.IndexFunc(line, isSpace) < 0 {
		return line, true
	}
	return line, where.holds(line)
}
