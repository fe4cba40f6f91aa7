package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync"

	"askd/broker/ask"
)

// valueVersion is the first byte of every value.
const valueVersion = 1

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
// outside the JSON because they must come back byte for byte: they decide whether a repeated call is the same one.
// The buffer belongs to the caller, who gives it back with releaseBuffer.
func encodeRequest(r *ask.Request) (*bytes.Buffer, error) {
	b := buffers.Get().(*bytes.Buffer)
	b.WriteByte(valueVersion)
	b.Write(binary.AppendUvarint(b.AvailableBuffer(), uint64(len(r.Arguments))))
	b.Write(r.Arguments)
	rest := *r
	rest.Arguments = nil
	return appendJSON(b, &rest)
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
	if b.Len() > maxValue {
		releaseBuffer(b)
		return nil, fmt.Errorf("record of %d bytes is over the limit of %d", b.Len(), maxValue)
	}
	return b, nil
}

// decodeValue reads a value into v. Nothing of data is kept: the bytes die with their transaction.
func decodeValue(data []byte, v any) error {
	body, err := checkVersion(data)
	if err != nil {
		return err
	}
	return decodeJSON(body, v)
}

// decodeRequest reads what encodeRequest wrote; v is an *ask.Request or a part of it. Nothing of data is kept.
func decodeRequest(data []byte, v any) (arguments json.RawMessage, err error) {
	body, err := checkVersion(data)
	if err != nil {
		return nil, err
	}
	n, used := binary.Uvarint(body)
	if used <= 0 || n > uint64(len(body)-used) {
		return nil, fmt.Errorf("%w: length of the arguments", ErrDamaged)
	}
	body = body[used:]
	if n > 0 {
		arguments = bytes.Clone(body[:n])
	}
	return arguments, decodeJSON(body[n:], v)
}

func checkVersion(data []byte) ([]byte, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("%w: empty record", ErrDamaged)
	}
	if data[0] > valueVersion {
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
