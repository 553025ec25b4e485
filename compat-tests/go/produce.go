package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

// producer publishes messages whose ids ascend, in groups by turns.
type producer struct {
	queue   *queue
	journal journal
	prefix  string
	groups  int
	target  string
	mode    string
}

// produce publishes messages, until it is told to stop, and writes an event for each batch.
func produce(ctx context.Context, args []string, _ io.Reader, out *bufio.Writer) error {
	flags := flag.NewFlagSet("produce", flag.ContinueOnError)
	p := producer{journal: journal{out}}
	uri := flags.String("uri", "", "the database, as in `postgres://user@host/db`")
	name := flags.String("queue", "", "the queue")
	n := flags.Int("n", 1, "how many messages")
	batch := flags.Int("batch", 1, "how many messages in a statement")
	pause := flags.Duration("pause", 0, "how long to wait after each statement")
	flags.StringVar(&p.prefix, "prefix", "go", "what ids begin with")
	flags.IntVar(&p.groups, "groups", 0, "how many groups; 0 for messages without one")
	flags.StringVar(&p.target, "target", "https://t.example/hook", "the `URL` to deliver to")
	flags.StringVar(&p.mode, "mode", "NEXT_ON_ERROR", "the dispatch mode")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *batch < 1 {
		return errors.New("-batch must be at least 1")
	}
	q, err := open(ctx, *uri, *name, 0)
	if err != nil {
		return err
	}
	defer q.pool.Close()
	p.queue = q

	for i := 0; i < *n && ctx.Err() == nil; i += *batch {
		if err := p.publish(ctx, i, min(i+*batch, *n)); err != nil {
			return err
		}
		wait(ctx, *pause)
	}
	return nil
}

func (p *producer) publish(ctx context.Context, from, to int) error {
	var messages []Message
	e := event{Event: "publish"}
	for i := from; i < to; i++ {
		m := p.message(i)
		messages = append(messages, m)
		e.Messages = append(e.Messages, published{m.ID, m.MessageGroupID})
	}
	return p.journal.note(e, func(*event) error { return p.queue.insertBatch(ctx, messages) })
}

func (p *producer) message(i int) Message {
	m := Message{
		ID:              fmt.Sprintf("%s-%08d", p.prefix, i),
		MediationType:   "HTTP",
		MediationTarget: p.target,
		HighPriority:    i%8 == 0,
		DispatchMode:    p.mode,
	}
	if p.groups > 0 {
		m.MessageGroupID = ptr(fmt.Sprintf("group-%04d", i%p.groups))
	}
	return m
}

// wait returns after this time, or when the program is told to stop.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
