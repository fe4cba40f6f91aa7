// Package config is everything about askd that a person can set, and every limit and delay that nobody sets: where the
// socket and the files are, the settings file of the ask tools with its keymaps and migrations, live reload, and the
// numbers.
//
// # The settings file
//
// `<agent dir>/extensions/pi-agent-ask.json` is shared with other releases of the tool and has their layout. The agent
// dir is PI_CODING_AGENT_DIR, else ~/.pi/agent. A missing file is created with the defaults:
//
//	{
//	  "schemaVersion": 5,
//	  "behaviour": {
//	    "autoSubmitWhenAnsweredWithoutNotes": false,  close a form by itself on Review when all is answered and no note exists
//	    "confirmDismissWhenDirty": true,              cancelling a form with answers in it takes the same key twice
//	    "doublePressReviewShortcuts": true,           1 and 2 on Review take two presses
//	    "historyTools": false,                        offer the three history tools to the agent
//	    "presentSingleAsMulti": false,                show single questions as multi in forms made from now on
//	    "showFooterHints": true                       show the line of active keys
//	  },
//	  "keymaps": { "global": {…}, "main": {…}, "editor": {…}, "noteEditor": {…}, "settingsModal": {…} },
//	  "notifications": { "channels": ["bell"], "enabled": true }
//	}
//
// These keys may be added; a file without them means the defaults in brackets, and saving writes them only where they
// differ:
//
//	behaviour.backgroundOnly [false]   every ask is queued; the agent never waits (contract, "Background-only mode")
//	behaviour.undoCancel [3]           seconds in which a cancel in the pane can be taken back, 0 to 30; 0 is not at all
//	behaviour.serveNonTui [false]      an attached pane also serves print and JSON mode
//	answers.fromAgents [false]         `askctl answer` may be run by an agent
//	pane.autoOpen [false]              open the pane in the terminal multiplexer when an agent asks and none is there
//	pane.focusOnAsk [false]            asking moves the multiplexer's focus to the pane
//	pane.plain [false]                 the pane is in words and one column, for screen readers
//	tools.askUserQuestion [false]      offer ask_user_question to the agent
//
// `notifications.channels` holds "bell", "osc9", "osc777" and {"type": "command", "command": "<shell command>"}, used in
// that order. A command channel with a blank command is skipped; an empty list means ["bell"].
//
// # Keymaps
//
// A file either has no keymaps or all five contexts with all actions of the default file. Each action is a key or a list
// of keys: modifiers ctrl, shift, alt, super and one key, joined with "+", as in "ctrl+c", "shift+tab", "?". Aliases such
// as "Control+Escape" are understood. The digits 1 to 9 alone are fixed. One key may stand for one action of a context,
// and a global key for none in main, editor and noteEditor. main.skip [d, shift+d], main.editCustom [e], main.doNotDisturb [z],
// global.switchFocus [alt+q], global.quit [ctrl+q], global.history [ctrl+r] and global.undoCancel [alt+u] may be added; where a file lacks one it
// takes its default, less the keys that the file uses already.
//
// # Pi's own keys
//
// `<agent dir>/keybindings.json` is Pi's: askd reads it as Pi does, follows it live and never writes it. PiKeys are its
// actions that askd's forms obey, such as app.clipboard.pasteImage [ctrl+v].
//
// # What happens to a bad file
//
// It is never rewritten by loading. Files of older versions are migrated in memory. A file that is no JSON, of a newer
// version or of the wrong shape gives the defaults for the session and a notice; bad key names or duplicates give the
// default keymaps alone. Saving a single setting over a file that could not be understood is refused, because that would
// throw the person's text away; a reset is what replaces it.
package config
