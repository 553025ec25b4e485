package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const callTimeout = 30 * time.Second

// queue is one queue of the table, with the statements of the Go router's Postgres backend.
type queue struct {
	pool       *pgxpool.Pool
	name       string
	visibility int64 // seconds
}

func open(ctx context.Context, uri, name string, visibility int64) (*queue, error) {
	if uri == "" || name == "" {
		return nil, errors.New("-uri and -queue must be given")
	}
	pool, err := pgxpool.New(ctx, uri)
	if err != nil {
		return nil, fmt.Errorf("open the pool: %w", err)
	}
	return &queue{pool: pool, name: name, visibility: visibility}, nil
}

// UNNEST zips the arrays; all rows of a batch have one instant.
const insertSQL = `
INSERT INTO queue_messages (id, queue_name, message_group_id, payload, visible_at, created_at)
SELECT r.id, r.queue, r.grp, r.payload, $5::bigint, $5::bigint
FROM UNNEST($1::text[], $2::text[], $3::text[], $4::text[]) AS r (id, queue, grp, payload)
ON CONFLICT (queue_name, id) DO NOTHING`

// insertBatch publishes; an id that is in the queue is left alone.
func (q *queue) insertBatch(ctx context.Context, messages []Message) error {
	var ids, queues, payloads []string
	var groups []*string
	for _, m := range messages {
		payload, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("marshal %q: %w", m.ID, err)
		}
		ids = append(ids, m.ID)
		queues = append(queues, q.name)
		groups = append(groups, m.MessageGroupID)
		payloads = append(payloads, string(payload))
	}
	_, err := q.exec(ctx, insertSQL, ids, queues, groups, payloads, time.Now().Unix())
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

// poll claims up to most messages by this host's clock.
func (q *queue) poll(ctx context.Context, most int) ([]claimed, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	return claimRows(ctx, q.pool, q.name, time.Now().Unix(), most, q.visibility)
}

// ack deletes the row that the claim holds, and says whether it held one.
func (q *queue) ack(ctx context.Context, receipt string) (bool, error) {
	n, err := q.exec(ctx,
		`DELETE FROM queue_messages WHERE queue_name = $1 AND receipt_handle = $2`,
		q.name, receipt)
	if err != nil {
		return false, fmt.Errorf("ack: %w", err)
	}
	return n == 1, nil
}

// handBack is what Nack and Defer do to the table; it says whether the claim held a row.
func (q *queue) handBack(ctx context.Context, receipt string, delay int64) (bool, error) {
	n, err := q.exec(ctx,
		`UPDATE queue_messages SET receipt_handle = NULL, visible_at = $3
		 WHERE queue_name = $1 AND receipt_handle = $2`,
		q.name, receipt, time.Now().Unix()+delay)
	if err != nil {
		return false, fmt.Errorf("hand back: %w", err)
	}
	return n == 1, nil
}

// exec ends a statement that has begun even when the program is told to stop: what it did is known.
func (q *queue) exec(ctx context.Context, sql string, args ...any) (int64, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	tag, err := q.pool.Exec(ctx, sql, args...)
	return tag.RowsAffected(), err
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// pollID makes the first part of the receipts of one poll.
func pollID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
