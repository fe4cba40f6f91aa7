package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	piextension "askd/cmd/pi-extension"

	"github.com/google/renameio/v2"
)

// manifestName is the file in the extension's folder that says which files were put there, and with what in them.
const manifestName = ".askd-manifest.json"

// manifest is what Install wrote. The zero value is that of a folder where nothing was installed.
type manifest struct {
	Version string `json:"version"`
	// Files gives the SHA-256 sums that a file may have and still be the extension's own. There is more than one only
	// while an installation is under way, or after one that was cut short.
	Files map[string][]string `json:"files"`
}

// with adds files to the manifest.
func (m manifest) with(files []file) manifest {
	out := manifest{Version: m.Version, Files: map[string][]string{}}
	for name, sums := range m.Files {
		out.Files[name] = slices.Clone(sums)
	}
	for _, f := range files {
		if !slices.Contains(out.Files[f.name], f.hash) {
			out.Files[f.name] = append(out.Files[f.name], f.hash)
		}
	}
	return out
}

// settled reports whether the installation that wrote the manifest came to its end.
func (m manifest) settled() bool {
	for _, sums := range m.Files {
		if len(sums) != 1 {
			return false
		}
	}
	return m.Version == piextension.Version
}

func (m manifest) names() []string { return slices.Sorted(maps.Keys(m.Files)) }

// file is one file of the extension as this program brings it.
type file struct {
	name string
	data []byte
	hash string
}

// stored is a file that was found. The zero value is none.
type stored struct {
	hash string // empty for what is no regular file
	own  bool   // as it was installed, now or earlier
}

// place is everything that is known of an agent folder before something is done to it.
type place struct {
	dir       string
	linked    bool // dir is there and is no real folder
	manifest  manifest
	wanted    []file
	found     map[string]stored // by name, the manifest left out
	conflicts []Conflict
}

func (p *place) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// survey reads an agent folder. One that does not exist is as good as an empty one.
func survey(agentDir string) (*place, error) {
	p := &place{dir: filepath.Join(agentDir, "extensions", folder), found: map[string]stored{}}
	var err error
	if p.wanted, err = wanted(); err != nil {
		return nil, err
	}
	if p.conflicts, err = conflicts(agentDir); err != nil {
		return nil, err
	}
	info, err := os.Lstat(p.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, nil
	case err != nil:
		return nil, err
	case !info.IsDir():
		p.linked = true
		return p, nil
	}
	if p.manifest, err = readManifest(p.dir); err != nil {
		return nil, err
	}
	if err := p.look(); err != nil {
		return nil, err
	}
	if p.marked() {
		p.mark(true)
	}
	return p, nil
}

// marked reports whether the installation that is there was asked for ask_user_question.
func (p *place) marked() bool {
	_, named := p.manifest.Files[piextension.QuestionMark]
	return named && p.found[piextension.QuestionMark].own
}

// mark says whether the file that asks for ask_user_question is wanted.
func (p *place) mark(on bool) {
	p.wanted = slices.DeleteFunc(p.wanted, func(f file) bool { return f.name == piextension.QuestionMark })
	if on {
		data := []byte("{\"askUserQuestion\": true}\n")
		p.wanted = append(p.wanted, file{piextension.QuestionMark, data, sum(data)})
	}
}

// wanted reads the files that this program brings.
func wanted() ([]file, error) {
	var out []file
	err := fs.WalkDir(piextension.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(piextension.Files(), name)
		out = append(out, file{name, data, sum(data)})
		return err
	})
	return out, err
}

func readManifest(dir string) (manifest, error) {
	var m manifest
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("read %s: %w; remove the file and install again", filepath.Join(dir, manifestName), err)
	}
	for name := range m.Files {
		// A manifest is a file like any other: it must not lead out of the folder.
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return m, fmt.Errorf("%w: %s names %q, which is outside the folder; remove the manifest", ErrForeign, filepath.Join(dir, manifestName), name)
		}
	}
	return m, nil
}

// look takes stock of the folder.
func (p *place) look() error {
	return filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(p.dir, path)
		if err != nil || rel == manifestName {
			return err
		}
		name := filepath.ToSlash(rel)
		p.found[name], err = p.examine(name, path, d)
		return err
	})
}

func (p *place) examine(name, path string, d fs.DirEntry) (stored, error) {
	if !d.Type().IsRegular() {
		return stored{}, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return stored{}, err
	}
	hash := sum(data)
	own := slices.Contains(p.manifest.Files[name], hash) ||
		slices.ContainsFunc(p.wanted, func(f file) bool { return f.name == name && f.hash == hash })
	return stored{hash, own}, nil
}

func (p *place) save(m manifest) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(p.dir, manifestName), append(data, '\n'), 0o644)
}

func (p *place) report() Report {
	r := Report{Dir: p.dir, State: p.state(), Available: piextension.Version, Conflicts: p.conflicts, AskUserQuestion: p.marked()}
	if r.State != Absent {
		r.Version = p.manifest.Version
	}
	for _, name := range slices.Sorted(maps.Keys(p.found)) {
		if !p.found[name].own {
			r.Kept = append(r.Kept, name)
		}
	}
	return r
}

func (p *place) state() State {
	if len(p.manifest.Files) == 0 {
		return Absent
	}
	for name := range p.manifest.Files {
		if found, there := p.found[name]; !there || !found.own {
			return Modified
		}
	}
	if len(p.pending()) == 0 && len(p.leftovers()) == 0 && p.manifest.settled() {
		return Installed
	}
	return Outdated
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
