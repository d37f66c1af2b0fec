package searcher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sozai/agents"
	"sozai/agents/source"
	"sozai/domain"
)

// errNoPages ends the paging of a run.
var errNoPages = domain.Rule(domain.TooMany, "no_pages_left", "all pages of the fast source are used; save what fits and finish")

type searchInput struct {
	Query    string `json:"query"`
	Platform string `json:"platform"`
	Page     int    `json:"page"`
}

func (s *session) searchFast(ctx context.Context, call agents.Call) (agents.Output, error) {
	in, err := input[searchInput](call)
	if err != nil {
		return agents.Output{}, err
	}
	in.Query = clip(in.Query, 200)
	if in.Query == "" {
		return agents.Output{}, domain.Errorf(domain.Invalid, "query is empty")
	}
	in.Page = max(in.Page, 1)
	out := agents.Output{Object: strings.Join(fields(in.Query, in.Platform, fmt.Sprint(in.Page)), " · ")}
	platforms := s.env.Fast.Platforms()
	if in.Platform == "" && len(platforms) == 1 {
		in.Platform = platforms[0]
	}
	switch {
	case in.Platform == "":
	case !slices.Contains(platforms, in.Platform):
		return out, (&domain.Error{Code: domain.Invalid, Reason: "no_such_platform"}).With(nil,
			"the platform %q is not configured; use one of %s, or none", clip(in.Platform, 40), strings.Join(platforms, ", "))
	default:
		if err := s.ready(ctx, in.Platform); err != nil {
			return out, err
		}
	}
	if in.Platform != localPlatform && len(platforms) > 1 && s.meter.over() {
		return out, errCost
	}
	number := strings.Join([]string{in.Platform, strings.ToLower(in.Query), strconv.Itoa(in.Page)}, "/")
	counted, err := s.takePage(ctx, number)
	if err != nil {
		return out, err
	}
	answer, err := s.env.Fast.Search(ctx, source.Query{
		Product: s.task.Key.Product, Agent: s.task.Key.Agent, Run: s.task.Run, Attempt: s.task.Attempt,
		Text: in.Query, Platform: in.Platform, Page: in.Page,
	})
	if err != nil {
		s.givePage(ctx, number, counted)
		return out, s.refusedBy(platformOf(in.Platform, err), err)
	}
	s.answered(answer.Platform)
	page, err := s.meet(ctx, answer.Items, s.env.Fast, answer.Platform == localPlatform)
	if err != nil {
		return out, err
	}
	s.mu.Lock()
	left := domain.FastSourcePages - s.pages
	s.mu.Unlock()
	out.Text = fitting(found{
		Query: in.Query, Platform: answer.Platform, Page: in.Page, Pages: answer.Pages, Total: answer.Total, More: answer.More,
		PagesLeft: left, New: page.fresh, AlreadySaved: page.saved, SeenBefore: page.again, Items: page.items,
	})
	out.Fold = fmt.Sprintf("search_fast %q on %s page %d of %d: %d candidates, %d new, %d saved already",
		in.Query, answer.Platform, in.Page, answer.Pages, len(page.items), page.fresh, page.saved)
	s.report(ctx, s.found())
	return out, nil
}

// platformOf is the platform that failed: the one that was asked, else as the
// source names it.
func platformOf(asked string, err error) string {
	var failed *source.Error
	switch {
	case asked != "":
		return asked
	case errors.As(err, &failed) && failed.Source != fastSource:
		return failed.Source
	}
	return localPlatform
}

func fields(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}
