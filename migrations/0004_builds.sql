-- +goose Up
-- How builds come along, for those who watch them, and the way to stop one. It
-- stands beside control.builds, whose row is locked while a chunk is applied.
CREATE TABLE control.progress (
  projection text             NOT NULL,
  generation integer          NOT NULL,
  target     bigint           NOT NULL DEFAULT 0, -- the sequence it works towards
  rate       double precision NOT NULL DEFAULT 0, -- events a second of the process at it
  process    text             NOT NULL DEFAULT '',
  updated_at timestamptz      NOT NULL DEFAULT now(),
  error      text             NOT NULL DEFAULT '', -- why it stopped
  cancelled  boolean          NOT NULL DEFAULT false,
  PRIMARY KEY (projection, generation),
  FOREIGN KEY (projection, generation) REFERENCES control.builds ON DELETE CASCADE
);

-- Read models as they were after a sequence: all agents (at), or one (asof).
ALTER TABLE control.builds DROP CONSTRAINT builds_purpose_check;
ALTER TABLE control.builds ADD CONSTRAINT builds_purpose_check
  CHECK (purpose IN ('rebuild', 'verify', 'at', 'asof'));
ALTER TABLE control.builds ADD COLUMN upto bigint NOT NULL DEFAULT 0; -- 0: the log's end

-- Finished ones, in schemas <projection>_at_<seq>; they stay until they are dropped.
CREATE TABLE control.pasts (
  projection text        NOT NULL,
  seq        bigint      NOT NULL,
  version    integer     NOT NULL,
  stream     text        NOT NULL,
  created    timestamptz NOT NULL,
  made_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (projection, seq)
);
