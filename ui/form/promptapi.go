package form

// PromptMode is where the focus of an ask_user_question prompt is.
type PromptMode int

// The modes of a prompt.
const (
	PromptList   PromptMode = iota // the rows of a question page
	PromptEditor                   // the free-form answer is being written
	PromptReview                   // the review page of a batch
	PromptDone                     // submitted or cancelled: every event is ignored
)

// PromptEvent is something that happened to a prompt. The concrete types below are all there are.
type PromptEvent interface{ isPromptEvent() }

// PromptDo is one key with a meaning of its own.
type PromptDo struct{ Command PromptCommand }

// PromptDigit is a number key, 0 to 9.
type PromptDigit struct{ N int }

// PromptType is printable text for the list, typed or pasted; it extends the filter of a single-select list and is ignored
// elsewhere. Digits and a single space come as PromptDigit and PromptSpace when they are typed.
type PromptType struct{ Text string }

// PromptEdit replaces the editor's text with what the person has typed so far. Ignored when no editor is open.
type PromptEdit struct{ Text string }

// PromptClickRow is a click on a row as Rows gives it. It focuses a row of a single-select list, and confirms the focused
// one; it toggles a row of a multi-select list; it opens the editor of the free-form row.
type PromptClickRow struct{ Index int }

// PromptClickPage is a click on a page of the strip; Index == number of questions is the review page.
type PromptClickPage struct{ Index int }

func (PromptDo) isPromptEvent()        {}
func (PromptDigit) isPromptEvent()     {}
func (PromptType) isPromptEvent()      {}
func (PromptEdit) isPromptEvent()      {}
func (PromptClickRow) isPromptEvent()  {}
func (PromptClickPage) isPromptEvent() {}

// PromptCommand is a key's meaning in a prompt, after the host's bindings have been looked up.
type PromptCommand string

// The commands. Tab and shift+tab always come as PromptTab and PromptBackTab: in a batch they turn pages, else they move the
// focus. In an editor PromptConfirm is its submit key; newlines and all other typing come through PromptEdit.
const (
	PromptUp      PromptCommand = "up"
	PromptDown    PromptCommand = "down"
	PromptTab     PromptCommand = "tab"
	PromptBackTab PromptCommand = "backTab"
	PromptConfirm PromptCommand = "confirm"
	PromptEscape  PromptCommand = "escape" // the esc key
	PromptCancel  PromptCommand = "cancel" // a cancel binding that is not esc
	PromptErase   PromptCommand = "erase"  // backspace
	PromptSpace   PromptCommand = "space"
)

// PromptPage is one question page in the title's strip.
type PromptPage struct {
	Number   int // 1-based
	Current  bool
	Answered bool
}

// PromptRow is one row of the open page's list, after filtering, the free-form row last.
type PromptRow struct {
	Number      int // 1-based among the rows shown
	Option      int // 0-based index of the option, -1 for the free-form row
	Label       string
	Description string
	Preview     string
	Focused     bool
	Ticked      bool   // multi-select only
	Text        string // free-form row: the draft, white space collapsed; empty shows the placeholder
}

// PromptReviewItem is one question on the review page.
type PromptReviewItem struct {
	Number   int
	Question string
	Summary  string // the recorded answer in one line; empty when unanswered
}
