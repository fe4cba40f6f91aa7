package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"askd/broker"
	"askd/broker/ask"
)

const dndHelp = "write how long (30m, 2h, 1d), `until` and a time (until 15:30, until tomorrow 9:00, until 2026-01-31T15:04), or off"

func (a *app) dndVerb() *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "dnd [30m | until 15:30 | off]",
		Short: "Ask not to be disturbed for a while, by all or by one session",
		Long: `Ask not to be disturbed for a while, by everything or by one session.

Meanwhile questions are kept and counted, but they ring nothing, send no notice and
take no screen by themselves; you open them in the inbox when you like. Nothing is
answered, cancelled or timed out by it, and the agents that ask are told. It ends by
itself, with one notice of what waits, and outlives a restart of askd.

Without an argument it says what is set. off without --session ends it for every
session too. An agent's shell is refused as in askctl answer.

--json prints what is set.`,
		Example: `askctl dnd 30m
askctl dnd until 15:30
askctl dnd until tomorrow 9:00
askctl dnd 2h --session docs
askctl dnd off`,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: []string{"15m", "30m", "1h", "until", "off"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.showQuiet(cmd.Context(), session)
			}
			until, err := quietTime(args, a.now())
			if err != nil {
				return usagef(cmd, "%s", err.Error())
			}
			return a.setQuiet(cmd.Context(), session, until)
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "of this session alone: its `ID`, the beginning or end of it, or its name")
	a.completeFlag(cmd, "session", a.completeSessions)
	a.jsonFlag(cmd)
	return cmd
}

var (
	errNoSuchTime = errors.New(dndHelp)
	clockTime     = regexp.MustCompile(`^([01]?[0-9]|2[0-3]):([0-5][0-9])$`)
)

// quietTime reads until when; the zero time is off.
func quietTime(args []string, now time.Time) (time.Time, error) {
	first := strings.ToLower(args[0])
	switch {
	case first == "off" && len(args) == 1:
		return time.Time{}, nil
	case first == "until" && len(args) > 1:
		return untilTime(args[1:], now)
	case len(args) > 1:
		return time.Time{}, fmt.Errorf("unexpected argument %q: %w", args[1], errNoSuchTime)
	}
	span, err := spanOf(first)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no time: %w", args[0], errNoSuchTime)
	}
	return now.Add(span), nil
}

// spanOf reads how long: what Go reads, and days.
func spanOf(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 8)
		return time.Duration(n) * 24 * time.Hour, err
	}
	span, err := time.ParseDuration(s)
	if err == nil && span <= 0 {
		return 0, errNoSuchTime
	}
	return span, err
}

// untilTime reads a moment ahead. A time of the day alone is the next such.
func untilTime(words []string, now time.Time) (time.Time, error) {
	day, text := 0, strings.Join(words, " ")
	if words[0] == "tomorrow" && len(words) == 2 {
		day, words = 1, words[1:]
	}
	if m := clockTime.FindStringSubmatch(words[0]); m != nil && len(words) == 1 {
		hour, _ := strconv.Atoi(m[1])
		minute, _ := strconv.Atoi(m[2])
		y, mo, d := now.Local().Date()
		at := time.Date(y, mo, d+day, hour, minute, 0, 0, time.Local)
		if day == 0 && !at.After(now) {
			at = time.Date(y, mo, d+1, hour, minute, 0, 0, time.Local)
		}
		return at, nil
	}
	for _, layout := range layouts {
		at, err := time.ParseInLocation(layout, text, time.Local)
		if err == nil && !at.After(now) {
			return at, fmt.Errorf("%s has passed: name a time that is still to come", text)
		}
		if err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time: %w", text, errNoSuchTime)
}

func (a *app) setQuiet(ctx context.Context, name string, until time.Time) error {
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	if err := a.person(ctx, l, "dnd"); err != nil {
		return err
	}
	session, err := l.quietSession(ctx, name)
	if err != nil {
		return err
	}
	if err := l.unaskedSession(ctx, name, session); err != nil {
		return err
	}
	params := map[string]any{"until": nil}
	if !until.IsZero() {
		params["until"] = until.UTC().Format(time.RFC3339Nano)
	}
	if session != "" {
		params["session"] = session
	}
	var raw json.RawMessage
	if err := l.ask(ctx, "dnd.set", params, &raw); err != nil {
		return err
	}
	return a.printQuiet(raw, session)
}

// quietSession finds the session that is meant: one that is connected, that waits or that asked lately; empty for none.
func (l *link) quietSession(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	var s status
	if err := l.ask(ctx, "daemon.status", struct{}{}, &s); err != nil {
		return "", err
	}
	var connected []broker.RequestSummary
	for _, open := range s.Sessions {
		connected = append(connected, broker.RequestSummary{Session: open.ID, SessionName: open.Name, AskerOnline: true})
	}
	if id, err := meant(name, connected); err != nil || id != "" {
		return id, err
	}
	return l.anySession(ctx, name)
}

func (a *app) showQuiet(ctx context.Context, name string) error {
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	session, err := l.quietSession(ctx, name)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := l.ask(ctx, "dnd.get", struct{}{}, &raw); err != nil {
		return err
	}
	return a.printQuiet(raw, session)
}

// printQuiet says what is set, of one session or of all.
func (a *app) printQuiet(raw json.RawMessage, session string) error {
	if a.json {
		return a.out.writeJSON(raw)
	}
	var q broker.QuietState
	if err := json.Unmarshal(raw, &q); err != nil {
		return fmt.Errorf("read until when you are not to be disturbed: %w", tooOld(err))
	}
	said := false
	if q.Until != nil {
		a.out.printf("Do not disturb until %s.\n", ask.UntilText(*q.Until, a.now()))
		said = true
	}
	for _, s := range q.Sessions {
		if session != "" && s.Session != session || q.Until != nil && !s.Until.After(*q.Until) {
			continue
		}
		if s.Name == "" {
			s.Name = s.Session
		}
		a.out.printf("Do not disturb by %s until %s.\n", a.out.line(s.Name), ask.UntilText(s.Until, a.now()))
		said = true
	}
	switch {
	case !said:
		a.out.printf("Do not disturb is off.\n")
	case q.Held > 0:
		a.out.printf("%s kept meanwhile: `askctl queue` lists what waits.\n", forms(q.Held))
	}
	return nil
}

// quietText says in daemon.status what is set, empty for nothing.
func (a *app) quietText(q *broker.QuietState) string {
	if q == nil {
		return ""
	}
	var parts []string
	if q.Until != nil {
		parts = append(parts, "until "+ask.UntilText(*q.Until, a.now()))
	}
	for _, s := range q.Sessions {
		if s.Name == "" {
			s.Name = s.Session
		}
		parts = append(parts, s.Name+" until "+ask.UntilText(s.Until, a.now()))
	}
	return strings.Join(parts, ", ")
}
