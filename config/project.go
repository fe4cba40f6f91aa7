package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// ProjectBackgroundOnly reads a project's own word on behaviour.backgroundOnly from its settings file
// (ProjectSettingsPath); nil means that the project says nothing and the global setting holds. Only ask when the project
// is trusted. A file that is wrong is an error that names it; treat it as nothing said.
func ProjectBackgroundOnly(path string) (*bool, error) {
	doc, err := readProject(path)
	if err != nil {
		return nil, err
	}
	behaviour, ok := orderedObject(doc.get("behaviour"))
	if !ok || behaviour.get("backgroundOnly") == nil {
		return nil, nil
	}
	var v bool
	if err := decodeBool(behaviour.get("backgroundOnly"), &v); err != nil {
		return nil, fmt.Errorf("project ask config %s: behaviour.backgroundOnly: %w", path, err)
	}
	return &v, nil
}

// SetProjectBackgroundOnly writes the project's word, nil to inherit again. The rest of the file is kept; a file that is
// not there is made only to say something. Failures to write are *SaveError.
func SetProjectBackgroundOnly(path string, v *bool) error {
	doc, err := readProject(path)
	if err != nil {
		return err
	}
	if v == nil && doc.get("behaviour") == nil {
		return nil
	}
	if doc.get("schemaVersion") == nil {
		doc = append(members{{"schemaVersion", mustMarshal(SchemaVersion)}}, doc...)
	}
	behaviour, _ := orderedObject(doc.get("behaviour"))
	doc = doc.with("behaviour", mustMarshal(behaviour.with("backgroundOnly", boolJSON(v))))
	data, err := encodeIndented(doc)
	if err != nil {
		return err
	}
	if err := replace(path, data); err != nil {
		return &SaveError{path, err}
	}
	return nil
}

func boolJSON(v *bool) json.RawMessage {
	if v == nil {
		return nil
	}
	return mustMarshal(*v)
}

func readProject(path string) (members, error) {
	data, err := readRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("project ask config: %w", err)
	}
	doc, ok := orderedObject(data)
	if !ok {
		return nil, fmt.Errorf("project ask config %s is not a JSON object; mend or remove it", path)
	}
	return doc, nil
}
