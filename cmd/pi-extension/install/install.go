// Package install puts the extension into a Pi agent folder, and takes it out again. It owns the files that it wrote and
// no others: what a person changed or added is never overwritten and never deleted.
package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	piextension "askd/cmd/pi-extension"

	"github.com/google/renameio/v2"
)

// Errors that a caller may want to tell apart. Each comes wrapped with what was found and what to do.
var (
	// ErrConflict: another package registers the same tools, and Pi does not start with both.
	ErrConflict = errors.New("another extension registers the same tools")
	// ErrForeign: a file or link stands in the way that is not the extension's, or is no more as it was installed.
	ErrForeign = errors.New("will not replace what is not its own")
)

// State is how an agent folder stands to the extension of this program.
type State string

// The states. Absent is also that of a folder with nothing but other people's files in it.
const (
	Absent    State = "absent"
	Installed State = "installed" // exactly this program's files
	Outdated  State = "outdated"  // untouched files of another version
	Modified  State = "modified"  // installed, but changed or incomplete since
)

// Options are the wishes of an installation. The zero value installs.
type Options struct {
	// DryRun checks everything and reports what would change, and writes nothing.
	DryRun bool
	// AskUserQuestion has the extension offer ask_user_question whatever the settings say; nil leaves that as it is.
	AskUserQuestion *bool
}

// Report says what was found and done. Paths of files are slash-separated and relative to Dir.
type Report struct {
	Dir       string     // the extension's folder under the agent folder
	State     State      // afterwards
	Version   string     // that is installed; empty when absent
	Available string     // that this program brings
	Changed   []string   // files written or removed, in order
	Kept      []string   // files in Dir that are not the extension's, or not as installed: left alone
	Conflicts []Conflict // what keeps Pi from starting with the extension
	// AskUserQuestion: installed so that it offers ask_user_question whatever the settings say.
	AskUserQuestion bool
}

// folder is the name of the extension's folder among the agent's extensions.
const folder = "askd"

// Install puts the extension into agentDir, upgrades it in place, or finds that there is nothing to do. Each file is
// replaced in one step; an installation that was cut short is finished by the next. It refuses, before it has written
// anything, with ErrConflict or ErrForeign.
func Install(agentDir string, o Options) (Report, error) {
	p, err := survey(agentDir)
	if err != nil {
		return Report{}, err
	}
	if o.AskUserQuestion != nil {
		p.mark(*o.AskUserQuestion)
	}
	if err := p.refusal(); err != nil {
		return p.report(), err
	}
	writes, removals := p.pending(), p.leftovers()
	report := p.report()
	report.Changed = append(names(writes), removals...)
	if o.DryRun || (len(report.Changed) == 0 && p.manifest.settled()) {
		return report, nil
	}
	if err := p.apply(writes, removals); err != nil {
		return report, fmt.Errorf("install the extension in %s: %w; run the installation again", p.dir, err)
	}
	changed := report.Changed
	if p, err = survey(agentDir); err != nil {
		return report, err
	}
	report = p.report()
	report.Changed = changed
	return report, nil
}

// Uninstall removes what Install wrote and nobody has changed since. The rest is reported as kept.
func Uninstall(agentDir string) (Report, error) {
	p, err := survey(agentDir)
	if err != nil {
		return Report{}, err
	}
	if p.linked {
		return p.report(), p.linkError()
	}
	var removed []string
	for _, name := range p.manifest.names() {
		if p.found[name].own {
			if err := os.Remove(p.path(name)); err != nil {
				return p.report(), fmt.Errorf("remove the extension: %w", err)
			}
			removed = append(removed, name)
		}
	}
	if err := p.clear(); err != nil {
		return p.report(), fmt.Errorf("remove the extension: %w", err)
	}
	if p, err = survey(agentDir); err != nil {
		return Report{}, err
	}
	report := p.report()
	report.Changed = removed
	return report, nil
}

// Inspect reports how agentDir stands, and changes nothing.
func Inspect(agentDir string) (Report, error) {
	p, err := survey(agentDir)
	if err != nil {
		return Report{}, err
	}
	return p.report(), nil
}

// refusal is the reason for which nothing may be written.
func (p *place) refusal() error {
	if len(p.conflicts) > 0 {
		return conflictError(p.conflicts)
	}
	if p.linked {
		return p.linkError()
	}
	var inTheWay []string
	for _, f := range p.wanted {
		if found, there := p.found[f.name]; there && !found.own {
			inTheWay = append(inTheWay, p.path(f.name))
		}
	}
	if len(inTheWay) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s was changed or put there by somebody; move it out of the folder and install again",
		ErrForeign, strings.Join(inTheWay, ", "))
}

func (p *place) linkError() error {
	return fmt.Errorf("%w: %s is a link or no folder; remove it and run this again", ErrForeign, p.dir)
}

// pending are the files that are missing or of another version.
func (p *place) pending() []file {
	return slices.DeleteFunc(slices.Clone(p.wanted), func(f file) bool { return p.found[f.name].hash == f.hash })
}

// leftovers are unchanged files of an earlier version that this one does not have.
func (p *place) leftovers() []string {
	var out []string
	for _, name := range p.manifest.names() {
		wanted := slices.ContainsFunc(p.wanted, func(f file) bool { return f.name == name })
		if !wanted && p.found[name].own {
			out = append(out, name)
		}
	}
	return out
}

// apply writes in an order that leaves every file known as the extension's own, wherever it is cut short: first a
// manifest that names old and new contents, then the files, then the manifest of the new ones alone.
func (p *place) apply(writes []file, removals []string) error {
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return err
	}
	if err := p.save(p.manifest.with(p.wanted)); err != nil {
		return err
	}
	for _, f := range writes {
		if err := os.MkdirAll(filepath.Dir(p.path(f.name)), 0o755); err != nil {
			return err
		}
		if err := renameio.WriteFile(p.path(f.name), f.data, 0o644); err != nil {
			return err
		}
	}
	for _, name := range removals {
		if err := os.Remove(p.path(name)); err != nil {
			return err
		}
	}
	return p.save(manifest{Version: piextension.Version}.with(p.wanted))
}

// clear removes the manifest, and the folders in which nothing else is.
func (p *place) clear() error {
	if err := os.Remove(filepath.Join(p.dir, manifestName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	dirs := []string{p.dir}
	for _, name := range p.manifest.names() {
		for dir := filepath.Dir(p.path(name)); len(dir) > len(p.dir); dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	// The innermost have the longest paths.
	slices.SortFunc(dirs, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range slices.Compact(dirs) {
		if err := removeEmpty(dir); err != nil {
			return err
		}
	}
	return nil
}

func removeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil || len(entries) > 0 {
		return err
	}
	return os.Remove(dir)
}

func names(files []file) []string {
	var out []string
	for _, f := range files {
		out = append(out, f.name)
	}
	return out
}
