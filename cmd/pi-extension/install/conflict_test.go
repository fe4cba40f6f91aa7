package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConflicts(t *testing.T) {
	cases := []struct {
		name  string
		files map[string]string
		want  []string // rivals found
	}{
		{"nothing", nil, nil},
		{"npm package", map[string]string{"settings.json": `{"packages":["npm:pi-agent-ask@1.2.8","npm:other"]}`}, []string{"pi-agent-ask"}},
		{"scoped and git packages", map[string]string{"settings.json": `{"packages":["npm:@me/pi-ask","git:github.com/x/pi-my-ask-user.git"]}`}, []string{"pi-ask", "pi-my-ask-user"}},
		{"package object", map[string]string{"settings.json": `{"packages":[{"source":"npm:pi-ask","extensions":[]}]}`}, []string{"pi-ask"}},
		{"local package by its name", map[string]string{
			"settings.json": `{"packages":["../src/questions"]}`, "../src/questions/package.json": `{"name":"pi-my-ask-user"}`,
		}, []string{"pi-my-ask-user"}},
		{"extension path", map[string]string{"settings.json": `{"extensions":["/opt/pi-ask/src/index.ts"]}`}, []string{"pi-ask"}},
		{"switched off", map[string]string{"settings.json": `{"extensions":["!/opt/pi-ask/src/index.ts","-pi-ask"]}`}, nil},
		{"extension file", map[string]string{"extensions/pi-ask.ts": ""}, []string{"pi-ask"}},
		{"extension folder", map[string]string{"extensions/pi-agent-ask/index.ts": ""}, []string{"pi-agent-ask"}},
		{"extension folder by its package", map[string]string{"extensions/q/package.json": `{"name":"@x/pi-agent-ask"}`}, []string{"pi-agent-ask"}},
		{"settings of the tools", map[string]string{"extensions/pi-agent-ask.json": "{}", "ask-user-settings.json": "{}"}, nil},
		{"longer names", map[string]string{
			"settings.json":             `{"packages":["npm:pi-ask-more","npm:my-pi-ask","npm:pi-asking"]}`,
			"extensions/pi-ask-more.ts": "", "extensions/q/package.json": "not JSON",
		}, nil},
		{"odd settings", map[string]string{"settings.json": `{"packages":[3,null,{}],"theme":"dark"}`}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "agent")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range c.files {
				write(t, filepath.Join(dir, name), text)
			}
			report, err := Inspect(dir)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, conflict := range report.Conflicts {
				got = append(got, conflict.Name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			_, err = Install(dir, Options{})
			if refused := errors.Is(err, ErrConflict); refused != (len(c.want) > 0) {
				t.Errorf("install: %v", err)
			}
			for _, conflict := range report.Conflicts {
				if !strings.Contains(err.Error(), conflict.Fix) {
					t.Errorf("the error does not say what to do about %+v:\n%v", conflict, err)
				}
			}
		})
	}
}

func TestBrokenSettingsAreNamed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	write(t, path, "{")
	if _, err := Install(dir, Options{}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}
