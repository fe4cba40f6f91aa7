package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/client"
	"askd/config"
	"askd/daemon"
)

// demoCalls are the questions of the demo's agents, as agents send them.
//
//go:embed demo.json
var demoCalls []byte

// demoFarewell lets the person see where the last answer went before the pane closes.
const demoFarewell = 1500 * time.Millisecond

// demoAgent is one agent of the demo.
type demoAgent struct {
	Session   broker.SessionInfo `json:"session"`
	Tool      string             `json:"tool"`
	Arguments json.RawMessage    `json:"arguments"`

	reply *demoReply
}

// demoReply is the part of a tool outcome that the demo prints.
type demoReply struct {
	Content []ask.Block `json:"content"`
	Receipt struct {
		Status string `json:"status"`
	} `json:"structuredContent"`
}

func demoCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:     "demo",
		Short:   "Try it: four agents ask, you answer, nothing of yours is touched",
		Long:    "Open the pane on a throwaway data file and let four built-in agents ask a few questions, one of them in the background.\nWhat they would have been told is printed when all are answered or you leave with Ctrl+Q.",
		Example: "askd demo",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return demo(c.Context(), c.OutOrStdout(), f.wantsPlain()) },
	}
}

func demo(ctx context.Context, out io.Writer, plain bool) error {
	var agents []*demoAgent
	if err := json.Unmarshal(demoCalls, &agents); err != nil {
		return fmt.Errorf("read the demo's questions: %w", err)
	}
	folder, err := os.MkdirTemp("", "askd-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w; set TMPDIR to one that can be written", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if err := runDemo(ctx, folder, agents, plain); err != nil {
		return err
	}
	printDemo(out, agents, nextStep(exec.LookPath))
	return nil
}

// runDemo runs a daemon and its agents until every question is answered or the person leaves.
func runDemo(ctx context.Context, folder string, agents []*demoAgent, plain bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	in := func(name string) string { return filepath.Join(folder, name) }
	var asking, farewell sync.WaitGroup
	turn := make(chan struct{})
	close(turn)
	for _, a := range agents {
		mine, next := turn, make(chan struct{})
		asking.Go(func() { a.ask(ctx, in("askd.sock"), mine, next) })
		turn = next
	}
	farewell.Go(func() {
		asking.Wait()
		select {
		case <-ctx.Done():
		case <-time.After(demoFarewell):
			stop()
		}
	})
	err := daemon.Run(ctx, daemon.Options{
		Socket: in("askd.sock"), Data: in("askd.db"), Log: in("askd.log"), SettingsFile: in("settings.json"), PiKeysFile: in("keybindings.json"), Version: config.Version,
		Throwaway: true, Plain: plain,
	})
	stop()
	farewell.Wait()
	return err
}

// ask puts the agent's questions once it is its turn, closes next when they are accepted, and keeps the reply; nil stays
// when the person left before answering.
func (a *demoAgent) ask(ctx context.Context, socket string, turn <-chan struct{}, next chan<- struct{}) {
	select {
	case <-turn:
	case <-ctx.Done():
		return
	}
	later := make(chan demoReply, 1) // the answer to a background question
	c := client.Client{Socket: socket, Name: "demo", Version: config.Version, OnNotify: func(method string, params json.RawMessage) {
		var r demoReply
		switch {
		case method == "ask.accepted":
			close(next)
		case method == "ask.deliver" && json.Unmarshal(params, &r) == nil && len(later) == 0:
			later <- r
		}
	}}
	conn, err := c.WaitConnect(ctx)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	if err := conn.Call(ctx, "session.open", a.Session, nil); err != nil {
		return
	}
	var r demoReply
	call := broker.CallParams{Tool: a.Tool, ToolCallID: "demo-" + a.Session.ID, Arguments: a.Arguments}
	if err := conn.Call(ctx, "tool.call", call, &r); err != nil || len(r.Content) == 0 {
		<-ctx.Done()
		return
	}
	if r.Receipt.Status == "queued" {
		select {
		case r = <-later:
		case <-ctx.Done():
			return
		}
	}
	a.reply = &r
}

func printDemo(out io.Writer, agents []*demoAgent, next string) {
	for _, a := range agents {
		fmt.Fprintf(out, "%s was told:\n", a.Session.Name)
		if a.reply == nil {
			fmt.Fprint(out, "  nothing: its question was not answered, and that is no decision\n\n")
			continue
		}
		for _, b := range a.reply.Content {
			if b.Type == "text" {
				fmt.Fprintf(out, "%s\n\n", indent(ask.Clean(b.Text)))
			}
		}
	}
	fmt.Fprintln(out, next)
}

// nextStep is what to do after the demo, which may have run from a checkout with nothing installed.
func nextStep(find func(program string) (string, error)) string {
	const connect = "`askctl pi install` connects Pi, `askd` opens the real inbox."
	for _, program := range []string{"askd", "askctl"} {
		if _, err := find(program); err != nil {
			return "Next: install askd and askctl into your PATH, see Install in the README. Then " + connect
		}
	}
	return "Next: " + connect
}
