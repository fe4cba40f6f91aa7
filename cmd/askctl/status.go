package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"askd/broker"
	"askd/broker/wire"
)

// status is the result of daemon.status (PROTOCOL).
type status struct {
	Version   string    `json:"version"`
	PID       int       `json:"pid"`
	Host      string    `json:"host,omitempty"`
	StartedAt time.Time `json:"startedAt"`
	Socket    string    `json:"socket"`
	DataFile  string    `json:"dataFile"`
	DataBytes int64     `json:"dataBytes"`
	broker.Report
	Clients wire.Clients `json:"clients"`
}

func (a *app) statusVerb() *cobra.Command {
	var format, fallback string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say whether askd runs, since when, and how much waits in it",
		Long: `Say whether askd runs, since when, and how much waits in it.

--format prints one line for a status bar or a prompt, or nothing when nothing waits. It
is tmux, prompt, json, or a template in Go's text/template:

  .Running   whether an askd answers
  .Pending   forms without an answer: .Waiting and .Deferred together
  .Waiting   those that are not deferred
  .Deferred  those that are
  .Blocked   those of .Waiting whose agent stands still
  .Session   who asks what is shown next
  .Title     what it is called
  .Age       since it was asked, such as 5m

Functions are cut N, json, and tmux and prompt, which replace what tmux or a shell would
act on, such as # and $, by its full-width twin. .Session and .Title are words of agents:
without these functions they are as the agent wrote them, but for control characters.

Where no askd answers within half a second it prints --fallback, by default nothing, and
exits with 0 all the same; json says "running": false.`,
		Example: `askctl status
askctl status --format tmux
askctl status --format '{{.Waiting}} from {{.Session | cut 12 | tmux}}'`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("format") {
				if a.json || format == "" {
					return usagef(cmd, "--format is tmux, prompt, json or a template, and goes without --json")
				}
				return a.statusFormat(cmd.Context(), format, fallback)
			}
			if cmd.Flags().Changed("fallback") {
				return usagef(cmd, "--fallback belongs to --format")
			}
			var raw json.RawMessage
			if err := a.look(cmd.Context(), &raw); err != nil {
				return err
			}
			return a.showStatus(raw)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "one line for a status bar or a prompt: tmux, prompt, json or a `TEMPLATE`")
	cmd.Flags().StringVar(&fallback, "fallback", "", "what --format prints where no askd answers, a `TEXT`")
	a.completeFlag(cmd, "format", cobra.FixedCompletions([]string{"json", "prompt", "tmux"}, cobra.ShellCompDirectiveNoFileComp))
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) showStatus(raw json.RawMessage) error {
	if a.json {
		return a.out.writeJSON(raw)
	}
	var s status
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("read the status: %w", tooOld(err))
	}
	a.statusTable(&s).write(a.out)
	if len(s.Sessions) > 0 {
		a.out.printf("\n")
		a.sessionTable(s.Sessions).write(a.out)
	}
	a.otherDataFile(s.DataFile)
	return nil
}

func (a *app) statusTable(s *status) *table {
	t := &table{columns: []column{{head: "ASKD"}, {head: a.out.line(s.Version), min: 20}}}
	rows := [][2]string{
		{"pid", strconv.Itoa(s.PID)},
		{"started", s.StartedAt.Local().Format(time.DateTime) + ", " + age(a.now().Sub(s.StartedAt)) + " ago"},
		{"socket", s.Socket},
		{"data file", fileText(s)},
		{"pane", paneText(s.Pane)},
		{"pending", countText(s.Counts)},
		{"undelivered", strconv.Itoa(s.Counts.Undelivered)},
		{"records", strconv.Itoa(s.Counts.Records)},
		{"sessions", strconv.Itoa(len(s.Sessions))},
		{"connections", connectionText(s.Clients)},
		{"accepted", latencyText(s.Latency.Accepted, "no question yet")},
		{"delivered", latencyText(s.Latency.Delivered, "no answer yet")},
	}
	if host := machine(s.Host, thisHost()); host != "" {
		rows = slices.Insert(rows, 0, [2]string{"machine", host})
	}
	for _, row := range rows {
		t.add(cell{row[0], dim}, cell{a.out.line(row[1]), plain})
	}
	if s.Quiet != nil {
		t.add(cell{"quiet", dim}, cell{a.out.line(a.quietText(s.Quiet)), plain})
	}
	return t
}

func paneText(p broker.Pane) string {
	if !p.Attached {
		return "none: askctl attach opens one"
	}
	if p.Panes > 1 {
		return fmt.Sprintf("%d, the first with %d columns, %d rows", p.Panes, p.Columns, p.Rows)
	}
	return fmt.Sprintf("%d columns, %d rows", p.Columns, p.Rows)
}

func countText(c broker.Counts) string {
	if c.Deferred == 0 {
		return strconv.Itoa(c.Pending)
	}
	return fmt.Sprintf("%d, %d of them deferred by the person", c.Pending, c.Deferred)
}

func fileText(s *status) string {
	if s.DataBytes == 0 { // of an askd that does not say
		return s.DataFile
	}
	return s.DataFile + ", " + size(s.DataBytes)
}

func connectionText(c wire.Clients) string {
	if c.CutOff == 0 {
		return strconv.Itoa(c.Connected)
	}
	return fmt.Sprintf("%d; %d cut off because the client did not read", c.Connected, c.CutOff)
}

// latencyText says how long askd itself took for something, none standing for nothing measured.
func latencyText(l broker.Latency, none string) string {
	if l.Count == 0 {
		return none
	}
	return fmt.Sprintf("after %s at the median, %s for 95 of 100, %s at worst", millis(l.Median), millis(l.P95), millis(l.Max))
}

// millis is a number of milliseconds with three digits that say something.
func millis(ms float64) string {
	switch {
	case ms < 10:
		return fmt.Sprintf("%.2f ms", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1000)
}

func (a *app) sessionTable(sessions []broker.SessionStatus) *table {
	t := &table{columns: []column{
		{head: "SESSION", min: 10},
		{head: "AGENT", min: 8},
		{head: "ROLE"},
		{head: "PENDING", right: true},
		{head: "FOLDER", min: 12, below: true},
	}}
	for _, s := range sessions {
		name := s.Name
		if name == "" {
			name = s.ID
		}
		if s.Host != "" {
			name += "@" + s.Host
		}
		agent := s.Agent
		if agent == "" {
			agent = s.UI
		}
		t.add(
			cell{a.out.line(name), bold},
			cell{a.out.line(agent), plain},
			cell{a.out.line(s.Role), plain},
			cell{strconv.Itoa(s.Pending), plain},
			cell{a.out.line(s.Cwd), dim},
		)
	}
	return t
}

// otherDataFile warns when the person named a data file that the running askd does not use.
func (a *app) otherDataFile(used string) {
	data := a.dataPath()
	if !a.dataNamed() || samePath(data, used) {
		return
	}
	a.errors.printf("askctl: the askd on this socket uses another data file than %s: name its own socket with --socket\n", a.errors.line(data))
}
