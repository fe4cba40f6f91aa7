package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Conflict is a package that registers the same tools as the extension.
type Conflict struct {
	Name  string // pi-agent-ask, pi-ask or pi-my-ask-user
	Where string // the file or folder that makes Pi load it
	Entry string // what stands there
	Fix   string // what a person can do about it
}

// rivals are the packages that register tools of the same names.
var rivals = []string{"pi-agent-ask", "pi-ask", "pi-my-ask-user"}

// rivalName finds a rival in a package source, such as npm:pi-ask@1.2.3, git:github.com/x/pi-ask.git or ../src/pi-ask.
var rivalName = regexp.MustCompile(`(?:^|[/:@\\])(` + strings.Join(rivals, "|") + `)(?:$|[@#/\\]|\.git$|\.[cm]?[jt]s$)`)

// conflicts looks for rivals in the agent's settings and among its extensions.
func conflicts(agentDir string) ([]Conflict, error) {
	settings, err := inSettings(agentDir)
	if err != nil {
		return nil, err
	}
	loaded, err := inExtensions(filepath.Join(agentDir, "extensions"))
	return append(settings, loaded...), err
}

// inSettings reads the lists of packages and extensions of the settings file.
func inSettings(agentDir string) ([]Conflict, error) {
	path := filepath.Join(agentDir, "settings.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var settings struct {
		Packages   []json.RawMessage `json:"packages"`
		Extensions []json.RawMessage `json:"extensions"`
	}
	if err := json.Unmarshal(data, &settings); err != nil {
		return nil, fmt.Errorf("read %s: %w; repair the file first, Pi cannot read it either", path, err)
	}
	var out []Conflict
	for _, raw := range settings.Packages {
		if source := sourceOf(raw); rivalIn(agentDir, source) != "" {
			fix := fmt.Sprintf("run `pi remove %s`", source)
			out = append(out, Conflict{rivalIn(agentDir, source), path + " (packages)", source, fix})
		}
	}
	for _, raw := range settings.Extensions {
		if source := sourceOf(raw); rivalIn(agentDir, source) != "" {
			fix := fmt.Sprintf("take %q out of \"extensions\" in %s", source, path)
			out = append(out, Conflict{rivalIn(agentDir, source), path + " (extensions)", source, fix})
		}
	}
	return out, nil
}

// sourceOf reads an entry that is a string or an object with a source. Entries that switch something off load nothing.
func sourceOf(raw json.RawMessage) string {
	var source string
	if json.Unmarshal(raw, &source) != nil {
		var object struct {
			Source string `json:"source"`
		}
		if json.Unmarshal(raw, &object) != nil {
			return ""
		}
		source = object.Source
	}
	if strings.HasPrefix(source, "!") || strings.HasPrefix(source, "-") {
		return ""
	}
	return source
}

// rivalIn gives the rival that a source names, by its spelling or by the package.json of the folder it points to.
func rivalIn(agentDir, source string) string {
	if m := rivalName.FindStringSubmatch(source); m != nil {
		return m[1]
	}
	path := source
	if !filepath.IsAbs(path) {
		path = filepath.Join(agentDir, path)
	}
	return rivalPackage(path)
}

// inExtensions looks at the files and folders that Pi loads by themselves.
func inExtensions(dir string) ([]Conflict, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Conflict
	for _, entry := range entries {
		name, path := "", filepath.Join(dir, entry.Name())
		if loadable(path) {
			name = rivalIn(dir, entry.Name())
		}
		if name != "" {
			out = append(out, Conflict{name, dir, entry.Name(), fmt.Sprintf("move %s to a place outside %s", path, dir)})
		}
	}
	return out, nil
}

// loadable reports whether Pi would load an entry of its extensions folder: settings files of the same names lie there too.
func loadable(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	ext := filepath.Ext(path)
	return info.IsDir() || ext == ".js" || ext == ".ts"
}

// rivalPackage gives the rival whose package lies in a folder.
func rivalPackage(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return ""
	}
	var pkg struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(data, &pkg) != nil {
		return ""
	}
	if m := rivalName.FindStringSubmatch(pkg.Name); m != nil {
		return m[1]
	}
	return ""
}

func conflictError(found []Conflict) error {
	var b strings.Builder
	for _, c := range found {
		fmt.Fprintf(&b, "\n- %s: %s in %s; %s", c.Name, c.Entry, c.Where, c.Fix)
	}
	return fmt.Errorf("%w, and Pi does not start with both:%s\nThen install again; settings and session files of the other package are kept and used", ErrConflict, &b)
}
