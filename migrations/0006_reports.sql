-- What outside analysers said about a file, beside what was measured in it here.
-- One row a file, analyser and set of rules, whoever asked; bounded, and apart from
-- the log: the event carries what a reader needs.
-- +goose Up
CREATE TABLE catalogue.reports (
    hash     text        NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
    analyser text        NOT NULL CHECK (analyser <> ''),
    ruleset  integer     NOT NULL,
    state    text        NOT NULL CHECK (state IN ('done', 'failed')),
    source   text        NOT NULL DEFAULT '', -- who judged, as the analyser says
    digest   jsonb,      -- library.Digest, only of what the analyser said
    report   text        NOT NULL DEFAULT '', -- the full text: quoted data
    reason   text        NOT NULL DEFAULT '', -- why there is none
    final    boolean     NOT NULL DEFAULT false, -- and never will be
    tries    integer     NOT NULL DEFAULT 1,
    run      text        NOT NULL DEFAULT '', -- that it was made for
    cost     bigint      NOT NULL DEFAULT 0 CHECK (cost >= 0), -- micro-yuan
    made     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (hash, analyser, ruleset),
    CHECK ((state = 'done') = (digest IS NOT NULL))
);
CREATE INDEX reports_run ON catalogue.reports (run) WHERE run <> '';
