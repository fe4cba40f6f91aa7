package journal

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// decoder decodes records. What it has decoded shares memory, so that a record which is kept keeps some tens of others. The
// zero value is ready for use.
type decoder struct {
	arguments bool // wanted too; no reader of the history shows them

	reader ask.Reader
	texts  ask.Arena
}

// record decodes everything inside the transaction: the bytes die with it. Who needs no image data gives no images.
func (d *decoder) record(p *parts, seq uint64, images *bbolt.Bucket) (rec ask.Record, ok bool, err error) {
	if p.request == nil {
		return rec, false, nil
	}
	if rec.Request, err = d.request(p.request); err != nil {
		return rec, false, fmt.Errorf("request %d: %w", seq, err)
	}
	if rec.Outcome, err = d.outcome(p.outcome, images); err != nil {
		return rec, false, fmt.Errorf("outcome %d: %w", seq, err)
	}
	if rec.Draft, err = decodeDraft(p.draft, images); err != nil {
		return rec, false, fmt.Errorf("draft %d: %w", seq, err)
	}
	if rec.Earlier, err = decodeEarlier(p.earlier, images); err != nil {
		return rec, false, fmt.Errorf("earlier outcomes %d: %w", seq, err)
	}
	return rec, true, nil
}

func (d *decoder) request(value []byte) (*ask.Request, error) {
	text := buffers.Get().(*bytes.Buffer)
	defer releaseBuffer(text)
	given, form, err := openRequest(value, text)
	if err != nil {
		return nil, err
	}
	r, ok := d.reader.Request(d.texts.Text(form))
	if !ok {
		r = new(ask.Request)
		if err := decodeJSON(form, r); err != nil {
			return nil, err
		}
	}
	r.Arguments = nil
	if d.arguments && len(given) > 0 {
		r.Arguments = json.RawMessage(bytes.Clone(given))
	}
	return r, nil
}

// outcome decodes one without images itself.
func (d *decoder) outcome(value []byte, images *bbolt.Bucket) (*ask.Outcome, error) {
	if body, err := checkVersion(value); err == nil {
		if o, ok := d.reader.Outcome(d.texts.Text(body)); ok {
			return o, nil
		}
	}
	return decodeOutcome(value, images)
}
