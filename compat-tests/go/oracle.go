package main

import (
	"encoding/json"
	"errors"
	"io"
)

// vectors reads messages and writes the bytes that a producer stores for each, one a line.
// A message that names neither type nor target gets those of fixtures/vectors/message-json.json.
func vectors(in io.Reader, out io.Writer) error {
	for messages := json.NewDecoder(in); ; {
		m := Message{MediationType: "HTTP", MediationTarget: "https://t.example/hook"}
		switch err := messages.Decode(&m); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		payload, err := json.Marshal(m)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(payload, '\n')); err != nil {
			return err
		}
	}
}

type reading struct {
	OK      bool    `json:"ok"`
	Message *Fields `json:"message,omitempty"`
}

// read reads payloads, each as a JSON string, and writes what a consumer makes of each, one a line.
func read(in io.Reader, out io.Writer) error {
	results := json.NewEncoder(out)
	for payloads := json.NewDecoder(in); ; {
		var payload string
		switch err := payloads.Decode(&payload); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := results.Encode(readingOf(payload)); err != nil {
			return err
		}
	}
}

func readingOf(payload string) reading {
	var m Message
	if err := json.Unmarshal([]byte(payload), &m); err != nil {
		return reading{}
	}
	f := Fields(m) // the same fields; tags do not count
	return reading{OK: true, Message: &f}
}
