-- What each gene version brought. Every number is a count of rows here, so that
-- it can be opened; the versions of runs and objects are kept because nothing is
-- read from other read models.
CREATE TABLE versions (
  product text        NOT NULL,
  agent   text        NOT NULL,
  version integer     NOT NULL,
  at      timestamptz NOT NULL,
  PRIMARY KEY (product, agent, version)
);

CREATE TABLE runs (
  product      text    NOT NULL,
  agent        text    NOT NULL,
  run          text    NOT NULL,
  gene_version integer NOT NULL,
  started      boolean NOT NULL DEFAULT false,
  PRIMARY KEY (product, agent, run)
);

-- What every attempt cost: the larger of the sum of its rounds and what its end
-- says, since a render costs without rounds and a lost attempt has no end.
CREATE TABLE rounds (
  product text    NOT NULL,
  agent   text    NOT NULL,
  run     text    NOT NULL,
  attempt integer NOT NULL,
  round   integer NOT NULL,
  cost    bigint  NOT NULL,
  PRIMARY KEY (product, agent, run, attempt, round)
);
CREATE TABLE ends (
  product text    NOT NULL,
  agent   text    NOT NULL,
  run     text    NOT NULL,
  attempt integer NOT NULL,
  cost    bigint  NOT NULL,
  PRIMARY KEY (product, agent, run, attempt)
);

-- gene_version is that of the run that found it; viewed and ignored say whether
-- it was observed at least once.
CREATE TABLE materials (
  product      text    NOT NULL,
  agent        text    NOT NULL,
  material     text    NOT NULL,
  gene_version integer NOT NULL,
  source       text    NOT NULL,
  external     text    NOT NULL,
  viewed       boolean NOT NULL DEFAULT false,
  ignored      boolean NOT NULL DEFAULT false,
  PRIMARY KEY (product, agent, material)
);
CREATE UNIQUE INDEX materials_external ON materials (product, agent, source, md5(external)) WHERE external <> '';

-- People's own videos, which boards may use without adopting anything.
CREATE TABLE assets (
  product text NOT NULL,
  agent   text NOT NULL,
  asset   text NOT NULL,
  PRIMARY KEY (product, agent, asset)
);

CREATE TABLE boards (
  product      text    NOT NULL,
  agent        text    NOT NULL,
  board        text    NOT NULL,
  gene_version integer NOT NULL,
  rev          bigint  NOT NULL, -- the event that wrote it last
  PRIMARY KEY (product, agent, board)
);

CREATE TABLE cites (
  product  text NOT NULL,
  agent    text NOT NULL,
  board    text NOT NULL,
  material text NOT NULL,
  PRIMARY KEY (product, agent, board, material)
);

-- gene_version is that of the run that made the film, whatever its board's is.
CREATE TABLE films (
  product      text    NOT NULL,
  agent        text    NOT NULL,
  film         text    NOT NULL,
  board        text    NOT NULL,
  gene_version integer NOT NULL,
  downloaded   boolean NOT NULL DEFAULT false,
  PRIMARY KEY (product, agent, film)
);

-- Standing likes and dislikes of objects that exist.
CREATE TABLE reactions (
  product      text    NOT NULL,
  agent        text    NOT NULL,
  feedback     text    NOT NULL,
  object_type  text    NOT NULL,
  object       text    NOT NULL,
  verdict      text    NOT NULL CHECK (verdict IN ('like', 'dislike')),
  gene_version integer NOT NULL,
  PRIMARY KEY (product, agent, feedback)
);

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
CREATE INDEX IF NOT EXISTS materials_version ON materials (product, agent, gene_version);
CREATE INDEX IF NOT EXISTS cites_material ON cites (product, agent, material);
CREATE INDEX IF NOT EXISTS reactions_object ON reactions (product, agent, object_type, object);
