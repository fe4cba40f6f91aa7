package config

import "time"

// Limits of the socket (PROTOCOL, "Transport").
const (
	// MaxLineIn is the longest line a client may send: a form with its images (16 MiB of base64 is refused earlier, by
	// the form's own limit) fits, a runaway client does not take the daemon's memory.
	MaxLineIn = 8 << 20
	// MaxLineOut is the longest line askd sends; any one outcome with its images fits.
	MaxLineOut = 64 << 20
	// OutgoingQueue is how many messages may wait for a client that does not read before it is cut off. A burst of
	// notifications is tens; a thousand is a client that has stopped.
	OutgoingQueue = 1024
	// WriteStall is how long one write may make no progress before the client is cut off. A slow reader that still
	// moves is never cut.
	WriteStall = 10 * time.Second
	// MaxConnections caps clients at once: far above any person's agents, below the usual limit of open files.
	MaxConnections = 512
	// MaxID is the longest id of a session or a request in bytes: what the data file has room for, and far more than a UUID.
	MaxID = 4 << 10
	// MaxBuffered is how many bytes all clients together may leave with askd, in lines that they have begun and replies that
	// they have not read: several of the largest at once, and no more than a desktop can spare. Less than 256 KiB a client
	// and direction do not count.
	MaxBuffered = 256 << 20
	// DialTimeout is how long a client waits for a daemon that does not accept, for instance a stopped one.
	DialTimeout = 5 * time.Second
	// StatusLineTimeout is all that askctl status --format may take of a status bar or a prompt that waits for it: an askd
	// that is not wedged answers in milliseconds.
	StatusLineTimeout = 500 * time.Millisecond
	// SocketPathMaxLinux and SocketPathMaxDarwin are sun_path less its closing NUL, in bytes.
	SocketPathMaxLinux  = 107
	SocketPathMaxDarwin = 103
	// MaxImage and MaxFormImages bound base64 text: one image, and all of one form.
	MaxImage      = 8 << 20
	MaxFormImages = 16 << 20
	// ClipboardOutput is the most that a program which reads the clipboard may print, in bytes: a large screen as an
	// uncompressed bitmap.
	ClipboardOutput = 32 << 20
	// MaxPanes is how many panes may be attached over the socket at once: more than anybody looks at, and each draws for itself.
	MaxPanes = 8
	// PaneOutput is the most bytes of one pane.output, and PaneOutputs how many of them may be on their way: a frame of a large
	// terminal, so that a client far away still sees whole frames.
	PaneOutput  = 8 << 10
	PaneOutputs = 64
	// PaneInput is the most bytes of one pane.input, and PaneInputs how many may wait to be read.
	PaneInput  = 64 << 10
	PaneInputs = 32
	// PaneColumns and PaneRows are the largest pane, attached or not: a wall of small letters, and no way to have askd fill the memory.
	PaneColumns = 800
	PaneRows    = 250
	// MaxAnswerText bounds what a person writes in one form. An outcome repeats it about ten times in different shapes and
	// must stay below MaxLineOut together with the form and its images: what cannot be sent never reaches the agent.
	MaxAnswerText = 2 << 20
	// MaxSettingsFile bounds each settings file: with every key bound it has a few KiB.
	MaxSettingsFile = 1 << 20
	// HistoryPage and HistoryPageMax are the default and largest page of history (contract, "Tools").
	HistoryPage    = 50
	HistoryPageMax = 200
)

// Delays that a person can feel.
const (
	// Guard is how long a form that has just taken the screen ignores committing and discarding input: longer than the
	// gap between two keys of somebody who types, shorter than reading a question takes.
	Guard = 300 * time.Millisecond
	// DraftDelay collects what is typed into one write: at most two commits a second while typing.
	DraftDelay = 500 * time.Millisecond
	// DraftRetry is how long a draft waits that the disk would not take: soon enough once there is room again, and no load
	// on a disk that fails.
	DraftRetry = 2 * time.Second
	// ResetWindow is the time between the two presses of the reset action, both ends included.
	ResetWindow = 2000 * time.Millisecond
	// NotifyBurst makes several notices within it one.
	NotifyBurst = 500 * time.Millisecond
	// NotifyCommand is how long a notification command may run.
	NotifyCommand = 5000 * time.Millisecond
	// ClipboardTime is how long one program that reads the clipboard may take; reading is up to four of them.
	ClipboardTime = 5000 * time.Millisecond
	// MCPProgress is how often an MCP client hears that the person still thinks: several times within the shortest time
	// limits that clients have.
	MCPProgress = 5 * time.Second
	// MCPPatience is how long a call of an MCP client that takes no progress is held: below the minute after which most
	// clients give a call up.
	MCPPatience = 45 * time.Second
	// SurfaceWait is how long a client that has not said that it answers ask.surface has for it: any program that knows the
	// notification looks for a surface at once.
	SurfaceWait = time.Second
	// LockWait is how long opening the data file waits for another process to let go of it.
	LockWait = 2 * time.Second
	// DeadlineRetry is how long a question whose time is over waits for a disk that did not take its end.
	DeadlineRetry = 5 * time.Second
	// UndoCancelMost is the most seconds for which a cancel can be taken back: its agent stands still meanwhile.
	UndoCancelMost = 30
	// QuietLook is how often askd looks whether a do-not-disturb has ended: a machine that slept meanwhile has stopped timers.
	QuietLook = time.Minute
	// QuietMost is how far away its end may be: longer than a holiday is a slip of the pen, and hides questions for good.
	QuietMost = 31 * 24 * time.Hour
	// QuietSlack is by how much more a kept end may be away: the clock has been set back a little. Beyond, it was set back by so
	// much that the end means nothing any more.
	QuietSlack = 24 * time.Hour
	// QuietSessions is how many sessions may have a time of their own, and QuietSessionID the longest id of one in bytes: more
	// than a person tells apart, and it fits into a note of the data file in every spelling.
	QuietSessions  = 32
	QuietSessionID = 256
	// WatchSettle lets an editor finish: several writes of one save are one reload.
	WatchSettle = 50 * time.Millisecond
)

// Sizes of text.
const (
	// NotifyText is the longest notification in UTF-16 units, its ellipsis included.
	NotifyText = 120
)

// Sizes on screen, in columns unless they say otherwise.
const (
	// ContextBeside is the form width from which the context stands beside the options.
	ContextBeside = 90
	// ReviewBeside is the form width from which review and actions stand side by side, if ReviewMin is left for it.
	ReviewBeside = 64
	ReviewMin    = 24
	// LeftMin, LeftMax and LeftRatio bound the option column beside a context; ContextMin is the least of the other.
	LeftMin    = 22
	LeftMax    = 34
	LeftRatio  = 0.34
	ColumnGap  = 2
	ContextMin = 24
	BoxMin     = 10
	// InboxMin and InboxMax bound the inbox; it stands left only while the form keeps ContextBeside.
	InboxMin = 24
	InboxMax = 34
	// SettingsWidth, SettingsMin and SettingsMargin place the settings overlay; below SettingsCompact inner columns its
	// rows are set apart by blank lines. SettingsDescription counts lines, SettingsHeightPercent is of the screen.
	SettingsWidth         = 72
	SettingsMin           = 26
	SettingsMargin        = 1
	SettingsCompact       = 40
	SettingsDescription   = 3
	SettingsHeightPercent = 90
	// QuietWidth is the width of the choice of how long not to be disturbed, where there is room for it.
	QuietWidth = 52
)
