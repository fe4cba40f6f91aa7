// Package files offers file paths for @ references in answers: the files under the asker's folder, without what git
// ignores, matched loosely. Reading the disk and matching run apart from the caller, so typing never waits for them.
package files
