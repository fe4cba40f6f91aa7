package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"go.etcd.io/bbolt"
)

// digest is the SHA-256 of an image's bytes and the name under which the image is stored; hexadecimal in JSON.
type digest [sha256.Size]byte

// MarshalText writes the digest as hexadecimal digits.
func (d digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText reads what MarshalText wrote.
func (d *digest) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(d)) {
		return fmt.Errorf("digest of %d characters", len(text))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// picture is an image on its way to the file.
type picture struct {
	digest digest
	data   []byte
}

const (
	// imageChunk is chunkSize for the longer keys of images. Base64 makes four characters of three bytes, so that the text of
	// an image is the texts of its chunks one after the other.
	imageChunk = 1983
	imageKey   = sha256.Size + 2
	// maxPicture is the most that the two bytes of a chunk's number can hold; a larger one stands in its record.
	maxPicture = maxChunks * imageChunk
	// minPicture is the shortest base64 text that is worth the digest and the bucket.
	minPicture = 128
)

func imageChunkKey(d digest, n int) []byte {
	return binary.BigEndian.AppendUint16(append(make([]byte, 0, imageKey), d[:]...), uint16(n))
}

// decodePicture gives the bytes of a base64 text, or false for one that would not come back as it is: only what a standard
// encoder writes does, with its padding, without line ends, and with no bit set that means nothing.
func decodePicture(text string) (picture, bool) {
	if len(text) < minPicture || len(text)%4 != 0 {
		return picture{}, false
	}
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	// Even the strict decoder passes over line ends; then the text is longer than its bytes make it.
	if err != nil || len(data) > maxPicture || base64.StdEncoding.EncodedLen(len(data)) != len(text) {
		return picture{}, false
	}
	return picture{digest: sha256.Sum256(data), data: data}, true
}

// putImages stores those pictures that are not stored yet, in the transaction of the record that refers to them.
func (t *txn) putImages(pictures []picture) error {
	for _, p := range pictures {
		if err := putImage(t.tx.Bucket(bucketImages), p); err != nil {
			return err
		}
	}
	return nil
}

func putImage(images *bbolt.Bucket, p picture) error {
	if images.Get(imageChunkKey(p.digest, 0)) != nil {
		return nil
	}
	images.FillPercent = 1 // digests come in no order, but the many chunks of one stand together
	for n, data := 0, p.data; len(data) > 0; n++ {
		size := min(len(data), imageChunk)
		if err := images.Put(imageChunkKey(p.digest, n), data[:size]); err != nil {
			return err
		}
		data = data[size:]
	}
	return nil
}

// imageText appends the base64 text of an image.
func imageText(text []byte, images *bbolt.Bucket, d digest) ([]byte, error) {
	found := false
	err := eachImageChunk(images, d, func(chunk []byte) {
		found = true
		text = base64.StdEncoding.AppendEncode(text, chunk)
	})
	if err == nil && !found {
		err = fmt.Errorf("%w: image %x is missing", ErrDamaged, d)
	}
	return text, err
}

func eachImageChunk(images *bbolt.Bucket, d digest, visit func(chunk []byte)) error {
	c := images.Cursor()
	n := 0
	for key, chunk := c.Seek(imageChunkKey(d, 0)); bytes.HasPrefix(key, d[:]); key, chunk = c.Next() {
		if !bytes.Equal(key, imageChunkKey(d, n)) {
			return fmt.Errorf("%w: image %x has no part %d", ErrDamaged, d, n)
		}
		if len(chunk) > imageChunk || n > maxChunks { // room is made for it before it is read
			return fmt.Errorf("%w: image %x has a part %d of %d bytes", ErrDamaged, d, n, len(chunk))
		}
		visit(chunk)
		n++
	}
	return nil
}

// eachImage visits the digests in a bucket of images, in their order.
func eachImage(images *bbolt.Bucket, visit func(d digest) error) error {
	c := images.Cursor()
	for key, _ := c.First(); key != nil; {
		if len(key) != imageKey {
			return fmt.Errorf("%w: image key %x", ErrDamaged, key)
		}
		d := digest(key[:sha256.Size])
		if err := visit(d); err != nil {
			return err
		}
		if key, _ = c.Seek(imageChunkKey(d, maxChunks)); bytes.HasPrefix(key, d[:]) {
			key, _ = c.Next()
		}
		if key != nil && bytes.Compare(key, d[:]) < 0 { // a page leads back: it would never end
			return fmt.Errorf("%w: image key %x comes again", ErrDamaged, key)
		}
	}
	return nil
}

// wholeImage sees that the bytes of an image are the ones that it is named after.
func wholeImage(images *bbolt.Bucket, d digest) error {
	sum := sha256.New()
	if err := eachImageChunk(images, d, func(chunk []byte) { sum.Write(chunk) }); err != nil {
		return err
	}
	if !bytes.Equal(sum.Sum(nil), d[:]) {
		return fmt.Errorf("%w: image %x has other bytes", ErrDamaged, d)
	}
	return nil
}
