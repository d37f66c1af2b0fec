package work

import (
	"sozai/domain"
	"sozai/domain/agent"
	"sozai/streams"
)

// CloseImported decides how an agent's imported history is closed, as one batch
// that ends with agent.imported: open runs and the open turn end as imported,
// what nobody had answered is settled, the daily search is switched off. After
// it nothing before it starts work; cards and orders that wait stay, for a
// person to decide. The state must be folded up to the log's end, messages
// included: the log was opened after the import, or viewed since.
func CloseImported(s *streams.State, from agent.Imported, newID func() domain.ID) ([]domain.Decision, error) {
	imported, err := s.Agent.Import(from)
	if err != nil {
		return nil, err
	}
	var open []domain.ID
	for _, m := range s.Chat.After(s.Turn.Settled) {
		open = append(open, m.ID)
	}
	settled, err := s.Turn.EndImported(open, newID(), s.Gene.Version, importedNote)
	if err != nil {
		return nil, err
	}
	events := append(s.Run.EndImported(), settled...)
	return append(events, imported...), nil
}

const importedNote = "这段历史是导入的，没有人再回答 · imported history: nobody answers here any more"
