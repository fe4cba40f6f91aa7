package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"askd/broker/client"
	"askd/cmd/pi-extension/install"
	"askd/config"
)

func (a *app) piVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:                        "pi",
		Short:                      "Connect the Pi coding agent to askd",
		Long:                       "Connect the Pi coding agent to askd: its extension registers the tools with which the agent asks.",
		Args:                       cobra.ArbitraryArgs,
		RunE:                       verbs,
		SuggestionsMinimumDistance: 2,
	}
	cmd.PersistentFlags().StringVar(&a.agentDir, "agent-dir", "", "`PATH` of Pi's folder (default $PI_CODING_AGENT_DIR, else ~/.pi/agent)")
	cmd.AddCommand(a.piInstallVerb(), a.piUninstallVerb(), a.piStatusVerb())
	return cmd
}

func (a *app) piInstallVerb() *cobra.Command {
	var o install.Options
	var question bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Put the extension into Pi's folder, or bring it up to date",
		Long: `Put the extension into Pi's folder, or bring it up to date.

It changes nothing when another package there registers the same tools, since Pi
does not start with both, and never overwrites a file that it did not write.

--ask-user-question also gives the agent the tool ask_user_question with its skill,
whatever the settings say. Later installations keep that until one is told
--ask-user-question=false; then tools.askUserQuestion in the settings file decides.`,
		Example: `askctl pi install
askctl pi install --ask-user-question
askctl pi install --dry-run`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.piDir()
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("ask-user-question") {
				o.AskUserQuestion = &question
			}
			report, err := install.Install(dir, o)
			if err != nil {
				return err
			}
			a.showInstalled(report, o.DryRun)
			return nil
		},
	}
	cmd.Flags().BoolVarP(&o.DryRun, "dry-run", "n", false, "say what would change and change nothing")
	cmd.Flags().BoolVar(&question, "ask-user-question", false, "give the agent ask_user_question too")
	return cmd
}

func (a *app) showInstalled(r install.Report, dry bool) {
	dir := a.out.line(r.Dir)
	switch {
	case dry && len(r.Changed) > 0:
		a.out.printf("Would write or remove in %s:\n", dir)
		a.list(r.Changed)
	case len(r.Changed) == 0:
		a.out.printf("The extension %s is in %s already.\n", r.Version, dir)
	default:
		a.out.printf("Installed the extension %s in %s.\nNext: start askd if it does not run, then start Pi or type /reload in it.\n", r.Version, dir)
	}
}

func (a *app) piUninstallVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall",
		Short: "Take the extension out of Pi's folder again",
		Long: `Take the extension out of Pi's folder again. Only files that install wrote and nobody
has changed since are removed. Settings, questions and answers stay.`,
		Example: "askctl pi uninstall",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := a.piDir()
			if err != nil {
				return err
			}
			report, err := install.Uninstall(dir)
			if err != nil {
				return err
			}
			a.showUninstalled(report)
			return nil
		},
	}
}

func (a *app) showUninstalled(r install.Report) {
	if len(r.Changed) > 0 {
		a.out.printf("Removed the extension from %s.\nNext: restart Pi or type /reload in it.\n", a.out.line(r.Dir))
	} else {
		a.out.printf("There was nothing of the extension to remove in %s.\n", a.out.line(r.Dir))
	}
	if len(r.Kept) > 0 {
		a.out.printf("Kept, because askctl did not write them or they were changed since:\n")
		a.list(r.Kept)
		a.out.printf("Pi may still try to load them: move them out of %s when you no longer need them.\n", a.out.line(r.Dir))
	}
}

func (a *app) list(names []string) {
	for _, name := range names {
		a.out.printf("  %s\n", a.out.line(name))
	}
}

func (a *app) piStatusVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Say how Pi's folder stands to the extension, and whether askd runs",
		Example: "askctl pi status",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.piDir()
			if err != nil {
				return err
			}
			report, err := install.Inspect(dir)
			if err != nil {
				return err
			}
			return a.showPi(report, a.running(cmd.Context()))
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

// running words whether an askd answers.
func (a *app) running(ctx context.Context) string {
	var s status
	err := a.look(ctx, &s)
	switch {
	case errors.Is(err, client.ErrNotRunning):
		return "not running: start it with `askd`"
	case err != nil:
		return err.Error()
	}
	return fmt.Sprintf("%s, running as process %d", s.Version, s.PID)
}

// piStatus is what `askctl pi status --json` prints.
type piStatus struct {
	Dir       string       `json:"dir"`
	State     string       `json:"state"`
	Version   string       `json:"version,omitempty"`
	Available string       `json:"available"`
	Kept      []string     `json:"kept"`
	Question  bool         `json:"askUserQuestion"` // installed with --ask-user-question
	Conflicts []piConflict `json:"conflicts"`
	Askd      string       `json:"askd"`
}

type piConflict struct {
	Name  string `json:"name"`
	Where string `json:"where"`
	Entry string `json:"entry"`
	Fix   string `json:"fix"`
}

func (a *app) showPi(r install.Report, askd string) error {
	if a.json {
		s := piStatus{r.Dir, string(r.State), r.Version, r.Available, append([]string{}, r.Kept...), r.AskUserQuestion, []piConflict{}, askd}
		for _, c := range r.Conflicts {
			s.Conflicts = append(s.Conflicts, piConflict(c))
		}
		return a.out.writeJSON(s)
	}
	t := &table{columns: []column{{head: "EXTENSION"}, {head: a.out.line(stateText(r)), min: 20}}}
	t.add(cell{"folder", dim}, cell{a.out.line(r.Dir), plain})
	t.add(cell{"askd", dim}, cell{a.out.line(askd), plain})
	if r.AskUserQuestion {
		t.add(cell{"also offers", dim}, cell{"ask_user_question, whatever the settings say", plain})
	}
	for _, name := range r.Kept {
		t.add(cell{"not ours", dim}, cell{a.out.line(name), plain})
	}
	for _, c := range r.Conflicts {
		t.add(cell{"conflict", yellow}, cell{a.out.line(fmt.Sprintf("%s: %s in %s; %s", c.Name, c.Entry, c.Where, c.Fix)), plain})
	}
	t.write(a.out)
	return nil
}

// stateTexts say what a state means and what to do about it; the versions are the installed and the available one.
var stateTexts = map[install.State]string{
	install.Absent:    "not installed: run `askctl pi install`",
	install.Installed: "installed, version {installed}",
	install.Outdated:  "version {installed} is installed, {available} is here: run `askctl pi install`",
	install.Modified:  "changed or incomplete: move the changed files away, then run `askctl pi install`",
}

func stateText(r install.Report) string {
	return strings.NewReplacer("{installed}", r.Version, "{available}", r.Available).Replace(stateTexts[r.State])
}

// piDir is Pi's folder for this command line.
func (a *app) piDir() (string, error) {
	dir := a.agentDir
	if dir == "" {
		if a.home == "" && a.getenv("PI_CODING_AGENT_DIR") == "" {
			return "", errors.New("your home folder is not known: set HOME, or name Pi's folder with --agent-dir")
		}
		dir = config.AgentDir(a.getenv, a.home)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("Pi's folder %s: %w: name it with a path that starts with /", dir, err)
	}
	return abs, nil
}
