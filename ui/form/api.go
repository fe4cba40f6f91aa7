// Package form is the state of one open form: events go in, a new state and effects come out. It is pure: no screen, no
// clock, no disk, no keys (ui turns keys and clicks into events through the active keymap). One goroutine, ui's, owns a
// Form.
package form

import "askd/broker/ask"

// Settings are the behaviour toggles that an open form obeys (contract, settings). A change applies at once.
type Settings struct {
	AutoSubmit         bool // autoSubmitWhenAnsweredWithoutNotes
	ConfirmDismiss     bool // confirmDismissWhenDirty
	DoublePressReview  bool // doublePressReviewShortcuts
	ShowFooterHints    bool // showFooterHints; ui draws, the form only carries it
	NotificationsAreOn bool // carried for the settings overlay
}

// Mode is where the form's focus is; it picks the keymap context that ui uses.
type Mode int

// The modes of a form.
const (
	ModeQuestion     Mode = iota // a question tab: keymap context main
	ModeReview                   // the Review tab: keymap context main
	ModeCustomEditor             // the free-form answer is being edited: keymap context editor
	ModeNoteEditor               // a note is being edited: keymap context noteEditor
	ModeDone                     // submitted or cancelled: every event is ignored
)

// Event is something that happened to the form. The concrete types below are all there are.
type Event interface{ isEvent() }

// Do is a command of a keymap (contract, "Keyboard behaviour").
type Do struct{ Command Command }

// Digit is a number key: 1 to 9.
type Digit struct{ N int }

// EditText replaces the open editor's text with what the person has typed so far. Ignored when no editor is open.
type EditText struct{ Text string }

// ClickTab is a click on a tab; Index == number of questions is Review.
type ClickTab struct{ Index int }

// ClickRow is a click on an option row (0-based; the custom row is the last). It acts as the number key does.
type ClickRow struct{ Index int }

// ClickAction is a click on a Review action: 0 Submit, 1 Cancel. It acts as the number key does.
type ClickAction struct{ Index int }

// FocusOption moves the focus to an option of the active question, 0-based; it stops at the first and the last option and
// never goes to the custom row, whose editor would open.
type FocusOption struct{ Index int }

// Change applies new settings to the open form.
type Change struct{ Settings Settings }

func (Do) isEvent()          {}
func (Digit) isEvent()       {}
func (EditText) isEvent()    {}
func (ClickTab) isEvent()    {}
func (ClickRow) isEvent()    {}
func (ClickAction) isEvent() {}
func (FocusOption) isEvent() {}
func (Change) isEvent()      {}

// Command is one bindable action of the contexts main, editor, noteEditor and global that a form knows.
type Command string

// The commands. In an editor the *WhenEmpty commands act only while the text is empty; ui may send them in any case.
const (
	NextTab         Command = "nextTab"
	PreviousTab     Command = "previousTab"
	NextOption      Command = "nextOption"
	PreviousOption  Command = "previousOption"
	Confirm         Command = "confirm"
	Cancel          Command = "cancel"
	Dismiss         Command = "dismiss" // global.dismiss
	Toggle          Command = "toggle"
	ChangeType      Command = "changeQuestionType"
	OptionNote      Command = "optionNote"
	QuestionNote    Command = "questionNote"
	Skip            Command = "skip"
	EditCustom      Command = "editCustom" // opens the free-form answer, the way to change one saved on a multi question
	EditorSubmit    Command = "submit"     // editor.submit
	EditorSave      Command = "save"       // noteEditor.save
	EditorClose     Command = "close"      // editor.close, noteEditor.close
	NextOptionEmpty Command = "nextOptionWhenEmpty"
	PrevOptionEmpty Command = "previousOptionWhenEmpty"
	NextTabEmpty    Command = "nextTabWhenEmpty"
	PrevTabEmpty    Command = "previousTabWhenEmpty"
)

// Effect is what the outside has to do after an event.
type Effect interface{ isEffect() }

// SaveDraft asks for the draft to be kept: what the person has done has changed. Form.Draft gives it.
type SaveDraft struct{}

// Submit ends the form with an answer. It comes once; the form is then in ModeDone until Reopen.
type Submit struct{ Response ask.Response }

// Dismissed ends the form as cancelled. It carries what had been answered, as cancelled results keep it.
type Dismissed struct{ Response ask.Response }

// Later hides the session's background forms; only background forms give it. The form stays as it is.
type Later struct{}

func (SaveDraft) isEffect() {}
func (Submit) isEffect()    {}
func (Dismissed) isEffect() {}
func (Later) isEffect()     {}

// NoticeKind says how a notice is meant.
type NoticeKind int

// The kinds of notice.
const (
	NoticeNone    NoticeKind = iota
	NoticeInfo               // something happened
	NoticeDismiss            // the dirty guard: the same action again discards
	NoticeType               // the type key again clears selected options
)

// Notice is the line above the foot; the zero value says nothing.
type Notice struct {
	Kind NoticeKind
	Text string
}

// Row is one option row as the form has it, the custom row last.
type Row struct {
	Number      int // 1-based
	Label       string
	Description string // empty for the custom row
	Recommended bool
	Custom      bool
	Selected    bool
	Focused     bool
	Note        string // saved option note
	NoteImages  int
	CustomText  string // saved free-form text, custom row only, also while deselected
	Images      int    // images of the custom answer, custom row only
	Editing     bool   // the open editor stands under this row
}

// Tab is one tab of the strip; the last is Review.
type Tab struct {
	Label    string
	Review   bool
	Active   bool
	Answered bool
	Skipped  bool
}

// Editor is the open editor.
type Editor struct {
	Mode     Mode   // ModeCustomEditor or ModeNoteEditor
	Question int    // index of the question
	Option   int    // index of the option row; -1 for a question note
	Text     string // what stands in it now
	Serial   int    // grows each time an editor opens, so that a view knows when to load Text afresh
	Images   int    // images attached to what is being edited
}

// ReviewItem is one question on Review.
type ReviewItem struct {
	Label      string
	Skipped    bool
	Unanswered bool
	Answers    []ReviewAnswer
	Note       string
	NoteImages int
	Unselected []ReviewNote // notes of options that are not selected, in form order
}

// ReviewAnswer is one arrow line of Review. CustomOnly answers are drawn in the text colour.
type ReviewAnswer struct {
	Text       string
	CustomOnly bool
	Note       string // note of this selected option
	NoteImages int
}

// ReviewNote is the note of an option that is not selected.
type ReviewNote struct {
	OptionLabel string
	Note        string
	NoteImages  int
}

// Action is one Review action.
type Action struct {
	Number  int
	Label   string
	Focused bool
	Pending bool // pressed once, waits for the second press
}
