-- Who may sign in and to which products they belong. Plain tables, not events:
-- passwords, sessions and tokens must be changeable and deletable. Secrets
-- (sessions, tokens, links) are stored as SHA-256 of 256 random bits.

-- +goose Up
CREATE SCHEMA IF NOT EXISTS identity;

CREATE TABLE identity.accounts (
	id         text        PRIMARY KEY,
	name       text        NOT NULL CHECK (name <> ''),
	password   text        NOT NULL,
	admin      boolean     NOT NULL DEFAULT false,
	disabled   boolean     NOT NULL DEFAULT false,
	created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX accounts_name ON identity.accounts (lower(name));

CREATE TABLE identity.products (
	id         text        PRIMARY KEY CHECK (id ~ '^[a-z0-9][a-z0-9-]{0,31}$'),
	name       text        NOT NULL CHECK (name <> ''),
	created_at timestamptz NOT NULL
);

CREATE TABLE identity.memberships (
	product text NOT NULL REFERENCES identity.products (id),
	account text NOT NULL REFERENCES identity.accounts (id),
	PRIMARY KEY (product, account)
);
CREATE INDEX memberships_account ON identity.memberships (account);

-- A link makes one account, once. Products are those the account will belong to.
CREATE TABLE identity.links (
	hash       bytea       PRIMARY KEY,
	purpose    text        NOT NULL CHECK (purpose IN ('first_admin', 'invite')),
	admin      boolean     NOT NULL DEFAULT false,
	products   text[]      NOT NULL DEFAULT '{}',
	created_by text        REFERENCES identity.accounts (id),
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL,
	used_by    text        REFERENCES identity.accounts (id),
	CHECK (purpose = 'first_admin' OR created_by IS NOT NULL)
);

CREATE TABLE identity.sessions (
	hash       bytea       PRIMARY KEY,
	account    text        NOT NULL REFERENCES identity.accounts (id),
	created_at timestamptz NOT NULL,
	seen_at    timestamptz NOT NULL,
	expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_account ON identity.sessions (account);
CREATE INDEX sessions_expires ON identity.sessions (expires_at);

CREATE TABLE identity.tokens (
	id         text        PRIMARY KEY,
	hash       bytea       NOT NULL UNIQUE,
	account    text        NOT NULL REFERENCES identity.accounts (id),
	label      text        NOT NULL,
	scopes     text[]      NOT NULL CHECK (scopes <@ ARRAY['person', 'report', 'analyst', 'worker', 'admin'] AND scopes <> '{}'),
	created_at timestamptz NOT NULL,
	expires_at timestamptz,
	used_at    timestamptz,
	revoked_at timestamptz
);
CREATE INDEX tokens_account ON identity.tokens (account);

-- How far a person has read a room; shared by all their tabs.
CREATE TABLE identity.read_marks (
	account text   NOT NULL REFERENCES identity.accounts (id),
	agent   text   NOT NULL,
	seq     bigint NOT NULL,
	PRIMARY KEY (account, agent)
);
