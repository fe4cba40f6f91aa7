package ask

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what may pile up on one character: what stands above them is dropped, so that a flood stays in its cell.
const (
	maxMarks   = 8 // combining marks, variation selectors, emoji modifiers, inner Hangul letters
	maxJoiners = 8 // joiners between the characters of one emoji sequence
	maxTags    = 8 // tag characters after a black flag
)

const tabSpaces = "    "

// Clean makes text from agents and files safe for a terminal's cells; all of it goes through here (or CleanLine) before it
// is drawn, logged or put into a title. Line breaks stay (CR LF becomes one), a tab becomes four spaces. Other C0 controls
// and DEL show as control pictures (U+2400 and on), C1 controls, bytes that are no UTF-8, bidirectional embeddings, overrides
// and isolates and noncharacters as U+FFFD. Invisible characters that only format are dropped, except joiners
// between two characters, variation selectors and flag tags, which emoji and several scripts need; runs of those and of
// combining marks are cut. A mark without a character to sit on gets a dotted circle. Clean(Clean(s)) is Clean(s). It does
// not escape tview's tags.
func Clean(s string) string { return clean(s, tabSpaces, "\n") }

// CleanLine is Clean for one line: line breaks become spaces.
func CleanLine(s string) string { return clean(s, tabSpaces, " ") }

func clean(s, tab, newline string) string {
	if isPlain(s) && (newline == "\n" || strings.IndexByte(s, '\n') < 0) {
		return s
	}
	c := cleaner{tab: tab, newline: newline, out: make([]byte, 0, len(s))}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r != '\r' || i+1 == len(s) || s[i+1] != '\n' {
			treatments[classify(r)](&c, r)
		}
		i += size
	}
	return string(c.out)
}

// isPlain is the common case: printable ASCII and line feeds.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < ' ' && c != '\n') || c > '~' {
			return false
		}
	}
	return true
}

// cleaner builds the clean text. A joiner is held back until the character that it joins is there.
type cleaner struct {
	out          []byte
	tab, newline string
	onBase       bool // the last character can carry marks
	flag         bool // it is the black flag, which takes tags
	pending      rune // a joiner held back; 0 is none
	marks, tags  int  // on the last character
	joiners      int  // in the sequence that it belongs to
}

// treatments says what happens to each class of character.
var treatments = [...]func(*cleaner, rune){
	classBase:     (*cleaner).base,
	classSpace:    func(c *cleaner, r rune) { c.gap(string(r)) },
	classTab:      func(c *cleaner, _ rune) { c.gap(c.tab) },
	classBreak:    func(c *cleaner, _ rune) { c.gap(c.newline) },
	classControl:  func(c *cleaner, r rune) { c.base(controlPicture(r)) },
	classReplace:  func(c *cleaner, _ rune) { c.base(utf8.RuneError) },
	classDrop:     func(*cleaner, rune) {},
	classMark:     (*cleaner).mark,
	classInner:    (*cleaner).inner,
	classSelector: (*cleaner).selector,
	classJoiner:   (*cleaner).joiner,
	classTag:      (*cleaner).tag,
}

// gap writes white space, on which nothing sits and which nothing joins.
func (c *cleaner) gap(s string) {
	*c = cleaner{out: append(c.out, s...), tab: c.tab, newline: c.newline}
}

func (c *cleaner) base(r rune) {
	joiners := 0
	if c.pending != 0 {
		joiners = c.joiners + 1
		c.write(c.pending)
	}
	c.write(r)
	*c = cleaner{out: c.out, tab: c.tab, newline: c.newline, onBase: true, flag: r == blackFlag, joiners: joiners}
}

const (
	blackFlag    = 0x1F3F4
	dottedCircle = 0x25CC
)

func (c *cleaner) mark(r rune) {
	if !c.onBase {
		c.base(dottedCircle)
	}
	c.selector(r)
}

// inner is a letter or emoji that melts into the one before it and stands alone otherwise.
func (c *cleaner) inner(r rune) {
	if !c.onBase {
		c.base(r)
		return
	}
	c.selector(r)
}

// selector changes the character before it and is nothing without one.
func (c *cleaner) selector(r rune) {
	if !c.onBase || c.marks >= maxMarks {
		return
	}
	if c.pending != 0 {
		c.write(c.pending)
		c.joiners, c.pending = c.joiners+1, 0
	}
	c.write(r)
	c.marks++
}

func (c *cleaner) joiner(r rune) {
	if c.onBase && c.joiners < maxJoiners {
		if c.pending == 0 {
			c.pending = r
		}
	}
}

func (c *cleaner) tag(r rune) {
	if c.flag && c.pending == 0 && c.tags < maxTags {
		c.write(r)
		c.tags++
	}
}

func (c *cleaner) write(r rune) { c.out = utf8.AppendRune(c.out, r) }

func controlPicture(r rune) rune {
	if r == 0x7F {
		return 0x2421
	}
	return 0x2400 + r
}

type class uint8

const (
	classBase class = iota
	classSpace
	classTab
	classBreak
	classControl
	classReplace
	classDrop
	classMark
	classInner
	classSelector
	classJoiner
	classTag
)

// ranges are the characters whose class does not follow from their Unicode category, ascending.
var ranges = []struct {
	first, last rune
	class       class
}{
	{0x00, 0x08, classControl},
	{'\t', '\t', classTab},
	{'\n', '\n', classBreak},
	{0x0B, 0x1F, classControl},
	{0x7F, 0x7F, classControl},
	{0x80, 0x9F, classReplace},
	{0x180B, 0x180D, classSelector},
	{0x180F, 0x180F, classSelector},
	{0x1160, 0x11FF, classInner}, // vowels and finals of Hangul
	{0x200C, 0x200D, classJoiner},
	{0x2028, 0x2029, classBreak},
	{0x202A, 0x202E, classReplace},
	{0x2065, 0x2065, classDrop},
	{0x2066, 0x2069, classReplace},
	{0xD7B0, 0xD7FF, classInner},
	{0xFDD0, 0xFDEF, classReplace},
	{0xFE00, 0xFE0F, classSelector},
	{0xFFF0, 0xFFF8, classDrop},
	{0xFFFE, 0xFFFF, classReplace},
	{0x1F3FB, 0x1F3FF, classInner}, // skin tones
	{0xE0000, 0xE001F, classDrop},
	{0xE0020, 0xE007F, classTag},
	{0xE0080, 0xE00FF, classDrop},
	{0xE0100, 0xE01EF, classSelector},
	{0xE01F0, 0xE0FFF, classDrop},
}

func classify(r rune) class {
	i := sort.Search(len(ranges), func(i int) bool { return ranges[i].last >= r })
	if i < len(ranges) && ranges[i].first <= r {
		return ranges[i].class
	}
	if r < 0xAD {
		return classBase
	}
	switch {
	case unicode.Is(unicode.M, r):
		return classMark
	case unicode.Is(unicode.Zs, r):
		return classSpace
	case unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return classDrop
	case r&0xFFFE == 0xFFFE:
		return classReplace
	}
	return classBase
}
