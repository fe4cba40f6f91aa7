package ask

import "time"

// A history is read by the hundred thousand, and encoding/json takes most of that time. What this program has stored is read by
// hand: members in the order in which they are declared, without white space, as they were written. Whatever else there is,
// damage included, is left to encoding/json; a fuzz test holds the two together.

// Reader reads many stored requests and outcomes with few allocations: what it has read shares memory, and a record that is
// kept keeps some tens of others. The zero value is ready for use; not safe for concurrent use.
type Reader struct {
	scanner
	slabs struct {
		requests  slab[Request]
		outcomes  slab[Outcome]
		questions slab[Question]
		options   slab[Option]
		flags     slab[bool]
		times     slab[time.Time]
		results   slab[Result]
		asked     slab[ResultQuestion]
		answers   slab[Answer]
		texts     slab[string]
		numbers   slab[int]
	}
}

// readList reads a list whose items read takes; nil is null, and none an empty list.
func readList[T any](s *Reader, from *slab[T], read func(*Reader, *T)) []T {
	if s.has("null") {
		return nil
	}
	if s.must("["); s.has("]") {
		return []T{}
	}
	from.begin()
	for !s.lost {
		read(s, from.next())
		if s.has("]") {
			return from.list()
		}
		s.must(",")
	}
	return nil
}

// Reuse says that nobody has anything any more that was read so far: what is read next takes its place in memory. Texts stay
// as they are.
func (s *Reader) Reuse() {
	for _, slab := range []interface{ takeBack() }{
		&s.slabs.requests, &s.slabs.outcomes, &s.slabs.questions, &s.slabs.options, &s.slabs.flags, &s.slabs.times, &s.slabs.results, &s.slabs.asked,
		&s.slabs.answers, &s.slabs.texts, &s.slabs.numbers,
	} {
		slab.takeBack()
	}
}

// Request reads a request as AppendRequest has written it; its texts are parts of text. ok is false for anything else, of
// which encoding/json may make something.
func (s *Reader) Request(text string) (r *Request, ok bool) {
	s.start(text)
	r = s.slabs.requests.one()
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
	r.Questions = readList(s, &s.slabs.questions, (*Reader).question)
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
	return r, s.done()
}

func (s *Reader) question(q *Question) {
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
	q.Options = readList(s, &s.slabs.options, (*Reader).option)
	q.Input = s.has(`,"input":true`)
	q.Placeholder = s.some(`,"placeholder":`)
	s.must("}")
}

func (s *Reader) option(o *Option) {
	s.must(`{"value":`)
	o.Value = s.text()
	s.must(`,"label":`)
	o.Label = s.text()
	o.Description = s.some(`,"description":`)
	if s.has(`,"recommended":`) {
		o.Recommended = s.slabs.flags.one()
		*o.Recommended = s.flag()
	}
	o.Preview = s.some(`,"preview":`)
	s.must("}")
}

// asker reads an object of which any members may be left out.
func (s *Reader) asker(a *Asker) {
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

func (s *Reader) prompt() *PromptSettings {
	p := &PromptSettings{}
	s.must(`{"displayMode":`)
	p.DisplayMode = s.text()
	s.must(`,"singleSelectLayout":`)
	p.Layout = s.text()
	p.ToggleKey = s.some(`,"toggleKey":`)
	s.must("}")
	return p
}

// Outcome is Request for outcomes as encoding/json writes them without HTML escapes. Those with images or with a refusal are
// left to it.
func (s *Reader) Outcome(text string) (o *Outcome, ok bool) {
	s.start(text)
	o = s.slabs.outcomes.one()
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
		o.ShownAt = s.slabs.times.one()
		*o.ShownAt = s.time()
	}
	if s.has(`,"answeredAt":`) {
		o.AnsweredAt = s.slabs.times.one()
		*o.AnsweredAt = s.time()
	}
	s.must("}")
	return o, s.done()
}

func (s *Reader) result() *Result {
	r := s.slabs.results.one()
	s.must("{")
	if s.has(`"title":`) {
		r.Title = s.text()
		s.must(",")
	}
	s.must(`"cancelled":`)
	r.Cancelled = s.flag()
	s.must(`,"questions":`)
	r.Questions = readList(s, &s.slabs.asked, (*Reader).resultQuestion)
	if s.has(`,"skippedQuestionIds":`) {
		r.SkippedQuestionIDs = readList(s, &s.slabs.texts, (*Reader).item)
	}
	s.must(`,"answers":`)
	readMap(s, &r.Answers, len(r.Questions), &s.slabs.answers, (*Reader).answer)
	r.RequestID = s.some(`,"requestId":`)
	s.must("}")
	return r
}

func (s *Reader) resultQuestion(q *ResultQuestion) {
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
}

func (s *Reader) item(into *string) { *into = s.text() }

func (s *Reader) place(into *int) { *into = s.number() }

// readMap reads a Map, most of which have n keys.
func readMap[V any](s *Reader, m *Map[V], n int, from *slab[V], read func(*Reader, *V)) {
	if s.must("{"); s.has("}") {
		return
	}
	m.keys, m.values = s.slabs.texts.room(n), from.room(n)
	for !s.lost {
		key := s.text()
		s.must(":")
		into := m.place(key)
		var zero V
		*into = zero // of a key that comes again
		read(s, into)
		if s.has("}") {
			return
		}
		s.must(",")
	}
}

func (s *Reader) answer(a *Answer) {
	s.must(`{"values":`)
	a.Values = readList(s, &s.slabs.texts, (*Reader).item)
	s.must(`,"labels":`)
	a.Labels = readList(s, &s.slabs.texts, (*Reader).item)
	s.must(`,"indices":`)
	a.Indices = readList(s, &s.slabs.numbers, (*Reader).place)
	a.CustomText = s.some(`,"customText":`)
	a.Note = s.some(`,"note":`)
	if s.has(`,"optionNotes":`) {
		readMap(s, &a.OptionNotes, 1, &s.slabs.texts, (*Reader).item)
	}
	s.must("}")
}
