-- +goose Up
-- Where the read models are: which generation serves, and up to which event of
-- which stream its rows are true. The tables of the read models themselves are
-- made by the projections (see the folder projections/), a schema a generation.
CREATE SCHEMA control;

-- One row a projection and version: a binary serves only the version that it was
-- compiled for. The row is locked by whoever applies, so two runners never both do.
CREATE TABLE control.projections (
  projection text        NOT NULL,
  version    integer     NOT NULL CHECK (version > 0),
  generation integer     NOT NULL CHECK (generation > 0),
  ready      boolean     NOT NULL DEFAULT false, -- has caught up once: may be read
  stream     text        NOT NULL,               -- stream identity: name and creation time
  created    timestamptz NOT NULL,
  seq        bigint      NOT NULL DEFAULT 0 CHECK (seq >= 0),
  event_id   text        NOT NULL DEFAULT '',    -- the event at seq
  status     text        NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'diverged', 'failed')),
  error      text        NOT NULL DEFAULT '',
  updated_at timestamptz NOT NULL DEFAULT now(),
  seen_at    timestamptz NOT NULL DEFAULT now(), -- last sign of a runner of this version
  PRIMARY KEY (projection, version)
);

-- Generations being built beside the serving one, with positions of their own, so
-- that an interrupted rebuild goes on. Scratch ones are thrown away after a check.
CREATE TABLE control.builds (
  projection text        NOT NULL,
  version    integer     NOT NULL,
  generation integer     NOT NULL,
  purpose    text        NOT NULL CHECK (purpose IN ('rebuild', 'verify')),
  stream     text        NOT NULL,
  created    timestamptz NOT NULL,
  seq        bigint      NOT NULL DEFAULT 0,
  event_id   text        NOT NULL DEFAULT '',
  started_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (projection, generation)
);

-- Generations that serve no more; dropped after a grace, so that readers that
-- resolved the pointer just before finish in peace.
CREATE TABLE control.retired (
  projection text        NOT NULL,
  generation integer     NOT NULL,
  retired_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (projection, generation)
);

-- The last generation number given out.
CREATE TABLE control.numbers (
  projection text    PRIMARY KEY,
  generation integer NOT NULL
);

-- Events that wait because their agent is parked in a projection: first the one
-- that could not be applied (error), then its followers in order.
CREATE TABLE control.parked (
  projection text        NOT NULL,
  generation integer     NOT NULL,
  product    text        NOT NULL,
  agent      text        NOT NULL,
  seq        bigint      NOT NULL,
  event_id   text        NOT NULL,
  type       text        NOT NULL,
  error      text        NOT NULL DEFAULT '',
  at         timestamptz NOT NULL,
  PRIMARY KEY (projection, generation, product, agent, seq)
);
