package install

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	piextension "askd/cmd/pi-extension"
)

func boolPtr(v bool) *bool { return &v }

// TestAskUserQuestion: what an installation was asked for holds for later ones that say nothing about it.
func TestAskUserQuestion(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agent")
	mark := filepath.Join(dir, "extensions", folder, piextension.QuestionMark)
	for i, step := range []struct {
		wish *bool
		want bool
	}{{nil, false}, {boolPtr(true), true}, {nil, true}, {boolPtr(true), true}, {boolPtr(false), false}, {nil, false}, {boolPtr(true), true}} {
		report, err := Install(dir, Options{AskUserQuestion: step.wish})
		if err != nil {
			t.Fatal(err)
		}
		_, err = os.Stat(mark)
		if there := err == nil; there != step.want || report.AskUserQuestion != step.want || report.State != Installed || len(report.Kept) > 0 {
			t.Errorf("step %d: file %v, report %+v", i, there, report)
		}
	}
	report, err := Install(dir, Options{AskUserQuestion: boolPtr(false), DryRun: true})
	if err != nil || !slices.Equal(report.Changed, []string{piextension.QuestionMark}) || !report.AskUserQuestion {
		t.Errorf("dry run: %+v, %v", report, err)
	}
	if report, err = Uninstall(dir); err != nil || report.State != Absent {
		t.Errorf("uninstalled: %+v, %v", report, err)
	}
	if _, err := os.Stat(filepath.Dir(mark)); err == nil {
		t.Error("the folder is still there")
	}
}

// TestSkillIsInstalled: files in folders of the extension's own come and go with it.
func TestSkillIsInstalled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agent")
	const skill = "skills/ask-before-acting/SKILL.md"
	want, err := fs.ReadFile(piextension.Files(), skill)
	if err != nil {
		t.Fatal(err)
	}
	report := mustInstall(t, dir)
	if got, err := os.ReadFile(filepath.Join(report.Dir, skill)); err != nil || string(got) != string(want) {
		t.Errorf("the skill: %v", err)
	}
	own := filepath.Join(report.Dir, "skills", "mine.md")
	write(t, own, "mine")
	if _, err := Uninstall(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(own); err != nil {
		t.Errorf("a file of somebody else's: %v", err)
	}
	if _, err := os.Stat(filepath.Join(report.Dir, "skills", "ask-before-acting")); err == nil {
		t.Error("an empty folder was left")
	}
}

// TestTakingAskUserQuestionBackLeavesAForeignFile: a mark that somebody else put there is theirs.
func TestTakingAskUserQuestionBackLeavesAForeignFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agent")
	report := mustInstall(t, dir)
	mark := filepath.Join(report.Dir, piextension.QuestionMark)
	write(t, mark, "[]")
	if report, err := Install(dir, Options{AskUserQuestion: boolPtr(false)}); err != nil || !slices.Equal(report.Kept, []string{piextension.QuestionMark}) {
		t.Errorf("got %+v, %v", report, err)
	}
	if _, err := Install(dir, Options{AskUserQuestion: boolPtr(true)}); err == nil {
		t.Error("a foreign file was replaced")
	}
}
