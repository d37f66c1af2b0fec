package web

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"sozai/domain"
)

// MaxLinkLife is how long a signed link may be good for.
const MaxLinkLife = time.Hour

// MediaLinks signs and checks links to stored videos for outside workers, who
// have no account. All processes of a deployment share the key.
type MediaLinks struct {
	base string // how an outside worker reaches us
	key  []byte
}

// OpenMediaLinks reads the deployment's key, or makes it. base is the server's
// public address; empty: links are checked but cannot be made.
func OpenMediaLinks(ctx context.Context, pool *pgxpool.Pool, base string) (*MediaLinks, error) {
	fresh := make([]byte, sha256.Size)
	_, _ = rand.Read(fresh) // never fails
	l := &MediaLinks{base: strings.TrimRight(base, "/")}
	err := pool.QueryRow(ctx, `
		WITH made AS (
			INSERT INTO effects.keys (name, key) VALUES ('media', $1) ON CONFLICT (name) DO NOTHING RETURNING key
		)
		SELECT key FROM made UNION ALL SELECT key FROM effects.keys WHERE name = 'media' LIMIT 1`, fresh).Scan(&l.key)
	if err != nil {
		return nil, fmt.Errorf("key of media links: %w", err)
	}
	return l, nil
}

// Sign is a link to the video with a hash that is good for ttl, at most
// MaxLinkLife. domain.Unavailable says that nobody outside can reach us.
func (l *MediaLinks) Sign(hash string, ttl time.Duration) (string, error) {
	switch {
	case l.base == "":
		return "", domain.Rule(domain.Unavailable, "no_public_url", "outside workers cannot reach this server: it has no public URL")
	case !isHash(hash):
		return "", domain.Errorf(domain.Invalid, "%q is no hash", hash)
	case ttl <= 0 || ttl > MaxLinkLife:
		return "", domain.Errorf(domain.Invalid, "a link is good for at most %s", MaxLinkLife)
	}
	until := strconv.FormatInt(time.Now().Add(ttl).Unix(), 10)
	sig := base64.RawURLEncoding.EncodeToString(l.mac(hash, until))
	return l.base + "/api/media/" + hash + "?" + url.Values{"until": {until}, "sig": {sig}}.Encode(), nil
}

func (l *MediaLinks) mac(file, until string) []byte {
	h := hmac.New(sha256.New, l.key)
	h.Write([]byte("media\n" + file + "\n" + until))
	return h.Sum(nil)
}

// good tells whether a link is ours and not over. How long it takes says nothing
// about the signature.
func (l *MediaLinks) good(file, until, sig string, now time.Time) bool {
	given, encoding := base64.RawURLEncoding.Strict().DecodeString(sig)
	ours := hmac.Equal(given, l.mac(file, until))
	end, number := strconv.ParseInt(until, 10, 64)
	left := end - now.Unix()
	return ours && encoding == nil && number == nil && left >= 0 && left <= int64(MaxLinkLife/time.Second)
}

// bySignature tells whether a request comes with a link of ours instead of a
// sign-in. One that is not ours or over is told what a stranger is told.
func (s *Server) bySignature(c *fiber.Ctx) (bool, error) {
	sig := c.Query("sig")
	if sig == "" {
		return false, nil
	}
	if s.deps.Links == nil || !s.deps.Links.good(c.Params("file"), c.Query("until"), sig, time.Now()) {
		return false, errNoMedia
	}
	return true, nil
}
