// Package agents runs model loops: it assembles prompts, calls a Model, executes
// tools within hard caps (rounds, tokens, money, time) and reports every round.
//
// Trust: text from outside (captions, file names, reports) is quoted data for
// the model, never instruction. Tools change things only through domain
// commands on the log; they never write a table. The loop trusts no claim of the
// model: receipts of tools are the only proof that something happened.
//
// agents may import domain, streams and projections; not handlers, not HTTP
// servers. Trades (butler, searcher) and adapters (anthropic, rehearsal) are
// packages of their own.
package agents
