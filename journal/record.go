package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync"

	"askd/broker/ask"
)

const (
	// valueVersion is the first byte of every value but the requests.
	valueVersion = 1
	// requestVersion is that of requests. In those of version 1, before format 4, the form stands as it is.
	requestVersion = 2
)

// indexKey names a request in the index. The length in front keeps "ab"+"c" and "a"+"bc" apart whatever bytes they
// hold, and leaves the requests of one session together.
func indexKey(k ask.Key) []byte {
	b := make([]byte, 0, binary.MaxVarintLen32+len(k.Session)+len(k.Request))
	b = binary.AppendUvarint(b, uint64(len(k.Session)))
	b = append(b, k.Session...)
	return append(b, k.Request...)
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keptBuffer is the largest buffer worth keeping; one large image must not stay in memory for days.
const keptBuffer = 256 << 10

func releaseBuffer(b *bytes.Buffer) {
	if b != nil && b.Cap() <= keptBuffer {
		b.Reset()
		buffers.Put(b)
	}
}

// encodeRequest gives the version, the length of the arguments, the arguments, and the rest as JSON. The arguments stand
// outside the JSON because they must come back byte for byte: they decide whether a repeated call is the same one. The JSON
// is a delta to them. The buffer belongs to the caller, who gives it back with releaseBuffer.
func encodeRequest(r *ask.Request) (*bytes.Buffer, error) {
	text := buffers.Get().(*bytes.Buffer)
	defer releaseBuffer(text)
	rest, err := ask.AppendRequest(text.AvailableBuffer(), r)
	text.Write(rest) // in place, as far as there was room
	if err != nil {
		return nil, err
	}
	b := buffers.Get().(*bytes.Buffer)
	b.Grow(len(r.Arguments) + len(rest)/8 + 512)
	b.WriteByte(requestVersion)
	b.Write(binary.AppendUvarint(b.AvailableBuffer(), uint64(len(r.Arguments))))
	b.Write(r.Arguments)
	b.Write(appendDelta(b.AvailableBuffer(), text.Bytes(), r.Arguments))
	if len(rest) > maxValue {
		releaseBuffer(b)
		return nil, tooLarge(len(rest))
	}
	return fitting(b)
}

// encodeValue gives the version and v as JSON; the buffer is the caller's, as with encodeRequest.
func encodeValue(v any) (*bytes.Buffer, error) {
	b := buffers.Get().(*bytes.Buffer)
	b.WriteByte(valueVersion)
	return appendJSON(b, v)
}

func appendJSON(b *bytes.Buffer, v any) (*bytes.Buffer, error) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		releaseBuffer(b)
		return nil, err
	}
	return fitting(b)
}

func fitting(b *bytes.Buffer) (*bytes.Buffer, error) {
	if n := b.Len(); n > maxValue {
		releaseBuffer(b)
		return nil, tooLarge(n)
	}
	return b, nil
}

func tooLarge(n int) error {
	return fmt.Errorf("record of %d bytes is over the limit of %d", n, maxValue)
}

// decodeValue reads a value into v. Nothing of data is kept: the bytes die with their transaction.
func decodeValue(data []byte, v any) error {
	body, err := checkVersion(data)
	if err != nil {
		return err
	}
	return decodeJSON(body, v)
}

// decodeRequest reads what encodeRequest wrote; v is an *ask.Request or a part of it. Nothing of data is kept. A decoder is
// several times as quick.
func decodeRequest(data []byte, v any) (arguments json.RawMessage, err error) {
	text := buffers.Get().(*bytes.Buffer)
	defer releaseBuffer(text)
	given, form, err := openRequest(data, text)
	if err != nil {
		return nil, err
	}
	if len(given) > 0 {
		arguments = bytes.Clone(given)
	}
	return arguments, decodeJSON(form, v)
}

// openRequest gives the arguments of a stored request and the rest as JSON. Both are parts of data, or of what is written
// into text.
func openRequest(data []byte, text *bytes.Buffer) (arguments, form []byte, err error) {
	body, err := checkVersionUpTo(data, requestVersion)
	if err != nil {
		return nil, nil, err
	}
	n, used := binary.Uvarint(body)
	if used <= 0 || n > uint64(len(body)-used) {
		return nil, nil, fmt.Errorf("%w: length of the arguments", ErrDamaged)
	}
	arguments, form = body[used:used+int(n)], body[used+int(n):]
	if data[0] < requestVersion {
		return arguments, form, nil
	}
	start := text.Len()
	if !applyDelta(text, form, arguments) {
		return nil, nil, fmt.Errorf("%w: what differs from the arguments", ErrDamaged)
	}
	return arguments, text.Bytes()[start:], nil
}

func checkVersion(data []byte) ([]byte, error) { return checkVersionUpTo(data, valueVersion) }

func checkVersionUpTo(data []byte, newest byte) ([]byte, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("%w: empty record", ErrDamaged)
	}
	if data[0] > newest {
		return nil, fmt.Errorf("%w: record version %d", ErrNewerFormat, data[0])
	}
	if data[0] == 0 {
		return nil, fmt.Errorf("%w: record version 0", ErrDamaged)
	}
	return data[1:], nil
}

func decodeJSON(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}
