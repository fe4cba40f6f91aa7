package daemon

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"askd/broker"
	"askd/config"
)

// settings is the daemon's one view of the settings file. Reads are cheap and come from any goroutine; what changes the
// file goes through one lock.
type settings struct {
	mu    sync.Mutex // one change of the file at a time
	file  *config.File
	keys  *config.PiKeysFile // Pi's own keys
	now   atomic.Pointer[config.Loaded]
	panes map[*paneSettings]struct{} // who follows them; under mu
	tell  func(config.Settings)
	log   *slog.Logger
}

// paneSettings are the settings as one pane follows them (ui.Settings).
type paneSettings struct {
	*settings
	changed chan struct{} // one slot
}

// pane makes a follower, which has to leave.
func (s *settings) pane() *paneSettings {
	p := &paneSettings{s, make(chan struct{}, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.panes[p] = struct{}{}
	return p
}

// Changed implements ui.Settings.
func (p *paneSettings) Changed() <-chan struct{} { return p.changed }

func (p *paneSettings) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.panes, p)
}

// openSettings reads the file. One that cannot be read stands aside for the defaults, and the person is told.
func openSettings(path, keys string, log *slog.Logger) *settings {
	s := &settings{file: config.Open(path), keys: config.OpenPiKeys(keys, os.Getenv), panes: map[*paneSettings]struct{}{}, tell: func(config.Settings) {}, log: log}
	loaded := s.load()
	s.now.Store(&loaded)
	return s
}

func (s *settings) load() config.Loaded {
	loaded, err := s.file.Load()
	if err != nil {
		s.log.Warn("settings could not be read", "path", s.file.Path(), "err", err)
		loaded.Notices = append(loaded.Notices, config.Notice{Level: config.Error, Text: err.Error()})
	}
	return s.withKeys(loaded)
}

// withKeys adds Pi's own keys, read afresh.
func (s *settings) withKeys(l config.Loaded) config.Loaded {
	keys, notices := s.keys.Load()
	l.Pi, l.Notices = keys, append(l.Notices, notices...)
	return l
}

// follow applies edits from outside until ctx ends. Without a working watch the settings stay as they are.
func (s *settings) follow(ctx context.Context, g *Guard) {
	events, err := s.file.Watch(ctx, g.Go)
	if err != nil {
		s.log.Warn("settings are not watched", "path", s.file.Path(), "err", err)
	}
	keys, err := s.keys.Watch(ctx, g.Go)
	if err != nil {
		s.log.Warn("Pi's keys are not watched", "path", s.keys.Path(), "err", err)
	}
	g.Go("settings", func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-events:
			case <-keys:
			}
			s.reload()
		}
	})
}

func (s *settings) reload() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.publish(s.load())
}

func (s *settings) publish(l config.Loaded) {
	s.now.Store(&l)
	s.tell(l.Settings)
	for p := range s.panes {
		select {
		case p.changed <- struct{}{}:
		default:
		}
	}
}

// Current implements ui.Settings.
func (s *settings) Current() config.Loaded { return *s.now.Load() }

// Save implements ui.Settings: it writes the file and applies what was written.
func (s *settings) Save(v config.Settings) (config.Loaded, error) {
	return s.update(func() (config.Loaded, error) { return s.file.Save(v) })
}

// Reset implements ui.Settings.
func (s *settings) Reset() (config.Loaded, error) { return s.update(s.file.Reset) }

// Set implements wire.Settings.
func (s *settings) Set(key string, value json.RawMessage) (config.Loaded, error) {
	return s.update(func() (config.Loaded, error) { return s.file.Set(key, value) })
}

func (s *settings) update(change func() (config.Loaded, error)) (config.Loaded, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	loaded, err := change()
	if err != nil {
		return s.Current(), err
	}
	loaded = s.withKeys(loaded)
	s.publish(loaded)
	return loaded, nil
}

// Question implements wire.Settings. Without a Pi folder of the asker's own it is the daemon's.
func (s *settings) Question(agentDir string, env map[string]string) config.QuestionLoaded {
	return config.LoadQuestion(config.QuestionSettingsPath(s.agentDir(agentDir)), func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	})
}

// SetQuestion implements wire.Settings.
func (s *settings) SetQuestion(agentDir, key, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return config.SetQuestion(config.QuestionSettingsPath(s.agentDir(agentDir)), key, text)
}

// SetProject implements wire.Settings.
func (s *settings) SetProject(project string, backgroundOnly *bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return config.SetProjectBackgroundOnly(config.ProjectSettingsPath(project), backgroundOnly)
}

// agentDir is the Pi folder whose settings file the daemon itself has, where an asker names none.
func (s *settings) agentDir(of string) string {
	if of != "" {
		return of
	}
	return filepath.Dir(filepath.Dir(s.file.Path()))
}

// behaviour is what the broker needs of the settings.
func (s *settings) behaviour() broker.Behaviour {
	all := s.now.Load().Settings
	b := all.Behaviour
	return broker.Behaviour{
		PresentSingleAsMulti: b.PresentSingleAsMulti, BackgroundOnly: b.BackgroundOnly, ServeNonTui: b.ServeNonTui, HistoryTools: b.HistoryTools,
		AskUserQuestion: all.Tools.AskUserQuestion, UndoCancel: time.Duration(b.UndoCancel) * time.Second,
	}
}

// public is what clients are told.
func (s *settings) public() any { return s.now.Load().Settings }
