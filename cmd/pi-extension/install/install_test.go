package install

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	piextension "askd/cmd/pi-extension"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree reads every regular file under a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir+"/")] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

func mustInstall(t *testing.T, dir string) Report {
	t.Helper()
	report, err := Install(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func state(t *testing.T, dir string) State {
	t.Helper()
	report, err := Inspect(dir)
	if err != nil {
		t.Fatal(err)
	}
	return report.State
}

// installOlder puts a version into the folder as an earlier program would have done.
func installOlder(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	ext := filepath.Join(dir, "extensions", folder)
	m := manifest{Version: "0.0.1", Files: map[string][]string{}}
	for name, text := range files {
		write(t, filepath.Join(ext, name), text)
		m.Files[name] = []string{sum([]byte(text))}
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(ext, manifestName), string(data))
}

func TestInstallThenAgainThenUninstall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agent")
	if got := state(t, dir); got != Absent {
		t.Errorf("before: %s", got)
	}
	first := mustInstall(t, dir)
	if first.State != Installed || first.Version != piextension.Version || len(first.Changed) == 0 || len(first.Kept) > 0 {
		t.Errorf("first report %+v", first)
	}
	got := tree(t, first.Dir)
	delete(got, manifestName)
	want := map[string]string{}
	for _, name := range first.Changed {
		data, err := fs.ReadFile(piextension.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		want[name] = string(data)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if again := mustInstall(t, dir); len(again.Changed) > 0 || again.State != Installed {
		t.Errorf("second report %+v", again)
	}
	last, err := Uninstall(dir)
	if err != nil {
		t.Fatal(err)
	}
	if last.State != Absent || len(last.Changed) != len(first.Changed) {
		t.Errorf("last report %+v", last)
	}
	if _, err := os.Stat(last.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	if last, err = Uninstall(dir); err != nil || len(last.Changed) > 0 {
		t.Errorf("uninstalled twice: %+v, %v", last, err)
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	dir := t.TempDir()
	report, err := Install(dir, Options{DryRun: true})
	if err != nil || len(report.Changed) == 0 || report.State != Absent {
		t.Errorf("report %+v, %v", report, err)
	}
	if got := tree(t, dir); len(got) > 0 {
		t.Errorf("wrote %v", got)
	}
}

func TestUpgradeInPlace(t *testing.T) {
	dir := t.TempDir()
	installOlder(t, dir, map[string]string{"index.js": "old", "gone.js": "no more needed"})
	write(t, filepath.Join(dir, "extensions", folder, "mine.txt"), "a person's")
	if got := state(t, dir); got != Outdated {
		t.Errorf("before: %s", got)
	}
	report := mustInstall(t, dir)
	if report.State != Installed || !slices.Contains(report.Changed, "index.js") || !slices.Contains(report.Changed, "gone.js") {
		t.Errorf("report %+v", report)
	}
	got := tree(t, report.Dir)
	if _, there := got["gone.js"]; there || got["mine.txt"] != "a person's" || got["index.js"] == "old" {
		t.Errorf("the folder holds %v", report)
	}
	if diff := cmp.Diff([]string{"mine.txt"}, report.Kept); diff != "" {
		t.Error(diff)
	}
}

func TestModifiedAndForeignFilesAreRefusedBeforeAnythingIsWritten(t *testing.T) {
	cases := map[string]func(t *testing.T, dir, ext string){
		"changed since": func(t *testing.T, dir, ext string) {
			installOlder(t, dir, map[string]string{"index.js": "old"})
			write(t, filepath.Join(ext, "index.js"), "changed")
		},
		"never ours": func(t *testing.T, _, ext string) { write(t, filepath.Join(ext, "index.js"), "other") },
		"a link in place of a file": func(t *testing.T, _, ext string) {
			write(t, filepath.Join(ext, "elsewhere"), "x")
			if err := os.Symlink("elsewhere", filepath.Join(ext, "index.js")); err != nil {
				t.Fatal(err)
			}
		},
		"a link in place of the folder": func(t *testing.T, dir, ext string) {
			write(t, filepath.Join(dir, "src", "index.js"), "x")
			if err := os.MkdirAll(filepath.Dir(ext), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(dir, "src"), ext); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, arrange := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			arrange(t, dir, filepath.Join(dir, "extensions", folder))
			before := tree(t, dir)
			if _, err := Install(dir, Options{}); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), folder) {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUninstallKeepsWhatWasChanged(t *testing.T) {
	dir := t.TempDir()
	ext := mustInstall(t, dir).Dir
	write(t, filepath.Join(ext, "index.js"), "changed")
	write(t, filepath.Join(ext, "sub", "mine.txt"), "a person's")
	if got := state(t, dir); got != Modified {
		t.Errorf("before: %s", got)
	}
	report, err := Uninstall(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"index.js": "changed", "sub/mine.txt": "a person's"}, tree(t, ext)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"index.js", "sub/mine.txt"}, report.Kept); diff != "" || report.State != Absent {
		t.Errorf("report %+v\n%s", report, diff)
	}
}

func TestMissingFileIsPutBack(t *testing.T) {
	dir := t.TempDir()
	ext := mustInstall(t, dir).Dir
	if err := os.Remove(filepath.Join(ext, "rows.js")); err != nil {
		t.Fatal(err)
	}
	if got := state(t, dir); got != Modified {
		t.Errorf("before: %s", got)
	}
	report := mustInstall(t, dir)
	if diff := cmp.Diff([]string{"rows.js"}, report.Changed); diff != "" || report.State != Installed {
		t.Errorf("report %+v\n%s", report, diff)
	}
}

// Whatever step an upgrade is cut short after, the next one finishes it.
func TestUpgradeCutShortIsFinished(t *testing.T) {
	all, err := wanted()
	if err != nil {
		t.Fatal(err)
	}
	for done := 0; done <= len(all); done++ {
		dir := t.TempDir()
		installOlder(t, dir, map[string]string{"index.js": "old", "rows.js": "old", "gone.js": "old"})
		p, err := survey(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.save(p.manifest.with(p.wanted)); err != nil {
			t.Fatal(err)
		}
		for _, f := range all[:done] {
			write(t, p.path(f.name), string(f.data))
		}
		if report := mustInstall(t, dir); report.State != Installed || len(report.Kept) > 0 {
			t.Errorf("after %d files: %+v", done, report)
		}
	}
}

func TestUnreadableManifests(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(mustInstall(t, dir).Dir, manifestName)
	for _, text := range []string{"{", `{"files":{"../../settings.json":["x"]}}`} {
		write(t, path, text)
		if _, err := Uninstall(dir); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}
