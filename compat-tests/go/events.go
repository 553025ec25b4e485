package main

import (
	"bufio"
	"encoding/json"
	"time"
)

// event is one thing that the program did to the queue. It took effect between the two instants.
type event struct {
	Event string `json:"event"` // publish, poll, ack, nack, defer
	From  int64  `json:"from"`  // unix nanoseconds
	To    int64  `json:"to"`

	Messages []published `json:"messages,omitempty"` // publish
	Claims   []claimed   `json:"claims,omitempty"`   // poll

	ID      string `json:"id,omitempty"` // ack, nack, defer
	Receipt string `json:"receipt,omitempty"`
	Delay   int64  `json:"delay,omitempty"` // seconds
	Held    bool   `json:"held,omitempty"`  // whether the claim still held
}

type published struct {
	ID    string  `json:"id"`
	Group *string `json:"group"`
}

// journal writes events, one a line, each before the next thing is done.
type journal struct{ out *bufio.Writer }

// note does something to the queue and writes down what and when. What failed is not written.
func (j journal) note(e event, do func(e *event) error) error {
	e.From = time.Now().UnixNano()
	if err := do(&e); err != nil {
		return err
	}
	e.To = time.Now().UnixNano()
	if err := json.NewEncoder(j.out).Encode(e); err != nil {
		return err
	}
	return j.out.Flush()
}
