package config

// Version is the release that askd and askctl were built as. A release build sets it with
// -ldflags "-X askd/config.Version=…"; nothing else may change it.
var Version = "0.1.0-dev"
