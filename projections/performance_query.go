package projections

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"sozai/domain"
	"sozai/domain/gene"
)

// Scores compares with a baseline version; 0 means the version before the
// current one.
func (s *Store) Scores(ctx context.Context, key domain.Key, baseline int) (Scores, error) {
	out := Scores{MinN: MinSample, Baseline: baseline}
	err := s.read(ctx, Performance, func(q query) (err error) {
		out.AsOf = q.seq
		out.Versions, err = versionScores(ctx, q, key)
		return err
	})
	if err != nil {
		return out, err
	}
	current := 0
	for _, v := range out.Versions {
		current = max(current, v.Version)
	}
	for i := range out.Versions {
		v := &out.Versions[i]
		v.Current = v.Version == current && current > 0
		if baseline == 0 && v.Version < current {
			out.Baseline = max(out.Baseline, v.Version)
		}
	}
	at := slices.IndexFunc(out.Versions, func(v VersionScore) bool { return v.Version == out.Baseline && v.Version > 0 })
	if at < 0 {
		if baseline != 0 {
			return out, domain.Errorf(domain.NotFound, "there is no gene version %d to compare with", baseline)
		}
		return out, nil
	}
	for i, v := range out.Versions {
		if i == at || v.Version == 0 {
			continue
		}
		for j := range v.Rates {
			v.Rates[j].Verdict = judge(v.Rates[j], out.Versions[at].Rates[j])
		}
	}
	return out, nil
}

// Snapshot is a version's score for the event that mints the next.
func (s *Store) Snapshot(ctx context.Context, key domain.Key, version int) (gene.Score, error) {
	score := gene.Score{Version: version}
	err := s.read(ctx, Performance, func(q query) error {
		score.AsOf = q.seq
		lines, err := versionScores(ctx, q, key)
		for _, v := range lines {
			if v.Version == version {
				score = v.Score
			}
		}
		return err
	})
	return score, err
}

// versionScores reads every version's line. An object is shown if it was viewed
// or passed at least once; numerators of "of shown" count only what was shown, so
// no rate exceeds 1. A board counts as filmed for the version of its film, and
// then stands in that version's denominator too.
func versionScores(ctx context.Context, q query, key domain.Key) ([]VersionScore, error) {
	return collect(ctx, q, func(row pgx.CollectableRow) (VersionScore, error) {
		var v VersionScore
		var cost int64
		var adopted, liked, disliked, boards int
		var minted *time.Time
		err := row.Scan(&v.Version, &minted, &v.Found, &v.Shown, &v.Ignored, &v.Adopted, &adopted, &liked, &disliked,
			&v.Boards, &boards, &v.Filmed, &v.Films, &v.Downloaded, &v.Likes, &v.Dislikes, &v.Runs, &cost)
		v.Minted, v.AsOf, v.CostYuan = utc(minted), q.seq, domain.Money(cost).Yuan()
		v.Rates = []Rate{
			newRate(RateAdopted, adopted, v.Shown),
			newRate(RateIgnored, v.Ignored, v.Shown),
			newRate(RateLiked, liked, v.Shown),
			newRate(RateDisliked, disliked, v.Shown),
			newRate(RateFilmed, v.Filmed, boards),
			newRate(RateDownloaded, v.Downloaded, v.Films),
		}
		return v, err
	}, `
		WITH m AS (
			SELECT m.gene_version AS version, viewed OR ignored AS shown, ignored,
				EXISTS (SELECT 1 FROM {s}.cites c WHERE c.product = $1 AND c.agent = $2 AND c.material = m.material) AS adopted,
				EXISTS (SELECT 1 FROM {s}.reactions r WHERE r.product = $1 AND r.agent = $2 AND r.object_type = 'material'
					AND r.object = m.material AND r.verdict = 'like') AS liked,
				EXISTS (SELECT 1 FROM {s}.reactions r WHERE r.product = $1 AND r.agent = $2 AND r.object_type = 'material'
					AND r.object = m.material AND r.verdict = 'dislike') AS disliked
			FROM {s}.materials m WHERE m.product = $1 AND m.agent = $2),
		materials AS (
			SELECT version, count(*) AS found, count(*) FILTER (WHERE shown) AS shown, count(*) FILTER (WHERE ignored) AS ignored,
				count(*) FILTER (WHERE adopted) AS adopted, count(*) FILTER (WHERE adopted AND shown) AS adopted_shown,
				count(*) FILTER (WHERE liked AND shown) AS liked, count(*) FILTER (WHERE disliked AND shown) AS disliked
			FROM m GROUP BY version),
		filmed AS (
			SELECT DISTINCT gene_version AS version, board FROM {s}.films WHERE product = $1 AND agent = $2 AND board <> ''),
		made AS (
			SELECT gene_version AS version, board FROM {s}.boards WHERE product = $1 AND agent = $2),
		boards AS (
			SELECT version, count(DISTINCT board) AS all_boards FROM (SELECT * FROM made UNION SELECT * FROM filmed) b GROUP BY version),
		films AS (
			SELECT gene_version AS version, count(*) AS films, count(*) FILTER (WHERE downloaded) AS downloaded
			FROM {s}.films WHERE product = $1 AND agent = $2 GROUP BY 1),
		reactions AS (
			SELECT gene_version AS version, count(*) FILTER (WHERE verdict = 'like') AS likes,
				count(*) FILTER (WHERE verdict = 'dislike') AS dislikes
			FROM {s}.reactions WHERE product = $1 AND agent = $2 GROUP BY 1),
		spent AS (
			SELECT run, sum(greatest(rounds, ended)) AS cost FROM (
				SELECT run, attempt, sum(rounds) AS rounds, sum(ended) AS ended FROM (
					SELECT run, attempt, cost AS rounds, 0 AS ended FROM {s}.rounds WHERE product = $1 AND agent = $2
					UNION ALL SELECT run, attempt, 0, cost FROM {s}.ends WHERE product = $1 AND agent = $2) c
				GROUP BY run, attempt) a GROUP BY run),
		runs AS (
			SELECT gene_version AS version, count(*) FILTER (WHERE started) AS runs, coalesce(sum(cost), 0)::bigint AS cost
			FROM {s}.runs r LEFT JOIN spent USING (run) WHERE product = $1 AND agent = $2 GROUP BY 1),
		known AS (
			SELECT version FROM {s}.versions WHERE product = $1 AND agent = $2
			UNION SELECT version FROM materials UNION SELECT version FROM boards UNION SELECT version FROM films
			UNION SELECT version FROM reactions UNION SELECT version FROM runs WHERE runs > 0 OR cost > 0 OR version > 0)
		SELECT k.version, v.at, coalesce(found, 0)::int, coalesce(shown, 0)::int, coalesce(ignored, 0)::int,
			coalesce(adopted, 0)::int, coalesce(adopted_shown, 0)::int, coalesce(liked, 0)::int, coalesce(disliked, 0)::int,
			(SELECT count(*)::int FROM made WHERE made.version = k.version), coalesce(all_boards, 0)::int,
			(SELECT count(*)::int FROM filmed WHERE filmed.version = k.version), coalesce(films, 0)::int, coalesce(downloaded, 0)::int,
			coalesce(likes, 0)::int, coalesce(dislikes, 0)::int, coalesce(runs, 0)::int, coalesce(cost, 0)::bigint
		FROM known k
		LEFT JOIN {s}.versions v ON v.product = $1 AND v.agent = $2 AND v.version = k.version
		LEFT JOIN materials ON materials.version = k.version
		LEFT JOIN boards ON boards.version = k.version
		LEFT JOIN films ON films.version = k.version
		LEFT JOIN reactions ON reactions.version = k.version
		LEFT JOIN runs ON runs.version = k.version
		ORDER BY k.version = 0, k.version DESC`, key.Product, key.Agent)
}

// ScoreRows lists the objects behind one number of a version, as many as the
// number says: found, shown, ignored, adopted, boards, filmed, films, downloaded,
// likes, dislikes (the object of each reaction), runs.
func (s *Store) ScoreRows(ctx context.Context, key domain.Key, version int, metric string) ([]domain.Ref, error) {
	sql, err := scoreRows(metric)
	if err != nil {
		return nil, err
	}
	var out []domain.Ref
	err = s.read(ctx, Performance, func(q query) (err error) {
		out, err = collect(ctx, q, func(row pgx.CollectableRow) (domain.Ref, error) {
			var r domain.Ref
			err := row.Scan(&r.Type, &r.ID)
			return r, err
		}, sql, key.Product, key.Agent, version)
		return err
	})
	return out, err
}

func scoreRows(metric string) (string, error) {
	material := `SELECT 'material', material FROM {s}.materials m WHERE product = $1 AND agent = $2 AND gene_version = $3`
	film := `SELECT 'film', film FROM {s}.films WHERE product = $1 AND agent = $2 AND gene_version = $3`
	reaction := `SELECT object_type, object FROM {s}.reactions WHERE product = $1 AND agent = $2 AND gene_version = $3`
	switch metric {
	case "found":
		return material + ` ORDER BY 2`, nil
	case "shown":
		return material + ` AND (viewed OR ignored) ORDER BY 2`, nil
	case "ignored":
		return material + ` AND ignored ORDER BY 2`, nil
	case "adopted":
		return material + ` AND EXISTS (SELECT 1 FROM {s}.cites c
			WHERE c.product = m.product AND c.agent = m.agent AND c.material = m.material) ORDER BY 2`, nil
	case "boards":
		return `SELECT 'board', board FROM {s}.boards WHERE product = $1 AND agent = $2 AND gene_version = $3 ORDER BY 2`, nil
	case "filmed":
		return `SELECT DISTINCT 'board', board FROM {s}.films
			WHERE product = $1 AND agent = $2 AND gene_version = $3 AND board <> '' ORDER BY 2`, nil
	case "films":
		return film + ` ORDER BY 2`, nil
	case "downloaded":
		return film + ` AND downloaded ORDER BY 2`, nil
	case "likes":
		return reaction + ` AND verdict = 'like' ORDER BY feedback`, nil
	case "dislikes":
		return reaction + ` AND verdict = 'dislike' ORDER BY feedback`, nil
	case "runs":
		return `SELECT 'run', run FROM {s}.runs WHERE product = $1 AND agent = $2 AND gene_version = $3 AND started ORDER BY 2`, nil
	}
	return "", domain.Errorf(domain.Invalid, "%q is not a number of the performance table", metric)
}
