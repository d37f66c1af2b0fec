-- People's reactions and whether a card settled them, with what decides when the
-- next digest is due.
CREATE TABLE items (
  product      text             NOT NULL,
  agent        text             NOT NULL,
  feedback     text             NOT NULL,
  seq          bigint           NOT NULL,
  state        text             NOT NULL CHECK (state IN ('open', 'settled', 'withdrawn')),
  object_type  text             NOT NULL,
  object       text             NOT NULL,
  panel        integer          NOT NULL,
  from_s       double precision NOT NULL,
  to_s         double precision NOT NULL,
  verdict      text             NOT NULL,
  words        text             NOT NULL,
  person       text             NOT NULL,
  written_by   text             NOT NULL,
  turn         text             NOT NULL,
  document     text             NOT NULL,
  at           timestamptz      NOT NULL,
  settled_by   text             NOT NULL DEFAULT '',
  settled_in   integer          NOT NULL DEFAULT 0,
  settled_at   timestamptz,
  withdrawn_at timestamptz,
  PRIMARY KEY (product, agent, feedback)
);

-- One row an agent: last speech, and the last digest that ran to its end.
CREATE TABLE rooms (
  product     text        NOT NULL,
  agent       text        NOT NULL,
  last_spoke  timestamptz,
  last_digest bigint      NOT NULL DEFAULT 0, -- sequence of its first start
  PRIMARY KEY (product, agent)
);

CREATE TABLE digests (
  product text    NOT NULL,
  agent   text    NOT NULL,
  run     text    NOT NULL,
  started bigint  NOT NULL DEFAULT 0,
  open    boolean NOT NULL DEFAULT true,
  PRIMARY KEY (product, agent, run)
);

-- Pending cards that a digest proposed.
CREATE TABLE waiting (
  product text NOT NULL,
  agent   text NOT NULL,
  card    text NOT NULL,
  PRIMARY KEY (product, agent, card)
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
CREATE INDEX IF NOT EXISTS items_seq ON items (product, agent, seq);
CREATE INDEX IF NOT EXISTS items_object ON items (product, agent, object_type, object);
CREATE INDEX IF NOT EXISTS items_open ON items (product, agent, seq) WHERE state = 'open';
