package config

import (
	"errors"
	"io/fs"
)

// Inspect says what is wrong with the settings file at path, naming the key where one is at fault: nil when it is in order or
// missing. Unlike File.Load it makes no file. It reads the disk.
func Inspect(path string) error {
	data, err := readRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	d, err := decode(data)
	if err != nil {
		return err
	}
	return d.keymapErr
}
