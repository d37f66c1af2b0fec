-- The local supply of importable videos. These are plain rows, not events: an
-- entry enters the log when a search saves it as a material.
-- +goose Up
CREATE SCHEMA catalogue;

-- One row: which database this is, so that a search index kept on disk beside
-- another database is recognised and rebuilt.
CREATE TABLE catalogue.origin (
    "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"),
    id   uuid    NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO catalogue.origin DEFAULT VALUES;

-- Numbers changes of entries. It is drawn under an advisory lock, so numbers
-- become visible in order and a reader that remembers the last one misses none.
CREATE SEQUENCE catalogue.changes;

CREATE TABLE catalogue.entries (
    id        text        PRIMARY KEY CHECK (length(id) = 26),
    product   text        NOT NULL CHECK (product <> ''),
    external  text        NOT NULL CHECK (external <> ''),
    title     text        NOT NULL,
    author    text        NOT NULL DEFAULT '',
    platform  text        NOT NULL DEFAULT '',
    url       text        NOT NULL DEFAULT '',
    tags      text[]      NOT NULL DEFAULT '{}',
    plays     bigint      NOT NULL DEFAULT 0 CHECK (plays >= 0),
    likes     bigint      NOT NULL DEFAULT 0 CHECK (likes >= 0),
    shares    bigint      NOT NULL DEFAULT 0 CHECK (shares >= 0),
    comments  bigint      NOT NULL DEFAULT 0 CHECK (comments >= 0),
    published timestamptz,
    file      text        NOT NULL DEFAULT '', -- the name it came with: quoted data, never a path
    hash      text        CHECK (hash ~ '^[0-9a-f]{64}$'), -- NULL: there is no media
    media     jsonb       NOT NULL DEFAULT '{}', -- library.Media; without a hash: as claimed
    imported  timestamptz NOT NULL DEFAULT now(),
    change    bigint      NOT NULL UNIQUE,
    UNIQUE (product, external),
    UNIQUE (product, hash)
);

-- What was measured in a file, once for each set of rules; digests follow from
-- it and the entry's words. Old rules stay, so that old digests can be told apart.
CREATE TABLE catalogue.measurements (
    hash     text        NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
    analyser text        NOT NULL,
    ruleset  integer     NOT NULL,
    metrics  jsonb       NOT NULL,
    measured timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (hash, analyser, ruleset)
);
