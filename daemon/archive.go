package daemon

import (
	"iter"

	"askd/broker/ask"
	"askd/journal"
	"askd/journal/export"
)

// archive is the journal's history with the files that are made of it (broker.Archive).
type archive struct{ *journal.Journal }

// WriteQuestions implements broker.Archive.
func (archive) WriteQuestions(path string, records []ask.HistoryRecord) error {
	return export.WriteQuestions(path, records)
}

// WriteRecords implements broker.Archive.
func (archive) WriteRecords(path string, records iter.Seq2[ask.Record, error], format string) error {
	return export.Write(path, records, export.Format(format))
}
