package ask

// jamo is what a character is of a syllable of Hangul. What melts into it takes no columns of its own.
type jamo uint8

const (
	noJamo    jamo = iota
	leadJamo       // takes a vowel
	vowelJamo      // takes another vowel or a final
	finalJamo      // takes another final
)

// jamoRanges are the letters and syllables of Hangul, ascending.
var jamoRanges = []struct {
	first, last rune
	is          jamo
}{
	{0x1100, 0x115F, leadJamo},
	{0x1160, 0x11A7, vowelJamo},
	{0x11A8, 0x11FF, finalJamo},
	{0xA960, 0xA97C, leadJamo},
	{firstSyllable, 0xD7A3, finalJamo},
	{0xD7B0, 0xD7C6, vowelJamo},
	{0xD7CB, 0xD7FB, finalJamo},
}

const (
	firstSyllable = 0xAC00
	finals        = 28 // of syllables that differ in their final alone; the first of them has none
)

func jamoOf(r rune) jamo {
	if r < jamoRanges[0].first {
		return noJamo
	}
	for _, k := range jamoRanges {
		if r < k.first || r > k.last {
			continue
		}
		if k.first == firstSyllable && (r-firstSyllable)%finals == 0 {
			return vowelJamo
		}
		return k.is
	}
	return noJamo
}

// jamo is a vowel or a final of Hangul. Terminals put it into the cell before, whatever stands there.
func (c *cleaner) jamo(r rune) {
	is := jamoOf(r)
	if is == noJamo || c.hangul != is && c.hangul != is-1 {
		c.base(unknownCharacter)
		return
	}
	if c.marks < maxMarks {
		c.selector(r)
		c.hangul = is
	}
}
