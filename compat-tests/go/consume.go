package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// crashCode is what a process ends with that kill -9 has ended.
const crashCode = 137

var errCrash = errors.New("crashed, as told")

// consumer polls and settles, one call at a time.
type consumer struct {
	queue   *queue
	journal journal
	random  *rand.Rand
	held    []claimed

	most       int
	ackRate    float64
	nackRate   float64
	deferRate  float64
	maxDelay   int64
	shuffle    bool
	crashAfter int
	stopAfter  int
	idle       time.Duration

	polled int
	acked  int
}

// consume drains a queue and writes an event for each call.
func consume(ctx context.Context, args []string, _ io.Reader, out *bufio.Writer) error {
	flags := flag.NewFlagSet("consume", flag.ContinueOnError)
	c := consumer{journal: journal{out}}
	uri := flags.String("uri", "", "the database, as in `postgres://user@host/db`")
	name := flags.String("queue", "", "the queue")
	visibility := flags.Int64("visibility", 30, "how long a claim holds, in `seconds`")
	seed := flags.Uint64("seed", 1, "of what is random")
	flags.IntVar(&c.most, "max", 10, "how many messages a poll asks for")
	flags.Float64Var(&c.ackRate, "ack-rate", 1, "how many are acked, of 1")
	flags.Float64Var(&c.nackRate, "nack-rate", 0, "how many are nacked, of 1")
	flags.Float64Var(&c.deferRate, "defer-rate", 0, "how many are deferred, of 1; the rest lapses")
	flags.Int64Var(&c.maxDelay, "max-delay", 0, "of those handed back, in `seconds`")
	flags.BoolVar(&c.shuffle, "shuffle", false, "poll and settle in random order")
	flags.IntVar(&c.crashAfter, "crash-after", 0, "end after so many claims, settling nothing more")
	flags.IntVar(&c.stopAfter, "stop-after", 0, "end after so many acks, handing back the rest")
	flags.DurationVar(&c.idle, "idle", 0, "end when so long nothing came; 0 to go on until SIGTERM")
	if err := flags.Parse(args); err != nil {
		return err
	}
	q, err := open(ctx, *uri, *name, *visibility)
	if err != nil {
		return err
	}
	defer q.pool.Close()
	c.queue = q
	c.random = rand.New(rand.NewPCG(*seed, 1))
	return c.run(ctx)
}

// run works until there is nothing left, or it is told to stop: then it hands back what it holds.
func (c *consumer) run(ctx context.Context) error {
	for last := time.Now(); ; {
		switch {
		case ctx.Err() != nil, c.stopAfter > 0 && c.acked >= c.stopAfter:
			return c.handAllBack(ctx)
		case len(c.held) > 0 && !(c.shuffle && c.random.IntN(3) == 0):
			if err := c.settleOne(ctx); err != nil {
				return err
			}
			continue
		}
		n, err := c.poll(ctx)
		switch {
		case err != nil:
			return err
		case n > 0:
			last = time.Now()
		case c.idle > 0 && len(c.held) == 0 && time.Since(last) > c.idle:
			return nil
		case len(c.held) == 0:
			wait(ctx, 20*time.Millisecond)
		}
	}
}

func (c *consumer) poll(ctx context.Context) (int, error) {
	var claims []claimed
	err := c.journal.note(event{Event: "poll"}, func(e *event) (err error) {
		claims, err = c.queue.poll(ctx, c.most)
		e.Claims = claims
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, one := range claims {
		var m Message
		if err := json.Unmarshal([]byte(one.Payload), &m); err != nil {
			return 0, fmt.Errorf("payload of %q: %w", one.ID, err)
		}
	}
	c.held = append(c.held, claims...)
	c.polled += len(claims)
	if c.crashAfter > 0 && c.polled >= c.crashAfter {
		return 0, errCrash
	}
	return len(claims), nil
}

// settleOne ends the oldest claim that it holds, or any.
func (c *consumer) settleOne(ctx context.Context) error {
	i := 0
	if c.shuffle {
		i = c.random.IntN(len(c.held))
	}
	one := c.held[i]
	c.held = append(c.held[:i], c.held[i+1:]...)

	dice := c.random.Float64()
	switch delay := c.random.Int64N(c.maxDelay + 1); {
	case dice < c.ackRate:
		c.acked++
		return c.settle(one, event{Event: "ack"}, func() (bool, error) {
			return c.queue.ack(ctx, one.Receipt)
		})
	case dice < c.ackRate+c.nackRate:
		return c.handBack(ctx, one, event{Event: "nack", Delay: delay})
	case dice < c.ackRate+c.nackRate+c.deferRate:
		return c.handBack(ctx, one, event{Event: "defer", Delay: delay})
	}
	return nil // forgotten; the claim lapses
}

func (c *consumer) handAllBack(ctx context.Context) error {
	for _, one := range c.held {
		if err := c.handBack(ctx, one, event{Event: "nack"}); err != nil {
			return err
		}
	}
	c.held = nil
	return nil
}

func (c *consumer) handBack(ctx context.Context, one claimed, e event) error {
	return c.settle(one, e, func() (bool, error) {
		return c.queue.handBack(ctx, one.Receipt, e.Delay)
	})
}

func (c *consumer) settle(one claimed, e event, call func() (bool, error)) error {
	e.ID, e.Receipt = one.ID, one.Receipt
	return c.journal.note(e, func(e *event) (err error) {
		e.Held, err = call()
		return err
	})
}
