// Command sozai is the whole workshop in one binary: the server with all its
// roles, the operator's tools and the terminal client. One file a command.
//
// main only parses and calls; each command's Run is one page of construction.
// It may import everything; nothing may import it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // schedules name zones, also where the system has no table of them

	"github.com/alecthomas/kong"
)

// version is set by the linker at a release.
var version = "dev"

// commands lists every command; the struct is the manual.
type commands struct {
	Serve  serveCommand  `cmd:"" help:"Run the workshop: web, projections and workers."`
	Login  loginCommand  `cmd:"" help:"Sign this terminal in to a server."`
	Logout logoutCommand `cmd:"" help:"Forget the sign-in of this terminal."`
	Chat   chatCommand   `cmd:"" help:"Talk to an agent's butler in a terminal room."`
	Agent  agentCommand  `cmd:"" help:"List agents."`
	Run    runCommand    `cmd:"" help:"See, start, cancel and retry runs."`
	Gene   geneCommand   `cmd:"" help:"Show, compare and trace gene versions."`
	Import importCommand `cmd:"" help:"Bring videos and manifests into a product's catalogue."`

	Backfill backfillCommand `cmd:"" help:"Analyse what is not analysed yet."`

	Doctor    doctorCommand    `cmd:"" help:"Look at everything that an operator asks about first."`
	Events    eventsCommand    `cmd:"" help:"List the events of the log, or follow them."`
	Verify    verifyCommand    `cmd:"" help:"Prove that tables, folds and work are what the log says."`
	Rebuild   rebuildCommand   `cmd:"" help:"Build projections again from the log, or as of an earlier moment."`
	Parked    parkedCommand    `cmd:"" help:"List agents whose events could not be applied; try them again."`
	Export    exportCommand    `cmd:"" help:"Write the log, or one agent of it, as JSON lines."`
	ImportLog importLogCommand `cmd:"" help:"Bring an exported log into an empty workshop."`

	Version kong.VersionFlag `help:"Print the version."`
}

// process is what a command gets from the world.
type process struct {
	ctx            context.Context //nolint:containedctx // the process's life, handed to the one command it runs
	getenv         func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer
	terminal       bool // stdout is a person's terminal
	watched        bool // stderr is a person's terminal
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	p := process{
		ctx: ctx, getenv: os.Getenv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		terminal: isTerminal(os.Stdout), watched: isTerminal(os.Stderr),
	}
	os.Exit(execute(p, os.Args[1:]))
}

// execute parses and executes one command and returns the exit code: 0 done,
// 1 failed, 2 wrong usage, or what a command says itself (see exitError).
func execute(p process, args []string) (code int) {
	var c commands
	exited := -1
	parser, err := kong.New(&c,
		kong.Name("sozai"), kong.Description("素材工房 · a workshop for short-video ad creative."),
		kong.Vars{"version": version}, kong.Writers(p.stdout, p.stderr),
		kong.Exit(func(code int) { exited = code }), kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		fmt.Fprintln(p.stderr, "sozai:", err)
		return 2
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 {
		return exited
	}
	if err != nil {
		fmt.Fprintln(p.stderr, "sozai:", err)
		return 2
	}
	if err := parsed.Run(&p); err != nil {
		fmt.Fprintln(p.stderr, "sozai:", sentence(err))
		var coded *exitError
		if errors.As(err, &coded) {
			return coded.code
		}
		return 1
	}
	return 0
}
