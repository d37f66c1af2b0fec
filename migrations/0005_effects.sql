-- Effects outside (paid searches, analyses, renders) are keyed by what they are
-- for, so that a second attempt neither pays nor does them twice. Plain rows, not
-- events: they must be written whatever the state of a run's fence.
-- +goose Up
CREATE SCHEMA effects;

-- Whoever does a call holds an advisory lock on its key meanwhile; a call that is
-- intended without the lock is one whose process died in it.
CREATE TABLE effects.calls (
    key         text        PRIMARY KEY CHECK (key <> ''),
    kind        text        NOT NULL CHECK (kind <> ''),
    product     text        NOT NULL,
    agent       text        NOT NULL,
    run         text        NOT NULL,
    attempt     integer     NOT NULL,
    paid        boolean     NOT NULL,
    state       text        NOT NULL CHECK (state IN ('intended', 'done', 'failed', 'unknown')),
    answer      bytea,      -- as it came: it may hold what jsonb refuses
    cost        bigint      NOT NULL DEFAULT 0 CHECK (cost >= 0), -- micro-yuan
    error       text        NOT NULL DEFAULT '', -- why it failed, or is unknown
    intended_at timestamptz NOT NULL,
    ended_at    timestamptz,
    worker      text        NOT NULL,
    CHECK ((state = 'done') = (answer IS NOT NULL))
);
-- What a person has to look at.
CREATE INDEX calls_open ON effects.calls (intended_at) WHERE state IN ('intended', 'unknown');

-- How each outside service does, as the processes that call it report. Sums count
-- from the first report on.
CREATE TABLE effects.sources (
    name          text        PRIMARY KEY CHECK (name <> ''),
    kind          text        NOT NULL DEFAULT '',
    state         text        NOT NULL,
    since         timestamptz NOT NULL,
    last_ok       timestamptz,
    last_error    text        NOT NULL DEFAULT '',
    last_error_at timestamptz,
    calls         bigint      NOT NULL DEFAULT 0,
    failures      bigint      NOT NULL DEFAULT 0,
    cost          bigint      NOT NULL DEFAULT 0, -- micro-yuan
    until         timestamptz -- when a limited or open source is asked again
);

-- Secrets that all processes of a deployment share and nobody else sees, such as
-- the one that signs links to media for outside workers.
CREATE TABLE effects.keys (
    name    text        PRIMARY KEY CHECK (name <> ''),
    key     bytea       NOT NULL CHECK (octet_length(key) = 32),
    made_at timestamptz NOT NULL DEFAULT now()
);
