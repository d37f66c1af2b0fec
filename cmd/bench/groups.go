package main

import "fmt"

// groups is every row there is, in the order of the table.
func groups() []group {
	all := []group{}
	for _, callers := range []int{1, 8} {
		all = append(all, group{name: fmt.Sprintf("facts-%d", callers), run: factsBy(callers), rows: []row{
			{factsName(callers), "/s", ratioAtLeast(0.85), "raw publish, synced, same callers"},
		}})
	}
	for _, callers := range []int{64, 512} {
		overRaw, overTable := 3.5, 0.8
		if callers == 512 {
			overRaw, overTable = 8, 2
		}
		all = append(all, group{name: fmt.Sprintf("facts-%d", callers), run: factsBy(callers), rows: []row{
			{factsName(callers), "/s", ratioAtLeast(overRaw), "raw publish, synced, same callers"},
			{tableName(callers), "/s", ratioAtLeast(overTable), "inserts into a Postgres event table, same callers, pool of 64"},
		}})
	}
	return append(all,
		group{name: "beacons", run: beacons, rows: []row{
			{beaconsName, "/s", atLeast(150_000, "/s"), "raw publish of the same beacons"},
		}},
		group{name: "import", run: importRun, rows: []row{
			{importName, "/s", ratioAtLeast(0.7), "bare atomic batches of 500"},
		}},
		group{name: "decisions", run: decisions, rows: []row{
			{decideOneName, "ms", ratioAtMost(1.3), "one raw publish, synced"},
			{decideManyName, "ms", ratioAtMost(1.2), "one bare atomic batch of as many"},
			{decideCrowdName, "/s", ratioAtLeast(2.7), "raw publish, synced, same callers"},
		}},
		group{name: "rebuild-timeline", run: rebuildTimeline, rows: []row{
			{rebuildTimelineName, "/s", ratioAtLeast(0.5), "COPY of the same rows, 5,000 a transaction"},
		}},
		group{name: "rebuild-all", run: rebuildAll, rows: []row{
			{rebuildAllName, "/s", atLeast(35_000, "/s"), "reading and decoding the same events, nothing else"},
			{rebuildMemoryName, "MB", atMost(400, "MB"), ""},
		}},
		group{name: "lag", run: lag, rows: []row{
			{lagName, "ms", atMost(30, "ms"), ""},
		}},
		group{name: "run-start", run: runStart, rows: []row{
			{startMedianName, "ms", atMost(2, "ms"), "three raw publishes, synced: asked, offered, started"},
			{startTailName, "ms", atMost(5, "ms"), "three raw publishes, synced: asked, offered, started"},
		}},
		group{name: "brains", run: brains, rows: []row{
			{searchCostName, "tokens", ratioAtLeast(7), "the same run with breakpoints, an earlier one minutes ago"},
			{firstCostName, "tokens", ratioAtLeast(6), "the same run with breakpoints, its cache empty"},
			{searchShareName, "%", atLeast(85, "%"), ""},
			{coldWritesName, "", ratioAtMost(1), "1 + changes of gene + folds"},
		}},
		group{name: "sockets-500", run: socketsOf(500), rows: socketRows(500)},
		group{name: "sockets-2000", run: socketsOf(2000), rows: socketRows(2000)},
		group{name: "cold-fold", run: coldFold, rows: []row{
			{coldFoldName, "ms", atMost(400, "ms"), "reading the same events, undecoded"},
		}},
		group{name: "many-agents", run: manyAgents, rows: []row{
			{manyMedianName, "ms", ratioAtMost(1.2), "the same beside 1,000 agents"},
			{manyTailName, "ms", atMost(50, "ms"), "the same beside 1,000 agents"},
			{manyMemoryName, "KiB", atMost(15, "KiB"), ""},
		}},
	)
}
