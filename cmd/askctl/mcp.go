package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"askd/config"
)

// mcpOptions are what the command line of mcp says.
type mcpOptions struct {
	session     string
	sessionName string
	question    bool
	patience    time.Duration
}

func (a *app) mcpVerb() *cobra.Command {
	var o mcpOptions
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the ask tools to any MCP client on standard input and output",
		Long: `Serve the tools ask_user and wait_for_answers as an MCP server on the standard input
and output. An MCP client starts it; the questions appear in the running askd. In the
client's configuration:

  {"mcpServers": {"askd": {"command": "askctl", "args": ["mcp"]}}}

While the person thinks the client is sent progress, so that its time limit does not
end the call. A client that takes no progress gets a receipt after --patience and
collects the answer with wait_for_answers. Cancelling the call takes the question back;
a call that is sent again with the same id joins the question that is already there.

The session is named after the client's first root, or the folder it was started in.
What is still queued when the client ends is taken back, unless --session names a
session that a later run goes on with.`,
		Example: `askctl mcp
askctl mcp --ask-user-question --session editor`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.patience < 0 {
				return usagef(cmd, "--patience %s: give a time of at least 0", o.patience)
			}
			return a.serveMCP(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.session, "session", "", "go on with the session of this `NAME` (default a new one that ends with the client)")
	f.StringVar(&o.sessionName, "session-name", "", "the `NAME` that the person sees as the asker (default the name of the client's root)")
	f.BoolVar(&o.question, "ask-user-question", false, "serve ask_user_question too")
	f.DurationVar(&o.patience, "patience", config.MCPPatience, "the `TIME` for which a call of a client that takes no progress is held; 0 holds it until the answer")
	return cmd
}

// serveMCP answers one client until it closes the standard input.
func (a *app) serveMCP(ctx context.Context, o mcpOptions) error {
	b := newBridge(a, o)
	server := mcp.NewServer(&mcp.Implementation{Name: "askd", Title: "askd", Version: config.Version}, &mcp.ServerOptions{
		Instructions: mcpInstructions(o),
		Capabilities: &mcp.ServerCapabilities{},
		Logger:       slog.New(slog.DiscardHandler), // the standard error is the client's log, and askctl's errors go there
	})
	b.addTools(server)
	out := &wholeLines{to: a.out}
	stdio := &mcp.IOTransport{Reader: newMCPLines(a.in.r, out), Writer: out, MaxLineLength: config.MaxLineIn}
	err := server.Run(ctx, &mcpTransport{stdio, b})
	b.end()
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, context.Canceled) {
		return &exitError{exitFailed, "the MCP client hung up: " + err.Error() + ": start it again", err}
	}
	return nil
}

// requestID is the id under which askd knows an MCP call: the client's own, when it gives one, else one that is made of the
// session and the call's id, so that a call which is sent again joins its question.
func (b *bridge) requestID(own, call string) string {
	if id, err := uuid.Parse(own); err == nil {
		return id.String()
	}
	space, err := uuid.Parse(b.info.ID)
	if err != nil {
		space = uuid.NewSHA1(uuid.NameSpaceOID, []byte(b.info.ID))
	}
	if b.o.session != "" { // another run of the same session counts its calls from the start again
		call = b.info.Instance + " " + call
	}
	return uuid.NewSHA1(space, []byte(call)).String()
}
