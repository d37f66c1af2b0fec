package agent_test

import (
	"strings"
	"testing"

	"sozai/domain"
	"sozai/domain/agent"
	"sozai/domain/domaintest"
)

func given(t *testing.T, events ...domain.Event) *domaintest.Scenario[agent.State] {
	t.Helper()
	return domaintest.Given(t, agent.Evolve, events...)
}

type (
	state     = agent.State
	decisions = []domain.Decision
)

func created() domain.Event {
	return agent.Created{Name: "茶饮", Brief: "新品上市", Creator: "ann", Sources: []string{"fast"}}
}

func TestRule1_CreatedOnce(t *testing.T) {
	t.Parallel()
	create := func(s state) (decisions, error) {
		return s.Create(agent.Created{Name: " 茶饮 ", Brief: "新品上市", Creator: "ann", Sources: []string{"fast"}})
	}
	after := given(t).When(create).Then(created())
	if !after.Exists || after.Name != "茶饮" || after.RoleOf("ann") != agent.Creator || after.RoleOf("bob") != "" {
		t.Fatalf("created as %+v", after)
	}
	given(t, created()).When(create).ThenError(agent.ErrExists)
}

func TestRule2_NameAndBriefWithinLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		event agent.Created
		want  error
	}{
		{"no name", agent.Created{Name: "  ", Creator: "ann"}, domain.ErrMissing},
		{"80 characters", agent.Created{Name: strings.Repeat("茶", 80), Creator: "ann"}, nil},
		{"81 characters", agent.Created{Name: strings.Repeat("茶", 81), Creator: "ann"}, domain.ErrTooLong},
		{"two lines", agent.Created{Name: "a\nb", Creator: "ann"}, domain.ErrText},
		{"long brief", agent.Created{Name: "a", Brief: strings.Repeat("b", domain.MaxDocRunes+1), Creator: "ann"}, domain.ErrTooLong},
		{"no creator", agent.Created{Name: "a"}, domain.ErrMissing},
		{"a platform is no source", agent.Created{Name: "a", Creator: "ann", Sources: []string{"fast", "tiktok"}}, agent.ErrSource},
		{"source twice", agent.Created{Name: "a", Creator: "ann", Sources: []string{"fast", "fast"}}, agent.ErrSource},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := given(t).When(func(s state) (decisions, error) { return s.Create(c.event) })
			if c.want == nil {
				s.Then(c.event)
			} else {
				s.ThenError(c.want)
			}
		})
	}
}

func TestRule3_NothingOfAnAgentThatIsNotThereOrArchived(t *testing.T) {
	t.Parallel()
	name := "new"
	for command, decide := range map[string]func(state) (decisions, error){
		"edit":     func(s state) (decisions, error) { return s.Edit(agent.Edited{Name: &name}) },
		"add":      func(s state) (decisions, error) { return s.AddMember("bob", agent.Member) },
		"remove":   func(s state) (decisions, error) { return s.RemoveMember("bob") },
		"schedule": func(s state) (decisions, error) { return s.SetSchedule(agent.ScheduleSet{Daily: true, At: "08:00"}) },
		"archive":  func(s state) (decisions, error) { return s.Archive("") },
		"active":   func(s state) (decisions, error) { return nil, s.Active() },
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			given(t).When(decide).ThenError(agent.ErrUnknown)
			given(t, created(), agent.Archived{}).When(decide).ThenError(agent.ErrArchived)
		})
	}
}

func TestRule4_MembersAndViewers(t *testing.T) {
	t.Parallel()
	add := func(user domain.ID, role string) func(state) (decisions, error) {
		return func(s state) (decisions, error) { return s.AddMember(user, role) }
	}
	remove := func(user domain.ID) func(state) (decisions, error) {
		return func(s state) (decisions, error) { return s.RemoveMember(user) }
	}
	bob := agent.MemberAdded{User: "bob", Role: agent.Viewer}
	after := given(t, created()).When(add("bob", agent.Viewer)).Then(bob)
	if after.RoleOf("bob") != agent.Viewer {
		t.Fatalf("bob is %q", after.RoleOf("bob"))
	}
	after = given(t, created(), bob).When(add("bob", agent.Member)).
		Then(agent.MemberAdded{User: "bob", Role: agent.Member})
	if after.RoleOf("bob") != agent.Member {
		t.Fatalf("bob is %q", after.RoleOf("bob"))
	}
	after = given(t, created(), bob).When(remove("bob")).Then(agent.MemberRemoved{User: "bob"})
	if after.RoleOf("bob") != "" {
		t.Fatalf("bob is still %q", after.RoleOf("bob"))
	}
	given(t, created()).When(remove("bob")).ThenError(agent.ErrNoMember)
	given(t, created()).When(remove("ann")).ThenError(agent.ErrCreator)
	given(t, created()).When(add("ann", agent.Viewer)).ThenError(agent.ErrCreator)
	given(t, created()).When(add("bob", agent.Creator)).ThenError(agent.ErrRole)
	given(t, created()).When(add("", agent.Member)).ThenError(domain.ErrMissing)
}

func TestRule5_DailyScheduleNeedsATime(t *testing.T) {
	t.Parallel()
	set := func(c agent.ScheduleSet) func(state) (decisions, error) {
		return func(s state) (decisions, error) { return s.SetSchedule(c) }
	}
	given(t, created()).When(set(agent.ScheduleSet{Daily: true, At: "08:30"})).
		Then(agent.ScheduleSet{Daily: true, At: "08:30", Zone: "UTC"})
	shanghai := agent.ScheduleSet{Daily: true, At: "23:59", Zone: "Asia/Shanghai"}
	after := given(t, created(), shanghai).When(set(agent.ScheduleSet{})).
		Then(agent.ScheduleSet{At: "23:59", Zone: "Asia/Shanghai"})
	if after.Daily || after.At != "23:59" {
		t.Fatalf("schedule off is %+v", after)
	}
	for _, bad := range []agent.ScheduleSet{
		{Daily: true}, {Daily: true, At: "8:30"}, {Daily: true, At: "24:00"}, {Daily: true, At: "08:30:00"},
		{Daily: true, At: "08:30", Zone: "Local"}, {Daily: true, At: "08:30", Zone: "../etc/passwd"},
		{Daily: true, At: "08:30", Zone: "Asia Shanghai"},
	} {
		given(t, created()).When(set(bad)).ThenError(agent.ErrSchedule)
	}
}

func TestRule6_NothingChangedLeavesNothing(t *testing.T) {
	t.Parallel()
	same, other := " 茶饮 ", "咖啡"
	member := agent.MemberAdded{User: "bob", Role: agent.Member}
	schedule := agent.ScheduleSet{Daily: true, At: "08:30", Zone: "UTC"}
	history := []domain.Event{created(), member, schedule}
	given(t, history...).When(func(s state) (decisions, error) {
		return s.Edit(agent.Edited{Name: &same, Sources: []string{"fast"}})
	}).ThenNothing()
	given(t, history...).When(func(s state) (decisions, error) { return s.AddMember("bob", agent.Member) }).ThenNothing()
	given(t, history...).When(func(s state) (decisions, error) { return s.SetSchedule(schedule) }).ThenNothing()
	after := given(t, history...).When(func(s state) (decisions, error) {
		return s.Edit(agent.Edited{Name: &other, Brief: &other, Sources: []string{"fast"}})
	}).Then(agent.Edited{Name: &other, Brief: &other})
	if after.Name != other || after.Brief != other || len(after.Sources) != 1 {
		t.Fatalf("edited to %+v", after)
	}
}

func TestRule7_ArchivingIsFinal(t *testing.T) {
	t.Parallel()
	after := given(t, created()).
		When(func(s state) (decisions, error) { return s.Archive("done") }).
		Then(agent.Archived{Reason: "done"})
	if !after.Archived {
		t.Fatal("not archived")
	}
}

func TestEvolveRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	for name, events := range map[string][]domain.Event{
		"edited before created": {agent.Edited{}},
		"created twice":         {created(), created()},
		"foreign":               {created(), foreign{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s state
			var err error
			for _, e := range events {
				s, err = agent.Evolve(s, domain.Recorded{Event: e})
			}
			if domain.CodeOf(err) != domain.Internal || err == nil {
				t.Fatalf("got %v, want an internal error", err)
			}
		})
	}
}

type foreign struct{}

func (foreign) EventType() string { return "foreign" }
