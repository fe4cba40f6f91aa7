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
// combining marks are cut. A mark without a character to sit on gets a dotted circle, an inner letter of Hangul without one
// to melt into becomes U+FFFD, and what terminals and their tables measure differently is put so that both agree.
// Clean(Clean(s)) is Clean(s). It does not escape tview's tags.
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
	hangul       jamo // what it is of a syllable of Hangul
	picked       bool // it has been asked for two columns
	pending      rune // a joiner held back; 0 is none
	marks, tags  int  // on the last character
	joiners      int  // in the sequence that it belongs to
}

const (
	unknownCharacter = utf8.RuneError
	halfwidthVoiced  = 0xFF9E // the first of two marks of halfwidth katakana, which have columns of their own in terminals
	combiningVoiced  = 0x3099 // the first of the same two that have none
	asPicture        = 0xFE0F // asks for two columns, and asText for one
	asText           = 0xFE0E
)

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
	classJamo:     (*cleaner).jamo,
	classVoiced:   func(c *cleaner, r rune) { c.mark(r - halfwidthVoiced + combiningVoiced) },
	classPicture:  (*cleaner).picture,
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
	*c = cleaner{out: c.out, tab: c.tab, newline: c.newline, onBase: true, flag: r == blackFlag, hangul: jamoOf(r), joiners: joiners}
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

// inner is an emoji that melts into the one before it and stands alone otherwise.
func (c *cleaner) inner(r rune) {
	if !c.onBase {
		c.base(r)
		return
	}
	c.selector(r)
}

// picture is a symbol that takes two columns in terminals, and by the tables only when it is asked to.
func (c *cleaner) picture(r rune) {
	c.base(r)
	c.write(asPicture)
	c.picked = true
}

// selector changes the character before it and is nothing without one.
func (c *cleaner) selector(r rune) {
	if !c.onBase || c.marks >= maxMarks || c.picked && (r == asPicture || r == asText) {
		return
	}
	if c.pending != 0 {
		c.write(c.pending)
		c.joiners, c.pending = c.joiners+1, 0
	}
	c.write(r)
	c.marks++
	c.hangul = noJamo
}

func (c *cleaner) joiner(r rune) {
	if c.onBase && c.joiners < maxJoiners {
		c.hangul = noJamo
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
	classJamo
	classVoiced
	classPicture
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
	{0x1160, 0x11FF, classJamo},
	{0x180B, 0x180D, classSelector},
	{0x180F, 0x180F, classSelector},
	{0x200C, 0x200D, classJoiner},
	{0x2028, 0x2029, classBreak},
	{0x202A, 0x202E, classReplace},
	{0x2065, 0x2065, classDrop},
	{0x2066, 0x2069, classReplace},
	{0x3030, 0x3030, classPicture},
	{0x303D, 0x303D, classPicture},
	{0x3297, 0x3297, classPicture},
	{0x3299, 0x3299, classPicture},
	{0xD7B0, 0xD7FF, classJamo},
	{0xFDD0, 0xFDEF, classReplace},
	{0xFE00, 0xFE0F, classSelector},
	{0xFF9E, 0xFF9F, classVoiced},
	{0xFFF0, 0xFFF8, classDrop},
	{0xFFFE, 0xFFFF, classReplace},
	{0x1F202, 0x1F202, classPicture},
	{0x1F237, 0x1F237, classPicture},
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
