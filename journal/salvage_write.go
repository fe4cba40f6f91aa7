package journal

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// rescueBatch is how many records go into one transaction of the fresh file.
const rescueBatch = 500

// lostText is what the history says of a request whose outcome could not be read.
const lostText = "The answer was lost when the data file was damaged."

// blank takes the place of an image that is lost: one transparent pixel, which any reader of images takes.
const (
	blank     = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
	blankType = "image/png"
)

// writeTo makes the fresh file.
func (s *salvage) writeTo(path string, now time.Time) error {
	db, err := openDB(Options{Path: path, LockTimeout: DefaultLockTimeout}, nil)
	if err != nil {
		return err
	}
	db.NoSync = true // one sync at the end does
	err = s.fill(db, now)
	if err == nil {
		err = db.Sync()
	}
	if cerr := db.Close(); err == nil {
		err = cerr
	}
	return err
}

func (s *salvage) fill(db *bbolt.DB, now time.Time) error {
	fresh := &Journal{opts: Options{Now: func() time.Time { return now }}}
	if err := db.Update(fresh.create); err != nil {
		return err
	}
	for d, data := range s.images {
		if err := db.Update(func(tx *bbolt.Tx) error { return putImage(tx.Bucket(bucketImages), picture{d, data}) }); err != nil {
			return err
		}
	}
	seqs := s.seqs()
	for len(seqs) > 0 {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		n := min(len(seqs), rescueBatch)
		err := db.Update(func(tx *bbolt.Tx) error {
			for _, seq := range seqs[:n] {
				if err := s.record(tx, seq); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		seqs = seqs[n:]
	}
	s.report.Images = Tally{len(s.images), len(s.missing)}
	return db.Update(func(tx *bbolt.Tx) error {
		live := tx.Bucket(bucketLive)
		return live.SetSequence(max(s.last, s.buckets[string(bucketLive)].sequence))
	})
}

// saved is a record on its way into the fresh file; nil values are not there.
type saved struct {
	seq                              uint64
	request, outcome, earlier, draft []byte
	settled                          bool
}

// record writes one record, or notes what is lost of it.
func (s *salvage) record(tx *bbolt.Tx, seq uint64) error {
	rec := s.gather(seq)
	var head requestHead
	if rec.request == nil {
		s.lose(rec)
		return nil
	}
	if _, err := decodeRequest(rec.request, &head); err != nil {
		return err
	}
	k := ask.Key{Session: head.Session, Request: head.ID}
	if s.written[k] {
		return nil // the same request under another seq, of another time
	}
	s.written[k] = true
	s.report.Requests.Saved++
	if rec.settled && rec.outcome == nil {
		value, err := lostOutcome(rec.request)
		if err != nil {
			return err
		}
		rec.outcome = value
	}
	err := rec.put(tx)
	if errors.Is(err, ErrDamaged) { // it reads well part by part and not as a whole
		s.report.Requests = Tally{s.report.Requests.Saved - 1, s.report.Requests.Lost + 1}
		return rec.takeOut(tx)
	}
	return err
}

// origins are where a record's parts are looked for, given where its request was found. What stands in the history has
// outlived what stands in live.
var origins = map[bool][]origin{true: {fromHistory, fromNowhere, fromLive}, false: {fromLive, fromNowhere}}

func (s *salvage) gather(seq uint64) saved {
	rec := saved{seq: seq}
	all := []origin{fromHistory, fromLive, fromNowhere}
	rec.request, _ = s.part(seq, kindRequest, holdsRequest, all...)
	_, inHistory := s.parts[partKey{seq, kindRequest, fromHistory}]
	_, inLive := s.parts[partKey{seq, kindRequest, fromLive}]
	rec.settled = inHistory || !inLive && s.settled[seq]
	from := origins[rec.settled]
	var found bool
	rec.outcome, found = s.part(seq, kindOutcome, holdsOutcome, from...)
	placed := rec.request != nil // else it can be a remnant at most
	s.count(&s.report.Outcomes, placed && rec.outcome != nil, found || rec.settled)
	rec.outcome = s.mendOutcome(rec.outcome)
	rec.earlier, found = s.part(seq, kindEarlier, holdsEarlier, from...)
	s.count(&s.report.Outcomes, false, found && rec.earlier == nil)
	rec.earlier = s.mendEarlier(rec.earlier, placed)
	rec.draft, found = s.part(seq, kindDraft, holdsDraft, from...)
	s.count(&s.report.Drafts, placed && rec.draft != nil, found)
	rec.draft = s.mendDraft(rec.draft)
	return rec
}

func (*salvage) count(t *Tally, saved, known bool) {
	if saved {
		t.Saved++
	} else if known {
		t.Lost++
	}
}

// lose notes a record without its request. What was read of it becomes a remnant.
func (s *salvage) lose(rec saved) {
	s.report.Requests.Lost++
	name := s.names[rec.seq]
	if name.Request != "" && len(s.report.LostRequests) < maxProblems {
		s.report.LostRequests = append(s.report.LostRequests, name.Session+"/"+name.Request)
	}
	for _, part := range []struct {
		name  string
		value []byte
	}{{"outcome", rec.outcome}, {"earlier", rec.earlier}, {"draft", rec.draft}} {
		if part.value == nil {
			continue
		}
		line, err := json.Marshal(map[string]any{
			"record": rec.seq, "session": name.Session, "requestId": name.Request, "part": part.name, "value": json.RawMessage(part.value[1:]),
		})
		if err == nil {
			s.remnants = append(s.remnants, line)
		}
	}
}

// put writes a record where it belongs.
func (rec saved) put(tx *bbolt.Tx) error {
	home, drafts := tx.Bucket(bucketLive), tx.Bucket(bucketDrafts)
	if rec.settled {
		home = tx.Bucket(bucketHistory)
		drafts = home
	}
	for _, part := range []struct {
		bucket *bbolt.Bucket
		kind   kind
		value  []byte
	}{{home, kindRequest, rec.request}, {home, kindOutcome, rec.outcome}, {home, kindEarlier, rec.earlier}, {drafts, kindDraft, rec.draft}} {
		if err := putValue(part.bucket, rec.seq, part.kind, part.value); err != nil {
			return err
		}
	}
	if !rec.settled {
		return nil
	}
	if err := home.SetSequence(home.Sequence() + 1); err != nil {
		return err
	}
	whole, _, err := readHistory(tx, rec.seq)
	if err != nil {
		return err
	}
	return enterHistory(tx, rec.seq, &whole)
}

// takeOut undoes put.
func (rec saved) takeOut(tx *bbolt.Tx) error {
	history := tx.Bucket(bucketHistory)
	for _, k := range []kind{kindRequest, kindOutcome, kindEarlier, kindDraft} {
		if _, err := removeValue(history, rec.seq, k); err != nil {
			return err
		}
	}
	return history.SetSequence(history.Sequence() - 1)
}

// lostOutcome is what a settled request ended with when nobody knows any more.
func lostOutcome(request []byte) ([]byte, error) {
	r, err := new(decoder).request(request)
	if err != nil {
		return nil, err
	}
	value, err := encodeValue(&ask.Outcome{
		ID: "lost-" + r.ID, RequestID: r.ID, Session: r.Session, Kind: ask.Failed, Error: lostText, Via: ask.ViaAskd, StoredAt: r.CreatedAt,
	})
	if err != nil {
		return nil, err
	}
	return bytes.Clone(value.Bytes()), nil
}

func holdsOutcome(value []byte) bool {
	o, err := decodeNew[storedOutcome](value)
	return err == nil && o != nil && o.Kind != ""
}

func holdsDraft(value []byte) bool {
	_, err := decodeNew[storedDraft](value)
	return err == nil
}

func holdsEarlier(value []byte) bool {
	all, err := decodeNew[[]storedOutcome](value)
	return err == nil && all != nil
}

// mendOutcome puts blanks in the place of lost images. A value that lost none stays as it is, byte for byte.
func (s *salvage) mendOutcome(value []byte) []byte {
	o, err := decodeNew[storedOutcome](value)
	if err != nil || o == nil || len(o.Images) == 0 || s.restore(o.Images, outcomeImages(&o.Outcome)) {
		return value
	}
	b, _, err := encodeOutcome(&o.Outcome)
	if err != nil {
		return nil
	}
	return bytes.Clone(b.Bytes())
}

func (s *salvage) mendDraft(value []byte) []byte {
	d, err := decodeNew[storedDraft](value)
	if err != nil || d == nil || len(d.Images) == 0 || s.restore(d.Images, draftImages(&d.Draft)) {
		return value
	}
	b, _, err := encodeDraft(&d.Draft)
	if err != nil {
		return nil
	}
	return bytes.Clone(b.Bytes())
}

// mendEarlier mends each of the outcomes that stand together, and counts them.
func (s *salvage) mendEarlier(value []byte, placed bool) []byte {
	if value == nil {
		return nil
	}
	var all, kept []json.RawMessage
	if decodeValue(value, &all) != nil {
		return nil
	}
	for _, raw := range all {
		mended := s.mendOutcome(append([]byte{valueVersion}, raw...))
		s.count(&s.report.Outcomes, placed && mended != nil, true)
		if mended != nil {
			kept = append(kept, bytes.TrimSpace(mended[1:]))
		}
	}
	b, err := encodeValue(kept)
	if err != nil {
		return nil
	}
	return bytes.Clone(b.Bytes())
}

// restore is fillIn from what was found; false when something took a blank.
func (s *salvage) restore(digests []digest, lists iter.Seq[[]ask.Image]) (whole bool) {
	texts, whole := make([]string, len(digests)), true
	for i, d := range digests {
		if texts[i] = base64.StdEncoding.EncodeToString(s.images[d]); s.images[d] == nil {
			s.missing[d], whole, texts[i] = true, false, blank
		}
	}
	for list := range lists {
		for i := range list {
			text, err := restored(texts, list[i].Data)
			if err != nil {
				text, whole = blank, false
			}
			if list[i].Data = text; text == blank {
				list[i].MimeType = blankType
			}
		}
	}
	return whole
}
