package source

import (
	"net/url"
	"strconv"

	"sozai/domain/library"
)

// tiktok pages by offset.
func tiktok() platform {
	const count = 20
	return platform{
		name: "tiktok", search: TikTokSearch, video: TikTokVideo,
		request: func(t *TikHub, keyword string, c cursor) exchange {
			return exchange{method: "GET", path: "/api/v1/tiktok/app/v3/fetch_video_search_result", query: url.Values{
				"keyword": {keyword}, "offset": {strconv.Itoa(c.Offset)}, "count": {strconv.Itoa(count)},
				"sort_type": {"0"}, "publish_time": {"0"}, "region": {t.conf.Region},
			}}
		},
		read: func(answer node, asked cursor) found {
			data := answer.at("data")
			inner := data.at("data")
			f := found{items: firstList(maxItems,
				data.at("search_item_list"), data.at("aweme_list"), data, inner.at("search_item_list"), inner.at("aweme_list"), inner)}
			// The next page begins where the answer says, else after this one.
			f.next.Offset = asked.Offset + count
			if c := firstOf(data.at("cursor"), inner.at("cursor")); !c.missing() {
				f.next.Offset = max(int(min(c.count(), 1e6)), asked.Offset)
			}
			more := firstOf(data.at("has_more"), inner.at("has_more"))
			f.more = more.missing() || more.yes()
			return f
		},
		detail: func(id string) exchange {
			return exchange{method: "GET", path: "/api/v1/tiktok/app/v3/fetch_one_video", query: url.Values{"aweme_id": {id}}}
		},
		readDetail: awemeDetail,
		candidate: func(item node) (Candidate, bool) {
			return aweme(item, "tiktok", func(id, author string) string {
				if !plainID.MatchString(author) {
					return ""
				}
				return "https://www.tiktok.com/@" + author + "/video/" + id
			}, "tiktok.com")
		},
	}
}

// douyin pages by a cursor with a search id and a trace.
func douyin() platform {
	return platform{
		name: "douyin", search: DouyinSearch, video: DouyinVideo,
		request: func(_ *TikHub, keyword string, c cursor) exchange {
			return exchange{method: "POST", path: "/api/v1/douyin/search/fetch_video_search_v2", body: struct {
				Keyword   string `json:"keyword"`
				Cursor    int    `json:"cursor"`
				Sort      string `json:"sort_type"`
				Published string `json:"publish_time"`
				Duration  string `json:"filter_duration"`
				Content   string `json:"content_type"`
				SearchID  string `json:"search_id"`
				Backtrace string `json:"backtrace"`
			}{keyword, c.Offset, "0", "0", "0", "1", c.SearchID, c.Backtrace}}
		},
		read: func(answer node, asked cursor) found {
			data := answer.at("data")
			if data.at("business_data").missing() && !data.at("data").missing() {
				data = data.at("data")
			}
			f := found{}
			for _, entry := range data.at("business_data").list(maxItems) {
				if kind := entry.at("type"); kind.missing() || kind.text() == "1" {
					f.items = append(f.items, firstOf(entry.at("data"), entry))
				}
			}
			page := data.at("business_config")
			next := page.at("next_page")
			f.next = cursor{
				Offset:    int(min(firstOf(next.at("cursor"), page.at("cursor"), data.at("cursor")).count(), 1e9)),
				SearchID:  line(firstText(next.at("search_id"), page.at("search_id"), data.at("search_id")), 500),
				Backtrace: line(firstText(page.at("backtrace"), next.at("backtrace"), data.at("backtrace")), 4_000),
			}
			f.more = firstOf(page.at("has_more"), data.at("has_more")).yes() && f.next.Offset > asked.Offset
			return f
		},
		detail: func(id string) exchange {
			return exchange{method: "GET", path: "/api/v1/douyin/app/v3/fetch_one_video_v2", query: url.Values{"aweme_id": {id}}}
		},
		readDetail: awemeDetail,
		candidate: func(item node) (Candidate, bool) {
			return aweme(item, "douyin", func(id, _ string) string { return "https://www.douyin.com/video/" + id }, "douyin.com", "iesdouyin.com")
		},
	}
}

// aweme reads a video of TikTok or Douyin; false for pictures, for what is
// deleted or private, and for what has no id or file.
func aweme(item node, platform string, page func(id, author string) string, hosts ...string) (Candidate, bool) {
	v := firstOf(item.at("aweme_info"), item)
	id := v.at("aweme_id").text()
	switch v.at("aweme_type").text() {
	case "2", "68", "150":
		return Candidate{}, false
	}
	if v.at("status", "is_delete").yes() || v.at("status", "is_private").yes() {
		return Candidate{}, false
	}
	clip, author, n := v.at("video"), v.at("author"), v.at("statistics")
	handle := firstText(author.at("unique_id"), author.at("short_id"))
	c := Candidate{
		ID: external(platform, id), Platform: platform, Play: webPlay(awemePlay(clip)),
		Title:  line(v.at("desc").text(), maxTitle),
		Author: line(firstText(author.at("nickname"), author.at("unique_id"), author.at("short_id")), maxAuthor),
		URL:    webLink(v.at("share_url").text(), hosts...),
		Counts: library.Counts{
			Plays: n.at("play_count").count(), Likes: n.at("digg_count").count(),
			Shares: n.at("share_count").count(), Comments: n.at("comment_count").count(),
		},
		Published: v.at("create_time").unix(),
		Media:     claimed(clip.at("duration").number()/1000, clip.at("width"), clip.at("height")),
	}
	if c.ID == "" || c.Play == "" {
		return Candidate{}, false
	}
	if c.URL == "" {
		c.URL = page(id, handle)
	}
	var words []string
	for _, tag := range v.at("cha_list").list(2 * maxTags) {
		words = append(words, tag.at("cha_name").text())
	}
	for _, tag := range v.at("text_extra").list(2 * maxTags) {
		words = append(words, tag.at("hashtag_name").text())
	}
	c.Tags = tags(words)
	return c, true
}

// awemePlay is the address of the best file.
func awemePlay(clip node) string {
	best, rate := "", -1.0
	for _, b := range clip.at("bit_rate").list(maxItems) {
		if address := playAddress(b.at("play_addr")); address != "" && b.at("bit_rate").number() > rate {
			best, rate = address, b.at("bit_rate").number()
		}
	}
	if best != "" {
		return best
	}
	return playAddress(clip.at("play_addr"))
}

func playAddress(n node) string { return firstText(n.at("url_list").list(maxItems)...) }

func awemeDetail(answer node) node {
	data := answer.at("data")
	return firstOf(data.at("aweme_detail"), node{first(data.at("aweme_details").list(1))}, node{first(data.list(1))}, data.at("data", "aweme_detail"))
}

func first(nodes []node) any {
	if len(nodes) == 0 {
		return nil
	}
	return nodes[0].v
}

// firstOf is the first of them that is there.
func firstOf(nodes ...node) node {
	for _, n := range nodes {
		if !n.missing() {
			return n
		}
	}
	return node{}
}

// claimed is the length in seconds and the size as a platform says, as far as
// they are possible.
func claimed(seconds float64, width, height node) library.Media {
	if seconds < 0 || seconds > 24*3600 {
		seconds = 0
	}
	return library.Media{Seconds: seconds, Width: int(min(width.count(), 1e5)), Height: int(min(height.count(), 1e5))}
}
