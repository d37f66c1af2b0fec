-- The gene's versions with their full texts, and the cards and orders that wait
-- for, or got, a person's answer.
CREATE TABLE versions (
  product        text        NOT NULL,
  agent          text        NOT NULL,
  version        integer     NOT NULL CHECK (version > 0),
  base_version   integer     NOT NULL,
  search         text        NOT NULL,
  steer          text        NOT NULL,
  constraints    jsonb       NOT NULL,
  origin         text        NOT NULL,
  summary        text        NOT NULL,
  minted_by      text        NOT NULL,
  card           text        NOT NULL,
  rolled_back_to integer     NOT NULL,
  at             timestamptz NOT NULL,
  seq            bigint      NOT NULL,
  score          jsonb,      -- of this version, written when the next was minted
  PRIMARY KEY (product, agent, version)
);

CREATE TABLE cards (
  product      text        NOT NULL,
  agent        text        NOT NULL,
  card         text        NOT NULL,
  seq          bigint      NOT NULL,
  rev          bigint      NOT NULL,
  state        text        NOT NULL CHECK (state IN ('pending', 'applied', 'rejected', 'expired')),
  base_version integer     NOT NULL,
  search       text,
  steer        text,
  constraints  jsonb,
  summary      text        NOT NULL,
  reason       text        NOT NULL,
  evidence     jsonb       NOT NULL,
  feedback     jsonb       NOT NULL,
  turn         text        NOT NULL,
  run          text        NOT NULL,
  proposed_by  text        NOT NULL,
  proposed_at  timestamptz NOT NULL,
  expires      timestamptz NOT NULL,
  closed_by    text        NOT NULL,
  closed_at    timestamptz,
  version      integer     NOT NULL,
  applied      text[]      NOT NULL,
  edited       boolean     NOT NULL,
  settled      text[]      NOT NULL,
  cause        text        NOT NULL,
  moved_to     integer     NOT NULL,
  why          text        NOT NULL,
  chips        text[]      NOT NULL,
  PRIMARY KEY (product, agent, card)
);

CREATE TABLE orders (
  product     text        NOT NULL,
  agent       text        NOT NULL,
  "order"     text        NOT NULL,
  seq         bigint      NOT NULL,
  rev         bigint      NOT NULL,
  state       text        NOT NULL CHECK (state IN ('pending', 'confirmed', 'declined', 'expired')),
  work        text        NOT NULL,
  request     jsonb       NOT NULL,
  turn        text        NOT NULL,
  proposed_by text        NOT NULL,
  proposed_at timestamptz NOT NULL,
  expires     timestamptz NOT NULL,
  closed_by   text        NOT NULL,
  closed_at   timestamptz,
  run         text        NOT NULL,
  why         text        NOT NULL,
  PRIMARY KEY (product, agent, "order")
);

-- Only for queries: made once the rows are there.
CREATE INDEX IF NOT EXISTS cards_seq ON cards (product, agent, seq);
CREATE INDEX IF NOT EXISTS cards_pending ON cards (expires) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS orders_seq ON orders (product, agent, seq);
CREATE INDEX IF NOT EXISTS orders_pending ON orders (expires) WHERE state = 'pending';
