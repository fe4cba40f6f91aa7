package ask

import (
	"math/bits"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A history is read by the hundred thousand, and encoding/json takes most of that time. What this program has stored is read by
// hand: members in the order in which they are declared, without white space, as they were written. Whatever else there is,
// damage included, is left to encoding/json; a fuzz test holds the two together.

// scanner reads what an Appender has written. Once it has met something else it is lost and reads nothing any more. Texts
// without escapes are parts of one copy.
type scanner struct {
	all  string
	at   int
	lost bool
}

// scan makes a scanner of JSON with at most a line feed behind it.
func scan(data []byte) *scanner {
	return &scanner{all: strings.TrimSuffix(string(data), "\n"), lost: !utf8.Valid(data)}
}

// done reports whether everything was read.
func (s *scanner) done() bool { return !s.lost && s.at == len(s.all) }

// has passes a word if it is there.
func (s *scanner) has(word string) bool {
	if s.lost || !strings.HasPrefix(s.all[s.at:], word) {
		return false
	}
	s.at += len(word)
	return true
}

func (s *scanner) must(word string) {
	if !s.has(word) {
		s.lost = true
	}
}

// text reads a string.
func (s *scanner) text() string {
	s.must(`"`)
	start := s.at
	for !s.lost {
		s.at = plainRun(s.all, s.at)
		if s.at == len(s.all) {
			break
		}
		switch c := s.all[s.at]; {
		case c == '"':
			s.at++
			return s.all[start : s.at-1]
		case c == '\\':
			return s.escaped(start)
		case c < ' ':
			s.lost = true
		default:
			s.at++
		}
	}
	s.lost = true
	return ""
}

// letters are the characters that the short escapes stand for.
var letters = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escaped reads the rest of a string from its first escape on.
func (s *scanner) escaped(start int) string {
	b := append(make([]byte, 0, 2*(s.at-start)+64), s.all[start:s.at]...)
	for !s.lost && s.at+1 < len(s.all) {
		switch c := s.all[s.at]; {
		case c == '"':
			s.at++
			return string(b)
		case c == '\\':
			b = s.escape(b)
			continue
		case c < ' ':
			s.lost = true
			continue
		}
		next := max(plainRun(s.all, s.at), s.at+1)
		b = append(b, s.all[s.at:next]...)
		s.at = next
	}
	if !s.lost && s.has(`"`) {
		return string(b)
	}
	s.lost = true
	return ""
}

func (s *scanner) escape(b []byte) []byte {
	c := s.all[s.at+1]
	if letter, ok := letters[c]; ok {
		s.at += 2
		return append(b, letter)
	}
	if c == 'u' && s.at+6 <= len(s.all) {
		r, err := strconv.ParseUint(s.all[s.at+2:s.at+6], 16, 32)
		if err == nil && (r < 0xd800 || r > 0xdfff) { // pairs are not written by us
			s.at += 6
			return utf8.AppendRune(b, rune(r))
		}
	}
	s.lost = true
	return b
}

// plainRun is skipPlain for text; near the end of it too it stops at any byte.
func plainRun(s string, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		w := word(s, i)
		quote, slash := w^('"'*ones), w^('\\'*ones)
		if found := ((quote-ones)&^quote | (slash-ones)&^slash | (w-' '*ones)&^w) & tops; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	return i
}

func (s *scanner) flag() bool {
	if s.has("true") {
		return true
	}
	s.must("false")
	return false
}

// some reads a text that may be left out; name has its quotes, its colon and the comma before.
func (s *scanner) some(name string) string {
	if !s.has(name) {
		return ""
	}
	return s.text()
}

func (s *scanner) time() (t time.Time) {
	start := s.at
	s.text()
	if s.lost || t.UnmarshalJSON([]byte(s.all[start:s.at])) != nil {
		s.lost = true
	}
	return t
}

func (s *scanner) number() int {
	start := s.at
	for s.at < len(s.all) && s.all[s.at] >= '0' && s.all[s.at] <= '9' {
		s.at++
	}
	n, err := strconv.Atoi(s.all[start:s.at])
	if s.lost || err != nil || s.at > start+1 && s.all[start] == '0' {
		s.lost = true
	}
	return n
}

// readList reads a list whose items read takes; nil is null, and none an empty list.
func readList[T any](s *scanner, read func() T) []T {
	if s.has("null") {
		return nil
	}
	out := []T{}
	if s.must("["); s.has("]") {
		return out
	}
	for !s.lost {
		out = append(out, read())
		if s.has("]") {
			return out
		}
		s.must(",")
	}
	return nil
}

// ReadRequest reads a request as AppendRequest has written it. ok is false for anything else, of which encoding/json may make
// something; r is spoilt then.
func ReadRequest(data []byte, r *Request) (ok bool) {
	s := scan(data)
	s.must(`{"id":`)
	r.ID = s.text()
	s.must(`,"session":`)
	r.Session = s.text()
	s.must(`,"tool":`)
	r.Tool = s.text()
	r.ToolCallID = s.some(`,"toolCallId":`)
	r.ParentToolCallID = s.some(`,"parentToolCallId":`)
	r.Background = s.has(`,"background":true`)
	r.Title = s.some(`,"title":`)
	s.must(`,"questions":`)
	r.Questions = readList(s, s.question)
	s.must(`,"createdAt":`)
	r.CreatedAt = s.time()
	s.must(`,"asker":`)
	s.asker(&r.Asker)
	if s.has(`,"prompt":`) {
		r.Prompt = s.prompt()
	}
	if s.has(`,"deadline":`) {
		r.Deadline = s.time()
	}
	s.must("}")
	return s.done()
}

func (s *scanner) question() (q Question) {
	s.must(`{"id":`)
	q.ID = s.text()
	s.must(`,"label":`)
	q.Label = s.text()
	s.must(`,"prompt":`)
	q.Prompt = s.text()
	q.Context = s.some(`,"context":`)
	s.must(`,"type":`)
	q.Type = Type(s.text())
	q.RequestedType = Type(s.some(`,"requestedType":`))
	q.PresentedType = Type(s.some(`,"presentedType":`))
	s.must(`,"options":`)
	q.Options = readList(s, s.option)
	q.Input = s.has(`,"input":true`)
	q.Placeholder = s.some(`,"placeholder":`)
	s.must("}")
	return q
}

func (s *scanner) option() (o Option) {
	s.must(`{"value":`)
	o.Value = s.text()
	s.must(`,"label":`)
	o.Label = s.text()
	o.Description = s.some(`,"description":`)
	if s.has(`,"recommended":`) {
		flag := s.flag()
		o.Recommended = &flag
	}
	o.Preview = s.some(`,"preview":`)
	s.must("}")
	return o
}

// asker reads an object of which any members may be left out.
func (s *scanner) asker(a *Asker) {
	s.must("{")
	first := true
	for _, field := range []struct {
		name string
		into *string
	}{
		{`"sessionName":`, &a.SessionName}, {`"cwd":`, &a.Cwd}, {`"host":`, &a.Host}, {`"gitBranch":`, &a.GitBranch}, {`"agent":`, &a.Agent}, {`"ui":`, &a.UI},
	} {
		start := s.at
		if !first && !s.has(",") {
			continue
		}
		if !s.has(field.name) {
			s.at = start
			continue
		}
		*field.into = s.text()
		first = false
	}
	s.must("}")
}

func (s *scanner) prompt() *PromptSettings {
	p := &PromptSettings{}
	s.must(`{"displayMode":`)
	p.DisplayMode = s.text()
	s.must(`,"singleSelectLayout":`)
	p.Layout = s.text()
	p.ToggleKey = s.some(`,"toggleKey":`)
	s.must("}")
	return p
}

// ReadOutcome is ReadRequest for outcomes as encoding/json writes them without HTML escapes. Those with images or with a
// refusal are left to it.
func ReadOutcome(data []byte, o *Outcome) (ok bool) {
	s := scan(data)
	s.must(`{"id":`)
	o.ID = s.text()
	s.must(`,"requestId":`)
	o.RequestID = s.text()
	s.must(`,"session":`)
	o.Session = s.text()
	s.must(`,"kind":`)
	o.Kind = OutcomeKind(s.text())
	if s.has(`,"result":`) {
		o.Result = s.result()
	}
	o.Error = s.some(`,"error":`)
	s.must(`,"via":`)
	o.Via = Via(s.text())
	o.Client = s.some(`,"client":`)
	s.must(`,"storedAt":`)
	o.StoredAt = s.time()
	if s.has(`,"shownAt":`) {
		at := s.time()
		o.ShownAt = &at
	}
	if s.has(`,"answeredAt":`) {
		at := s.time()
		o.AnsweredAt = &at
	}
	s.must("}")
	return s.done()
}

func (s *scanner) result() *Result {
	r := &Result{}
	s.must("{")
	if s.has(`"title":`) {
		r.Title = s.text()
		s.must(",")
	}
	s.must(`"cancelled":`)
	r.Cancelled = s.flag()
	s.must(`,"questions":`)
	r.Questions = readList(s, s.resultQuestion)
	if s.has(`,"skippedQuestionIds":`) {
		r.SkippedQuestionIDs = readList(s, s.text)
	}
	s.must(`,"answers":`)
	readMap(s, &r.Answers, s.answer)
	r.RequestID = s.some(`,"requestId":`)
	s.must("}")
	return r
}

func (s *scanner) resultQuestion() (q ResultQuestion) {
	s.must(`{"id":`)
	q.ID = s.text()
	s.must(`,"label":`)
	q.Label = s.text()
	s.must(`,"prompt":`)
	q.Prompt = s.text()
	s.must(`,"type":`)
	q.Type = Type(s.text())
	q.PresentedType = Type(s.some(`,"presentedType":`))
	s.must("}")
	return q
}

// readMap reads a Map.
func readMap[V any](s *scanner, m *Map[V], read func() V) {
	if s.must("{"); s.has("}") {
		return
	}
	for !s.lost {
		key := s.text()
		s.must(":")
		m.Set(key, read())
		if s.has("}") {
			return
		}
		s.must(",")
	}
}

func (s *scanner) answer() (a Answer) {
	s.must(`{"values":`)
	a.Values = readList(s, s.text)
	s.must(`,"labels":`)
	a.Labels = readList(s, s.text)
	s.must(`,"indices":`)
	a.Indices = readList(s, s.number)
	a.CustomText = s.some(`,"customText":`)
	a.Note = s.some(`,"note":`)
	if s.has(`,"optionNotes":`) {
		readMap(s, &a.OptionNotes, s.text)
	}
	s.must("}")
	return a
}
