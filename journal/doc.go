// Package journal keeps the queue and the history of requests in one bbolt file. It is the durable side of the broker:
// what it has reported as stored survives the death of the process and of the machine.
//
// # Layout
//
// The file has nine buckets. On the way of a new request, and of its outcome unless that has images, exactly one of them is
// written, with keys that grow, because every bucket a commit touches costs a rewritten path of pages (PERFORMANCE, 1 and 5):
//
//	live       seq|kind|chunk -> request, outcome, earlier         what has no delivered outcome; the bucket's sequence is the last seq given out
//	history    seq|kind|chunk -> request, outcome, draft, earlier  what is settled; the bucket's sequence is the number of records in it
//	drafts     seq|kind|chunk -> draft                             of live requests
//	index      session and request id -> seq, settled number       of the history only; live requests are found in memory
//	settled    settled number -> seq                               in the order in which requests came into the history
//	summaries  seq -> summary of the history's record              the bucket's sequence is the number of questions in them
//	search     block|bit -> one bit a record                       the bucket's sequence is the number of blocks
//	images     SHA-256|chunk -> bytes of an image
//	meta       format, created, notes of the broker
//
// A value is a version byte and JSON, cut into chunks of half a page or less. A request is its arguments, byte for byte, and
// the form that was made of them, of which only what differs is stored. seq is 8 bytes, big endian. A request keeps its seq
// for ever: it moves from live to history in the transaction that records its delivery. Start-up reads live and drafts and never the history, so that opening takes the same time at a
// million records; the two bucket sequences stand in for counts and cost nothing, since the bucket headers they live in
// are rewritten by the same commits anyway.
//
// An image stands in the file once, however many outcomes and drafts show it: they hold its SHA-256, written in the same
// transaction at the latest, and readers put the base64 text back as it was. Base64 that would not come back byte for byte,
// or is too short to be worth it, stays in the record, as do the images of earlier formats. Nobody counts the references:
// the images that nothing refers to any more are left behind when the file is compacted or pruned.
//
// A request that is answered on one branch may wait again on another. It then goes back from history to live under its
// seq, and the outcomes it had so far stand together in one value, "earlier".
//
// # Damage
//
// A damaged page can send bbolt round in circles for ever, so nothing is read before the pages on the way to it have been looked
// at: all of a small file before it is opened, of a large one what start-up reads. The rest is looked at beside the
// running journal; what needs it waits for that once (rest.go).
//
// # Commits
//
// One goroutine, the committer, takes whatever waits and writes it as one transaction: two fdatasyncs, however many
// records. Alone that costs nothing over a plain transaction, with many askers it divides the syncs among them.
package journal
