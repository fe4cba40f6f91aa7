// Package daemon is one process's life: locks, journal, broker, listener and pane, from start to a clean stop.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"

	"askd/broker"
	"askd/broker/wire"
	"askd/config"
	"askd/journal"
)

// Options say where a daemon lives. Socket, Data, Log, SettingsFile and PiKeysFile are paths and required.
type Options struct {
	Socket       string
	Data         string
	Log          string
	SettingsFile string
	PiKeysFile   string // Pi's own keys; read only
	Headless     bool   // no pane: serve the socket only
	AllowUIDs    []int  // further users that may connect, for mounted sockets
	Version      string
	Plain        bool  // the own pane is in words and one column, for a screen reader (ui.Options)
	Throwaway    bool  // the data file is removed after Run: the pane must not promise that anything is kept
	Steps        Steps // for crash tests; nil hears nothing
}

// daemon is everything that runs; its fields are set once, by open.
type daemon struct {
	o        Options
	log      *slog.Logger
	guard    *Guard
	settings *settings
	dataLock *lock
	journal  *journal.Journal
	socket   *socket
	broker   *broker.Broker
	started  time.Time
	isUp     func() // the start is over: a frame is out, or there is no pane
	host     string // this machine's name; empty when it has none
	notifier *notifier
	mux      *mux
	panes    *panes
}

// Run starts a daemon and blocks until ctx ends, the person quits the pane or the pane's terminal goes away. It leaves
// the terminal, the socket and the data file in order. ErrRunning means that another daemon holds the socket or the file.
func Run(ctx context.Context, o Options) error {
	log, logFile, err := openLog(o.Log)
	if err != nil {
		return err
	}
	defer func() { _ = logFile.Close() }()
	d := &daemon{o: o, log: log, guard: NewGuard(log, dir(o.Log)), mux: newMux(os.Getenv, log), panes: newPanes(), started: time.Now(), isUp: sync.OnceFunc(roomToStart(os.Getenv("GOGC")))}
	defer d.isUp()
	d.host, _ = os.Hostname() // without a name only clients that name none are on this machine
	defer d.guard.Recover("main")
	if err := d.open(); err != nil {
		log.Error("start", "err", err)
		return err
	}
	log.Info("started", "pid", os.Getpid(), "socket", o.Socket, "data", o.Data, "version", o.Version, "headless", o.Headless)
	err = d.serve(ctx)
	log.Info("stopped", "err", err)
	return err
}

// open takes the locks and opens the files, in an order that leaves nothing half open when one of them fails.
func (d *daemon) open() (err error) {
	var undo []func()
	defer func() {
		if err != nil {
			for i := len(undo) - 1; i >= 0; i-- {
				undo[i]()
			}
		}
	}()
	if d.socket, err = listen(d.o.Socket); err != nil {
		return err
	}
	undo = append(undo, d.socket.close)
	if err = os.MkdirAll(dir(d.o.Data), 0o700); err != nil {
		return fmt.Errorf("make folder of the data file: %w; choose another with --data or ASKD_DATA", err)
	}
	if d.dataLock, err = acquire(d.o.Data, "data file", "--data or ASKD_DATA"); err != nil {
		return err
	}
	undo = append(undo, d.dataLock.giveUp)
	settled := d.readSettings()
	undo = append(undo, settled)
	if d.journal, err = journal.Open(journal.Options{Path: d.o.Data, Go: d.guard.Go, DraftDelay: config.DraftDelay, LockTimeout: config.LockWait, Failpoint: d.o.Steps, Suspect: d.dataLock.abandoned}); err != nil {
		return err
	}
	undo = append(undo, func() { _ = d.journal.Close() })
	settled()
	d.notifier = newNotifier(func() config.Notifications { return d.settings.Current().Settings.Notifications }, d.writeTerminal, d.log)
	d.broker, err = broker.New(broker.Options{
		OnWaiting: d.waits, OnQuietOver: d.notifier.announceQuietOver, Notes: d.journal,
		Host:  d.host,
		Store: d.o.Steps.store(d.journal), Archive: archive{d.journal}, Settings: d.settings.behaviour, Public: d.settings.public, Question: d.settings.Question, Go: d.guard.Go, Log: d.log,
	})
	d.settings.tell = func(v config.Settings) {
		d.broker.Broadcast("settings.changed", map[string]config.Settings{"settings": v})
	}
	return err
}

// readSettings reads the settings on a goroutine of their own: like the data file they may have to be made, and both wait for
// the disk then. They are there once the function that it gives has returned.
func (d *daemon) readSettings() (settled func()) {
	read := make(chan struct{})
	d.guard.Go("settings at start", func() {
		defer close(read)
		d.settings = openSettings(d.o.SettingsFile, d.o.PiKeysFile, d.log)
	})
	return func() { <-read }
}

// serve runs everything until the end and then stops it in the order that keeps promises: no new input, what is decided
// on disk, everyone told, the socket gone.
func (d *daemon) serve(ctx context.Context) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	brokerCtx, stopBroker := context.WithCancel(context.WithoutCancel(ctx))
	serverCtx, stopServer := context.WithCancel(context.WithoutCancel(ctx))
	watchCtx, stopWatch := context.WithCancel(ctx)
	brokerDone, serverDone := make(chan struct{}), make(chan struct{})
	d.settings.follow(watchCtx, d.guard)
	d.guard.Go("notifications", func() { d.notifier.run(watchCtx) })
	d.guard.Go("broker", func() {
		defer close(brokerDone)
		d.broker.Run(brokerCtx)
	})
	d.guard.Go("listener", func() {
		defer close(serverDone)
		if err := d.server().Serve(serverCtx, d.o.Steps.listener(d.socket.Listener)); err != nil {
			d.log.Error("serve", "err", err)
		}
	})
	d.guard.Go("look at the data file", func() { d.lookAtData(watchCtx, end) })
	d.tell(systemd.SdNotifyReady)
	err := d.attend(ctx)
	d.tell(systemd.SdNotifyStopping)
	d.panes.close(d.guard.Go)
	stopWatch()
	stopBroker()
	<-brokerDone
	stopServer()
	<-serverDone
	if cerr := d.journal.Close(); cerr != nil && err == nil {
		err = fmt.Errorf("close data file: %w", cerr)
	}
	d.socket.close()
	if damage := context.Cause(ctx); errors.Is(damage, journal.ErrDamaged) {
		d.dataLock.leave()
		return damage
	}
	d.dataLock.release()
	return err
}

// lookAtData ends askd when the rest of a large data file proves damaged: as one that is found so before the start keeps it
// from starting, and nothing more is written to it.
func (d *daemon) lookAtData(ctx context.Context, end context.CancelCauseFunc) {
	if err := d.journal.Whole(ctx); errors.Is(err, journal.ErrDamaged) {
		end(err)
	}
}

func (d *daemon) server() *wire.Server {
	return wire.NewServer(wire.Options{
		Broker: d.broker, Info: wire.ServerInfo{Name: "askd", Version: d.o.Version, PID: os.Getpid(), Host: d.host}, Status: d.status, Settings: d.settings, OpenPane: d.openPane, FocusPane: d.focusPane, Attach: d.attach, Upkeep: d.journal,
		Admit: admit(os.Getuid(), d.o.AllowUIDs), Other: other(os.Getuid()), Go: d.guard.Go, Log: d.log,
	})
}

func (d *daemon) status() wire.Status {
	s := wire.Status{Version: d.o.Version, PID: os.Getpid(), Host: d.host, StartedAt: d.started.UTC(), Socket: d.o.Socket, DataFile: d.o.Data}
	if info, err := os.Stat(d.o.Data); err == nil {
		s.DataBytes = info.Size()
	}
	return s
}
