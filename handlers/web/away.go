package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgconn"

	"sozai/domain"
)

// errDatabaseAway: the tables cannot be reached for the moment.
var errDatabaseAway = domain.Rule(domain.Unavailable, "database_unavailable",
	"the database does not answer; nothing is known to have changed, and it is safe to repeat the request with the same key")

// away gives errors of a database that is away or restarting their name, and of a
// server that is going down, so that clients repeat instead of giving up.
func (s *Server) away(c *fiber.Ctx, err error) error {
	var named *domain.Error
	if errors.As(err, &named) {
		return err
	}
	if s.ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return errBusy
	}
	if !isAway(err) {
		return err
	}
	s.deps.Logger.LogAttrs(c.UserContext(), slog.LevelWarn, "the database is away",
		slog.String("method", c.Method()), slog.String("route", c.Route().Path), slog.Any("error", err))
	return errDatabaseAway
}

func isAway(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		switch refused.Code[:2] {
		case "08", "53": // connection lost; no memory, disk or connections left
			return true
		case "57": // shutting down or starting up, but not a query that was cancelled
			return refused.Code != "57014"
		}
		return false
	}
	var connect *pgconn.ConnectError
	var broken *net.OpError
	return errors.As(err, &connect) || errors.As(err, &broken) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed)
}
