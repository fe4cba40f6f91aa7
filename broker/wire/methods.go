package wire

import (
	"encoding/json"

	"askd/broker"
	"askd/broker/tool"
	"askd/config"
)

// method runs one request on the connection's reader. It must not wait for anything but the mailbox of the broker. params
// are the connection's own memory: who needs them after the call copies them.
type method func(c *Conn, params json.RawMessage, reply broker.Reply)

// methods is the dispatch table (PROTOCOL, "Client -> askd").
var methods = map[string]method{
	"session.open":        withParams((*broker.Client).OpenSession),
	"session.close":       withParams(func(c *broker.Client, _ closing, r broker.Reply) { c.CloseSession(r) }),
	"tool.list":           withoutParams(toolList),
	"tool.call":           toolCall,
	"tool.await":          toolAwait,
	"tool.abort":          withParams((*broker.Client).Abort),
	"session.mode":        withParams((*broker.Client).Mode),
	"session.userMessage": withoutParams(func(c *Conn, r broker.Reply) { c.client.UserMessage(r) }),
	"queue.show":          withParams(func(c *broker.Client, p requestID, r broker.Reply) { c.ShowQueue(p.Session, r) }),
	"queue.defer":         withParams(func(c *broker.Client, p requestID, r broker.Reply) { c.DeferQueue(p.Session, r) }),
	"delivery.release":    withParams((*broker.Client).Release),
	"delivery.ack":        withParams((*broker.Client).Ack),
	"form.respond":        withParams((*broker.Client).Respond),
	"form.fail":           withParams((*broker.Client).Fail),
	"dialog.reply":        withParams((*broker.Client).AnswerDialog),
	"request.get":         requestGet,
	"queue.list":          withParams((*broker.Client).QueueList),
	"dnd.get":             withoutParams(func(c *Conn, r broker.Reply) { c.client.GetQuiet(r) }),
	"dnd.set":             withParams((*broker.Client).SetQuiet),
	"queue.watch":         withParams((*broker.Client).QueueWatch),
	"settings.get":        settingsGet,
	"settings.set":        settingsSet,
	"pane.open":           paneOpen,
	"pane.focus":          withoutParams(paneFocus),
	"pane.attach":         paneAttach,
	"pane.input":          paneInput,
	"pane.resize":         paneResize,
	"pane.retake":         paneRetake,
	"pane.taken":          paneTaken,
	"history.list":        withHistory((*broker.Client).HistoryList),
	"history.read":        withHistory((*broker.Client).HistoryRead),
	"history.export":      withHistory((*broker.Client).HistoryExport),
	"journal.check":       journalCheck,
	"journal.backup":      nearby(journalBackup),
	"journal.compact":     journalCompact,
	"journal.prune":       journalPrune,
	"daemon.status":       withoutParams(daemonStatus),
}

// withParams makes a method of a client's method that takes one struct of parameters.
func withParams[P any](f func(*broker.Client, P, broker.Reply)) method {
	return func(c *Conn, raw json.RawMessage, reply broker.Reply) {
		var p P
		if err := decodeParams(raw, &p); err != nil {
			reply(nil, err)
			return
		}
		f(c.client, p, reply)
	}
}

// withoutParams makes a method of one that takes nothing; what comes has to be an object all the same.
func withoutParams(f func(*Conn, broker.Reply)) method {
	return func(c *Conn, raw json.RawMessage, reply broker.Reply) {
		if err := decodeParams(raw, &struct{}{}); err != nil {
			reply(nil, err)
			return
		}
		f(c, reply)
	}
}

// closing are the parameters of session.close. A reason makes no difference to askd.
type closing struct {
	Reason string `json:"reason"`
}

func toolList(c *Conn, reply broker.Reply) {
	reply(struct {
		Tools []tool.Definition `json:"tools"`
	}{c.server.o.Broker.Tools()}, nil)
}

type requestID struct {
	RequestID string `json:"requestId"`
	Session   string `json:"session"`
}

var toolAwait = withParams(func(c *broker.Client, p requestID, reply broker.Reply) { c.Await(p.RequestID, reply) })

var requestGet = withParams(func(c *broker.Client, p requestID, reply broker.Reply) { c.Get(p.RequestID, p.Session, reply) })

func daemonStatus(c *Conn, reply broker.Reply) {
	c.client.Report(func(result any, err error) {
		if err != nil {
			reply(nil, err)
			return
		}
		reply(struct {
			Status
			broker.Report
			Clients Clients `json:"clients"`
		}{c.server.o.Status(), result.(broker.Report), c.server.census.now()}, nil)
	})
}

// initialize must be a connection's first request.
func (c *Conn) initialize(raw json.RawMessage, reply broker.Reply) {
	var p InitializeParams
	if err := decodeParams(raw, &p); err != nil {
		reply(nil, err)
		return
	}
	if p.Protocol != Protocol {
		reply(nil, &broker.Error{Kind: broker.UnsupportedVersion, Path: "protocol", Message: "this askd speaks protocol 1", Hint: "use a client of the same release"})
		return
	}
	if c.client != nil {
		reply(nil, &broker.Error{Kind: broker.Conflict, Message: "initialize came twice on this connection", Hint: "send it once, first"})
		return
	}
	c.client = c.server.o.Broker.ConnectFrom(c, p.Client.Name, c.origin)
	c.client.PaneNow(func(result any, err error) {
		if err != nil {
			reply(nil, err)
			return
		}
		out := Initialized{Protocol: Protocol, Server: c.server.o.Info, Limits: c.server.o.Bounds.limits(), Remote: c.origin.Foreign()}
		out.Pane.Attached = result.(broker.Pane).Attached
		reply(out, nil)
	})
}

func (b Bounds) limits() Limits {
	return Limits{MaxIncoming: b.LineIn, MaxOutgoing: b.LineOut, MaxImage: config.MaxImage, MaxImages: config.MaxFormImages, Connections: b.Connections, Buffered: b.Buffered}
}
