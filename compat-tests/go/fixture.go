package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
)

// row is a row of queue_messages. The test that loads it adds the time of loading to the offsets,
// and puts the port of its target for {PORT} in the payload.
type row struct {
	ID             string  `json:"id"`
	QueueName      string  `json:"queue_name"`
	MessageGroupID *string `json:"message_group_id"`
	ReceiptHandle  *string `json:"receipt_handle"`
	VisibleOffset  int     `json:"visible_offset"`
	CreatedOffset  int     `json:"created_offset"`
	ReceiveCount   *int    `json:"receive_count"`
	Payload        string  `json:"payload"`
}

const (
	target   = "http://127.0.0.1:{PORT}/hook"
	farAhead = 3600
)

var modes = []string{"BLOCK_ON_ERROR", "NEXT_ON_ERROR", "IMMEDIATE", "", "ROUND_ROBIN"}

// fixture writes the same rows each time, in the order in which they were published.
func fixture(_ io.Reader, out io.Writer) error {
	p := &producers{random: rand.New(rand.NewPCG(2026, 1129)), queue: "orders"}
	p.ungrouped(500)
	p.groups(110)
	p.delayed()
	p.claimed()
	p.lapsed()
	p.malformed()
	p.odd()
	p.sharedKeys()
	p.unknownFields(10)
	p.queue = "other"
	p.otherQueue()

	slices.SortStableFunc(p.rows, func(a, b *row) int { return a.CreatedOffset - b.CreatedOffset })
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, r := range p.rows {
		if err := lines.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

type producers struct {
	random *rand.Rand
	queue  string
	ids    uint64
	rows   []*row
}

func (p *producers) ungrouped(n int) {
	for i := range n {
		id := p.tsid()
		if i%4 == 0 {
			id = p.uuid()
		}
		m := p.message(id, nil, []string{"", "IMMEDIATE"}[i%2])
		r := p.publish(m, -p.between(5, 900))
		if i%10 == 0 {
			r.ReceiveCount = nil // rows from before the column had a default
		}
	}
}

func (p *producers) groups(n int) {
	for i := range n {
		p.group(fmt.Sprintf("customer-%03d", i), modes[i%len(modes)], p.between(2, 30))
	}
}

func (p *producers) delayed() {
	for i := range 60 {
		m := p.message(p.tsid(), nil, "")
		p.publish(m, -p.between(5, 900)).delay(p.soonOrFar(i%6 != 0))
	}
	for i := range 12 {
		rows := p.group(fmt.Sprintf("delayed-%02d", i), modes[i%2], p.between(3, 6))
		rows[0].delay(p.soonOrFar(i%6 != 0))
		rows[0].ReceiveCount = ptr(1) // handed back
	}
	// One in the middle: what was published before it goes, what came after it waits.
	for i := range 6 {
		p.group(fmt.Sprintf("halfway-%02d", i), modes[i%2], 7)[3].delay(p.soonOrFar(i != 0))
	}
}

func (p *producers) claimed() {
	for range 60 {
		p.claim(p.publish(p.message(p.tsid(), nil, ""), -p.between(5, 900)), p.between(900, farAhead))
	}
	for i := range 12 {
		rows := p.group(fmt.Sprintf("claimed-%02d", i), modes[i%2], p.between(3, 6))
		p.claim(rows[0], farAhead)
	}
}

func (p *producers) lapsed() {
	for range 60 {
		p.claim(p.publish(p.message(p.tsid(), nil, ""), -p.between(300, 900)), -p.between(1, 200))
	}
	for i := range 12 {
		rows := p.group(fmt.Sprintf("lapsed-%02d", i), modes[i%2], p.between(3, 6))
		for _, r := range rows[:1+i%2] {
			p.claim(r, -1-i)
		}
	}
}

func (p *producers) malformed() {
	for i := range malformedPayloads(Message{}) {
		alone := p.message(p.tsid(), nil, "")
		p.publish(alone, -p.between(5, 900)).Payload = malformedPayloads(alone)[i]

		rows := p.group(fmt.Sprintf("malformed-%02d", i), modes[i%2], 3)
		bad := rows[i%3]
		bad.Payload = malformedPayloads(p.message(bad.ID, bad.MessageGroupID, modes[i%2]))[i]
	}
}

func (p *producers) odd() {
	for i, name := range oddNames() {
		p.publish(p.message(name, nil, modes[i%len(modes)]), -p.between(5, 900))
		p.group(name+" group", modes[i%2], 3)
		// Ids that no collation need sort as they were published: a second apart each.
		p.publish(p.message(name+" second", ptr("odd ids"), "NEXT_ON_ERROR"), -800+2*i)
		p.publish(p.message("first "+name, ptr("odd ids"), "NEXT_ON_ERROR"), -799+2*i)
	}
	long := strings.Repeat("k", 1000)
	p.publish(p.message(long, ptr(long), "BLOCK_ON_ERROR"), -40)
	p.publish(p.message("after "+long[:990], ptr(long), "BLOCK_ON_ERROR"), -38)
	p.group("", "BLOCK_ON_ERROR", 8) // a group for claims, none for the router
}

// sharedKeys makes rows without a group whose ids are the names of groups: they share a claim key.
func (p *producers) sharedKeys() {
	for i := range 5 {
		name := fmt.Sprintf("shared-key-%d", i)
		p.publish(p.message(name, nil, "IMMEDIATE"), -101+i*20)
		for second := -95; second < -20; second += 15 {
			p.publish(p.message(p.tsid(), ptr(name), modes[i%2]), second)
		}
	}
}

// unknownFields publishes as a newer service does, whose messages carry more than we know.
func (p *producers) unknownFields(n int) {
	type newer struct {
		Message
		TraceParent string         `json:"traceparent"`
		Attempt     int            `json:"attempt"`
		Attributes  map[string]any `json:"attributes"`
	}
	for i := range n {
		m := p.message(p.tsid(), nil, "")
		r := p.publish(m, -p.between(5, 900))
		r.Payload = marshal(newer{m, "00-" + strings.Repeat("4b", 16), i, map[string]any{
			"id": "not this one", "amount": 1e21, "lines": []any{nil, true, map[string]any{"sku": "<&>"}},
		}})
	}
}

// otherQueue repeats ids and groups of the main queue, in the states that a drain looks for.
func (p *producers) otherQueue() {
	for i, r := range p.rows[:12] {
		p.publish(p.message(r.ID, nil, ""), -60+i)
	}
	p.group("customer-000", "BLOCK_ON_ERROR", 5)
	p.group("customer-001", "NEXT_ON_ERROR", 4)[0].delay(2)
	p.claim(p.group("lapsed-00", "NEXT_ON_ERROR", 3)[0], -5)
	p.publish(p.message(p.tsid(), nil, ""), -30).Payload = "not json"
}

// group publishes n messages over several seconds. Where two share a second, their ids ascend.
func (p *producers) group(name, mode string, n int) []*row {
	created := -p.between(90, 900)
	ascending := p.random.IntN(4) > 0
	var rows []*row
	for range n {
		id := p.tsid()
		step := p.between(0, 2)
		if !ascending {
			id = p.uuid()
			step = p.between(1, 2)
		}
		created += step
		rows = append(rows, p.publish(p.message(id, &name, mode), created))
	}
	return rows
}

func (p *producers) message(id string, group *string, mode string) Message {
	m := Message{
		ID:              id,
		PoolCode:        pick(p.random, "", "", "ORDERS", "MAIL", "BENCH"),
		MediationType:   "HTTP",
		MediationTarget: target,
		MessageGroupID:  group,
		HighPriority:    p.random.IntN(8) == 0,
		DispatchMode:    mode,
	}
	if p.random.IntN(10) == 0 {
		m.MediationTarget += "?order=1&express=2"
	}
	m.AuthToken = pick(p.random, nil, nil, ptr(""), ptr("token-"+p.tsid()))
	m.SigningSecret = pick(p.random, nil, nil, ptr(""), ptr("sécret-☃-"+p.tsid()))
	return m
}

func (p *producers) publish(m Message, created int) *row {
	r := &row{
		ID:             m.ID,
		QueueName:      p.queue,
		MessageGroupID: m.MessageGroupID,
		VisibleOffset:  created,
		CreatedOffset:  created,
		ReceiveCount:   ptr(0),
		Payload:        marshal(m),
	}
	p.rows = append(p.rows, r)
	return r
}

func (p *producers) claim(r *row, visible int) {
	r.ReceiptHandle = ptr(p.uuid() + ":" + r.ID)
	r.VisibleOffset = visible
	r.ReceiveCount = ptr(p.between(1, 4))
}

func (p *producers) soonOrFar(soon bool) int {
	if soon {
		return p.between(2, 5)
	}
	return farAhead
}

func (r *row) delay(seconds int) { r.VisibleOffset = seconds }

// tsid returns an id of the services' usual kind; each sorts after the one before, in any collation.
func (p *producers) tsid() string {
	const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	p.ids++
	bits := (uint64(218_000_000_000)+p.ids)<<22 | uint64(p.random.IntN(1<<22))
	var id [13]byte
	for i := range id {
		id[len(id)-1-i] = crockford[bits>>(5*i)&31]
	}
	return string(id[:])
}

func (p *producers) uuid() string {
	hi, lo := p.random.Uint64(), p.random.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x",
		hi>>32, hi>>16&0xffff, hi&0xfff, lo>>48&0x3fff|0x8000, lo&0xffffffffffff)
}

func (p *producers) between(least, most int) int { return least + p.random.IntN(most-least+1) }

func pick[T any](random *rand.Rand, choices ...T) T { return choices[random.IntN(len(choices))] }

func ptr[T any](value T) *T { return &value }

func marshal(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings, numbers and booleans always marshal
	}
	return string(text)
}
