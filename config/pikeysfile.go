package config

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
)

// noticePiKeys is what the person is told of a file that Pi, too, passes over without a word.
const noticePiKeys = "Pi's key file %s could not be used: %s. Pi's default keys apply; mend the file, it is read again at once."

// noticePiKey is the same for some actions of a file that is otherwise good.
const noticePiKey = "Pi's key file %s: %s has no usable key and keeps its default; write for instance \"ctrl+v\"."

// PiKeysFile is Pi's file of keys on disk. askd only reads it. Its methods may be called from any goroutine; they read the
// disk, so a goroutine that draws or serves should not. Use OpenPiKeys.
type PiKeysFile struct {
	path   string
	getenv func(string) string

	mu     sync.Mutex // makes a load one step for Watch
	known  bool
	latest []byte // what was loaded; nil for a file that is missing or cannot be read
}

// OpenPiKeys names the file (PiKeysPath); nothing is read yet. getenv tells whether askd runs in the Windows subsystem for
// Linux, where Pi has other defaults.
func OpenPiKeys(path string, getenv func(string) string) *PiKeysFile {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return &PiKeysFile{path: path, getenv: getenv}
}

// Path is the file's absolute path.
func (f *PiKeysFile) Path() string { return f.path }

// Load reads the file as Pi does. A missing file means Pi's defaults, and none is made. A file that cannot be read or is no
// JSON object gives the defaults and a notice; an action whose keys are wrong keeps its default, with a notice when it is
// one that askd knows. The keys can always be used.
func (f *PiKeysFile) Load() (*PiKeys, []Notice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, err := readRegular(f.path)
	f.known, f.latest = true, data
	k := newPiKeys(f.getenv)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return k, []Notice{{Warning, fmt.Sprintf(noticePiKeys, f.path, err)}}
	}
	doc, ok := object(data)
	if !ok {
		return k, []Notice{{Warning, fmt.Sprintf(noticePiKeys, f.path, "it is not a JSON object")}}
	}
	return k, k.read(doc, f.path)
}

// Watch tells of changes of the file, as File.Watch does: after each value call Load.
func (f *PiKeysFile) Watch(ctx context.Context, start Go) (<-chan struct{}, error) {
	return watch(ctx, start, "pi keys", f.path, f.changed)
}

func (f *PiKeysFile) changed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, _ := readRegular(f.path)
	return f.known && ((data == nil) != (f.latest == nil) || !bytes.Equal(data, f.latest))
}

// read takes over what the file binds. An older name counts only where the file does not have the new one.
func (k *PiKeys) read(doc map[string]json.RawMessage, path string) []Notice {
	var notices []Notice
	for _, a := range piActions {
		raw, ok := doc[string(a.name)]
		if !ok && a.legacy != "" {
			raw, ok = doc[a.legacy]
		}
		if !ok {
			continue
		}
		keys, ok := piBinding(raw)
		if !ok {
			notices = append(notices, Notice{Warning, fmt.Sprintf(noticePiKey, path, a.name)})
			continue
		}
		k.keys[a.name] = keys
	}
	return notices
}

// piBinding is a key or a list of keys; an empty list unbinds. One wrong key refuses all of them.
func piBinding(raw json.RawMessage) (keys []string, ok bool) {
	var texts []string
	if text, is := jsonText(raw); is {
		texts = []string{text}
	} else if json.Unmarshal(raw, &texts) != nil || texts == nil {
		return nil, false
	}
	seen := map[string]bool{}
	for _, text := range texts {
		key, ok := normalisePiKey(text)
		if !ok {
			return nil, false
		}
		if !seen[key] {
			seen[key], keys = true, append(keys, key)
		}
	}
	return keys, true
}
