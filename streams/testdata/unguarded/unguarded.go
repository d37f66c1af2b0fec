// Package unguarded must not compile: it appends a decision without a guard.
package unguarded

import (
	"context"

	"sozai/domain"
	"sozai/domain/gene"
	"sozai/streams"
)

func forge(ctx context.Context, log *streams.Log, key domain.Key, cmd streams.Command) error {
	_, err := log.Record(ctx, key, cmd, gene.Minted{Version: 9})
	return err
}
