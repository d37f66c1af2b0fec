-- The room: one row for each thing that people, the butler or the system left in
-- it, placed by the sequence of the event that made it. rev is the event that
-- changed the row last, so that a live view asks for what is new since then.
CREATE TABLE rows (
  product text        NOT NULL,
  agent   text        NOT NULL,
  seq     bigint      NOT NULL,
  rev     bigint      NOT NULL,
  side    text        NOT NULL CHECK (side IN ('left', 'right', 'centre')),
  type    text        NOT NULL,
  ref     text        NOT NULL,
  actor   text        NOT NULL,
  at      timestamptz NOT NULL,
  body    jsonb       NOT NULL,
  refs    jsonb       NOT NULL DEFAULT '[]',
  PRIMARY KEY (product, agent, seq)
);
CREATE INDEX rows_ref ON rows (product, agent, type, ref);

-- Cards as they are now; seq is that of card.proposed, row_seq the row that shows it
-- (NULL while its turn goes on).
CREATE TABLE cards (
  product text    NOT NULL,
  agent   text    NOT NULL,
  card    text    NOT NULL,
  seq     bigint  NOT NULL,
  row_seq bigint,
  turn    text    NOT NULL,
  state   text    NOT NULL CHECK (state IN ('pending', 'applied', 'rejected', 'expired')),
  body    jsonb   NOT NULL,
  PRIMARY KEY (product, agent, card)
);
CREATE INDEX cards_turn ON cards (product, agent, turn) WHERE turn <> '';

CREATE TABLE orders (
  product text    NOT NULL,
  agent   text    NOT NULL,
  "order" text    NOT NULL,
  seq     bigint  NOT NULL,
  row_seq bigint,
  turn    text    NOT NULL,
  state   text    NOT NULL CHECK (state IN ('pending', 'confirmed', 'declined', 'expired')),
  body    jsonb   NOT NULL,
  PRIMARY KEY (product, agent, "order")
);
CREATE INDEX orders_turn ON orders (product, agent, turn) WHERE turn <> '';

-- What a closing row must say of its run.
CREATE TABLE runs (
  product      text    NOT NULL,
  agent        text    NOT NULL,
  run          text    NOT NULL,
  work         text    NOT NULL,
  trigger      text    NOT NULL,
  gene_version integer NOT NULL,
  PRIMARY KEY (product, agent, run)
);

-- Bare likes, dislikes and downloads, and the grouped row that counts each.
CREATE TABLE clicks (
  product   text    NOT NULL,
  agent     text    NOT NULL,
  click     text    NOT NULL, -- the feedback or observation
  row_seq   bigint  NOT NULL,
  kind      text    NOT NULL CHECK (kind IN ('like', 'dislike', 'download')),
  object    text    NOT NULL,
  withdrawn boolean NOT NULL DEFAULT false,
  PRIMARY KEY (product, agent, click)
);
CREATE INDEX clicks_row ON clicks (product, agent, row_seq);

-- The row of each group: one person, one kind of object, ten minutes of the clock.
CREATE TABLE groups (
  product text   NOT NULL,
  agent   text   NOT NULL,
  person  text   NOT NULL,
  object  text   NOT NULL,
  bucket  bigint NOT NULL, -- event time in Unix seconds / 600
  row_seq bigint NOT NULL,
  PRIMARY KEY (product, agent, person, object, bucket)
);

-- Films that exist, so that a download of something else is refused.
CREATE TABLE films (
  product text NOT NULL,
  agent   text NOT NULL,
  film    text NOT NULL,
  PRIMARY KEY (product, agent, film)
);

-- The open attempt of each run and turn, and what was refused.
CREATE TABLE fences (
  product text    NOT NULL,
  agent   text    NOT NULL,
  subject text    NOT NULL,
  attempt integer NOT NULL,
  PRIMARY KEY (product, agent, subject)
);
CREATE TABLE refused (
  product text   NOT NULL,
  agent   text   NOT NULL,
  type    text   NOT NULL,
  reason  text   NOT NULL,
  count   bigint NOT NULL,
  last    bigint NOT NULL,
  PRIMARY KEY (product, agent, type, reason)
);

-- Only for queries: made once the rows are there.
CREATE INDEX IF NOT EXISTS rows_rev ON rows (product, agent, rev);
CREATE INDEX IF NOT EXISTS cards_row ON cards (product, agent, row_seq);
CREATE INDEX IF NOT EXISTS orders_row ON orders (product, agent, row_seq);
