package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
)

// A row goes when it is visible and no earlier one of its group is visible, or delayed. The receive
// count of an old row that has none stays NULL, as with the Go router.
const claimSQL = `
WITH heads AS (
  SELECT m.id
  FROM queue_messages m
  WHERE m.queue_name = $1
    AND m.visible_at <= $2
    AND NOT EXISTS (
      SELECT FROM queue_messages e
      WHERE e.queue_name = m.queue_name
        AND COALESCE(e.message_group_id, e.id) = COALESCE(m.message_group_id, m.id)
        AND (e.created_at < m.created_at OR (e.created_at = m.created_at AND e.id < m.id))
        AND e.visible_at <= $2)
    AND NOT EXISTS (
      SELECT FROM queue_messages e
      WHERE e.queue_name = m.queue_name
        AND COALESCE(e.message_group_id, e.id) = COALESCE(m.message_group_id, m.id)
        AND (e.created_at < m.created_at OR (e.created_at = m.created_at AND e.id < m.id))
        AND e.receipt_handle IS NULL AND e.visible_at > $2)
  ORDER BY m.created_at, m.id
  LIMIT $3
  FOR UPDATE SKIP LOCKED
)
UPDATE queue_messages t
SET receipt_handle = $4::text || ':' || t.id,
  visible_at = $5,
  receive_count = t.receive_count + 1
FROM heads
WHERE t.queue_name = $1 AND t.id = heads.id
RETURNING t.id, t.message_group_id, t.receipt_handle, t.created_at, t.visible_at,
  t.receive_count, t.payload`

// claimed is a row as a poll has left it.
type claimed struct {
	ID        string  `json:"id"`
	Group     *string `json:"group"`
	Receipt   string  `json:"receipt"`
	CreatedAt int64   `json:"createdAt"`
	VisibleAt int64   `json:"visibleAt"`
	Receives  *int    `json:"receives"`
	Payload   string  `json:"payload"`
}

func claimRows(
	ctx context.Context, db querier, queue string, now int64, most int, visibility int64,
) ([]claimed, error) {
	rows, err := db.Query(ctx, claimSQL, queue, now, most, pollID(), now+visibility)
	if err != nil {
		return nil, fmt.Errorf("poll: %w", err)
	}
	claims, err := pgx.CollectRows(rows, pgx.RowToStructByPos[claimed])
	if err != nil {
		return nil, fmt.Errorf("poll: %w", err)
	}
	return claims, nil
}

type claimRequest struct {
	Queue      string `json:"queue"`
	Now        int64  `json:"now"` // unix seconds
	Max        int    `json:"max"`
	Visibility int64  `json:"visibility"` // seconds
}

type claimAnswer struct {
	Claims []claimed `json:"claims"`
}

// claim reads requests, one a line, and answers each with what the poll would claim now. It leaves
// the table as it was, and the locks of its poll are gone when it answers.
func claim(ctx context.Context, args []string, in io.Reader, out *bufio.Writer) error {
	flags := flag.NewFlagSet("claim", flag.ContinueOnError)
	uri := flags.String("uri", "", "the database, as in `postgres://user@host/db`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	db, err := pgx.Connect(ctx, *uri)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer db.Close(context.WithoutCancel(ctx))

	answers := json.NewEncoder(out)
	for requests := json.NewDecoder(in); ; {
		var r claimRequest
		switch err := requests.Decode(&r); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read a request: %w", err)
		}
		claims, err := wouldClaim(ctx, db, r)
		if err != nil {
			return err
		}
		if err := answers.Encode(claimAnswer{claims}); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
}

func wouldClaim(ctx context.Context, db *pgx.Conn, r claimRequest) ([]claimed, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	tx, err := db.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	claims, err := claimRows(ctx, tx, r.Queue, r.Now, r.Max, r.Visibility)
	if err := errors.Join(err, tx.Rollback(ctx)); err != nil {
		return nil, err
	}
	return claims, nil
}
