package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Level is how a notice is meant.
type Level string

// The levels of a notice.
const (
	Warning Level = "warning"
	Error   Level = "error"
)

// Notice is a sentence about the settings file for the person, ready to be shown.
type Notice struct {
	Level Level  `json:"level"`
	Text  string `json:"text"`
}

// The published notices (contract, "Supported UX").
const (
	noticeInvalid   = "Config was invalid or unsupported. Loaded defaults for this session and left the config file unchanged. Edit the config file or run /reload after fixing it."
	noticeMigration = "Config migration failed. Loaded defaults for this session and left the config file unchanged. Edit the config file or run /reload after fixing it."
	noticeKeymaps   = "%s Using default ask keymaps for this session. Edit the config and restart pi or run /reload."
)

// Loaded is what a settings file means. Settings and Keymaps can always be used.
type Loaded struct {
	Settings Settings
	Keymaps  *Keymaps // never nil
	Notices  []Notice // what the person should know; usually none
	Path     string   // absolute
	Valid    bool     // false: the file is there and could not be understood, so the defaults stand in
	// Pi are Pi's own keys. They stand in a file of their own: File leaves this nil, which means Pi's defaults, and who has
	// a PiKeysFile too puts its keys here.
	Pi *PiKeys
}

// File is a settings file on disk. Its methods may be called from any goroutine; they read and write the disk, so a
// goroutine that draws or serves should not. Use Open.
type File struct {
	path string

	mu     sync.Mutex // makes a save one step for Watch
	known  bool       // something was loaded or saved already
	broken bool       // the last load could not read the file
	latest []byte     // what was loaded or saved; nil for a missing file
}

// Open names a settings file; nothing is read yet.
func Open(path string) *File {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return &File{path: path}
}

// Path is the file's absolute path.
func (f *File) Path() string { return f.path }

// Load reads the file. A missing one is created with the defaults; when that fails, the defaults are used and a warning
// says so. A file that is wrong gives defaults and a notice and is never changed. Another reading error is returned,
// together with usable defaults.
func (f *File) Load() (Loaded, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, err := readRegular(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return f.create(), nil
	}
	if err != nil {
		f.broken = true
		return f.defaults(), fmt.Errorf("read ask config: %w", err)
	}
	f.remember(data)
	return f.interpret(data), nil
}

func (f *File) create() Loaded {
	l := f.defaults()
	l.Valid = true
	f.remember(nil)
	if err := f.write(l.Settings, l.Keymaps, false); err != nil {
		l.Notices = []Notice{{Warning, err.Error()}}
	}
	return l
}

func (f *File) defaults() Loaded {
	return Loaded{Settings: Defaults(), Keymaps: DefaultKeymaps(), Path: f.path}
}

func (f *File) interpret(data []byte) Loaded {
	l := f.defaults()
	d, err := decode(data)
	switch {
	case errors.Is(err, errMigration):
		l.Notices = []Notice{{Error, noticeMigration}}
		return l
	case err != nil:
		l.Notices = []Notice{{Error, noticeInvalid}}
		return l
	}
	l.Valid, l.Settings, l.Keymaps = true, d.settings, d.keymaps
	if d.keymapErr != nil {
		l.Notices = []Notice{{Warning, fmt.Sprintf(noticeKeymaps, d.keymapErr)}}
	}
	if doc, ok := orderedObject(data); ok {
		for _, stray := range strays(f.path, doc) {
			l.Notices = append(l.Notices, Notice{Warning, stray})
		}
	}
	return l
}

func (f *File) remember(data []byte) { f.known, f.broken, f.latest = true, false, data }

// SaveError is a failed save. Its text is the published one and names the file and what to do.
type SaveError struct {
	Path string
	Err  error
}

// Error is the text for the person.
func (e *SaveError) Error() string {
	return fmt.Sprintf("Unable to save ask config at %s. The file may be read-only or managed outside pi-agent-ask; edit it manually and run /reload. %v", e.Path, e.Err)
}

// Unwrap gives the system's error.
func (e *SaveError) Unwrap() error { return e.Err }

// Save writes settings and keeps the keymaps that are in the file. It replaces the file in one step, keeps its mode and
// writes through a symbolic link. Keys that askd does not know stay. When it fails the error is a *SaveError and
// Loaded is what the file still says. Use the Loaded that it returns: keymaps may have been edited meanwhile. A file that could not be understood is not saved over (ErrNotUnderstood).
func (f *File) Save(s Settings) (Loaded, error) {
	return f.update(func(into *Settings) error {
		*into = s
		into.Notifications.Channels = usableChannels(slices.Clone(s.Notifications.Channels))
		return nil
	})
}

// Set changes one key, one of Keys, as Save does. The value null puts the default back. Errors besides *SaveError:
// ErrUnknownKey, ErrInvalidValue.
func (f *File) Set(key string, value json.RawMessage) (Loaded, error) {
	return f.update(func(s *Settings) error { return setKey(s, key, value) })
}

// Reset writes the defaults over whatever is there, keymaps and files that could not be understood included.
func (f *File) Reset() (Loaded, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.write(Defaults(), DefaultKeymaps(), false); err != nil {
		return f.current(), err
	}
	l := f.defaults()
	l.Valid = true
	return l, nil
}

func (f *File) update(change func(*Settings) error) (Loaded, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l, keymaps, err := f.saved()
	if err != nil {
		return l, &SaveError{f.path, err}
	}
	next := l.Settings
	if err := change(&next); err != nil {
		return l, err
	}
	next.SchemaVersion = SchemaVersion
	if err := f.write(next, keymaps, true); err != nil {
		return l, err
	}
	l.Settings = next
	return l, nil
}

// saved is what the file says now, and its keymaps as they are to be written again.
func (f *File) saved() (Loaded, any, error) {
	data, err := readRegular(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		l := f.defaults()
		l.Valid = true
		return l, l.Keymaps, nil
	}
	if err != nil {
		return f.defaults(), nil, err
	}
	l := f.interpret(data)
	if !l.Valid {
		return l, nil, ErrNotUnderstood
	}
	if d, err := decode(data); err == nil && d.keymapErr != nil {
		return l, d.rawKeymaps, nil
	}
	return l, l.Keymaps, nil
}

func (f *File) current() Loaded {
	l, _, _ := f.saved()
	return l
}

// write replaces the file; keep says whether keys that askd does not know stay in it.
func (f *File) write(s Settings, keymaps any, keep bool) error {
	data, err := encode(s, keymaps)
	if old, readErr := readRegular(f.path); keep && err == nil && readErr == nil {
		data = keepStrays(data, old)
	}
	if err == nil {
		err = replace(f.path, data)
	}
	if err != nil {
		return &SaveError{f.path, err}
	}
	f.remember(data)
	return nil
}

// changed says whether the file is no longer what was last loaded or saved.
func (f *File) changed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, err := readRegular(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return !f.broken // Load will say what is wrong with it, once
	}
	return f.broken || f.known && ((data == nil) != (f.latest == nil) || !bytes.Equal(data, f.latest))
}

func setKey(s *Settings, key string, value json.RawMessage) error {
	if key == channelsKey {
		return setChannels(s, value)
	}
	for _, t := range toggles {
		if t.name() == key {
			return setToggle(s, t, value)
		}
	}
	for _, c := range choices {
		if c.name() == key {
			return setChoice(s, c, value)
		}
	}
	for _, n := range numbers {
		if n.name() == key {
			return setNumber(s, n, value)
		}
	}
	return fmt.Errorf("%w %q; the settings are %s", ErrUnknownKey, key, strings.Join(Keys(), ", "))
}

func setToggle(s *Settings, t toggle, value json.RawMessage) error {
	if isNull(value) {
		*t.field(s) = t.get(Defaults())
		return nil
	}
	if err := decodeBool(value, t.field(s)); err != nil {
		return fmt.Errorf("%w for %s: %w", ErrInvalidValue, t.name(), err)
	}
	return nil
}

func setChoice(s *Settings, c choice, value json.RawMessage) error {
	if isNull(value) {
		defaults := Defaults()
		*c.field(s) = *c.field(&defaults)
		return nil
	}
	if err := c.decode(value, s); err != nil {
		return fmt.Errorf("%w for %s: %w", ErrInvalidValue, c.name(), err)
	}
	return nil
}

func setNumber(s *Settings, n number, value json.RawMessage) error {
	if isNull(value) {
		*n.field(s) = n.get(Defaults())
		return nil
	}
	if err := n.decode(value, s); err != nil {
		return fmt.Errorf("%w for %s: %w", ErrInvalidValue, n.name(), err)
	}
	return nil
}

func setChannels(s *Settings, value json.RawMessage) error {
	if isNull(value) {
		s.Notifications.Channels = Defaults().Notifications.Channels
		return nil
	}
	channels, err := decodeChannels(value)
	if err != nil {
		return fmt.Errorf("%w for %s: %w", ErrInvalidValue, channelsKey, err)
	}
	s.Notifications.Channels = channels
	return nil
}

func isNull(value json.RawMessage) bool { return string(bytes.TrimSpace(value)) == "null" }

// readRegular reads a file, but never waits for a pipe or device to say something, and takes no memory for what cannot be
// settings. The mark that some editors put before UTF-8 is no part of the text.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file; move it away", path)
	}
	if info.Size() > MaxSettingsFile {
		return nil, fmt.Errorf("%s is larger than %d MiB; move it away", path, MaxSettingsFile>>20)
	}
	data, err := os.ReadFile(path)
	if err == nil && data == nil {
		data = []byte{}
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), err
}
