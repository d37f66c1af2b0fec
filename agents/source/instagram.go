package source

import (
	"net/url"
	"time"

	"sozai/domain/library"
)

// instagram pages by a token. Its durations are in seconds, its hidden counts
// null.
func instagram() platform {
	return platform{
		name: "instagram", search: InstagramSearch, video: InstagramVideo,
		request: func(_ *TikHub, keyword string, c cursor) exchange {
			query := url.Values{"keyword": {keyword}}
			if c.Token != "" {
				query.Set("pagination_token", c.Token)
			}
			return exchange{method: "GET", path: "/api/v1/instagram/v2/search_reels", query: query}
		},
		read: func(answer node, _ cursor) found {
			data := answer.at("data")
			f := found{items: firstList(maxItems, data.at("data", "items"), data.at("items"), data.at("data"))}
			token := firstText(data.at("pagination_token"), data.at("data", "pagination_token"), answer.at("pagination_token"))
			if len(token) <= 4_000 {
				f.next.Token = token
			}
			f.more = f.next.Token != ""
			return f
		},
		detail: func(id string) exchange {
			return exchange{method: "GET", path: "/api/v1/instagram/v2/fetch_post_info", query: url.Values{"code_or_url": {id}}}
		},
		readDetail: func(answer node) node {
			data := answer.at("data")
			return firstOf(node{first(data.at("items").list(1))}, node{first(data.at("data", "items").list(1))}, data.at("data"), data)
		},
		candidate: reel,
	}
}

// reel reads a video of Instagram, which is known by its code; false for
// pictures, for private ones, and for what has no code or file.
func reel(item node) (Candidate, bool) {
	item = firstOf(item.at("media"), item)
	if kind := item.at("media_type"); !kind.missing() && kind.text() != "2" {
		return Candidate{}, false
	}
	code, user := item.at("code").text(), item.at("user")
	if user.at("is_private").yes() {
		return Candidate{}, false
	}
	versions := item.at("video_versions").list(1)
	play := item.at("video_url").text()
	if play == "" && len(versions) > 0 {
		play = versions[0].at("url").text()
	}
	plays := int64(0)
	for _, field := range []string{"play_count", "ig_play_count", "fb_play_count"} {
		plays = max(plays, item.at(field).count())
	}
	published := item.at("taken_at").unix()
	if published.IsZero() {
		if at, err := time.Parse(time.RFC3339, item.at("taken_at_date").text()); err == nil {
			published = at.UTC()
		}
	}
	c := Candidate{
		ID: external("instagram", code), Platform: "instagram", Play: webPlay(play),
		Title:  line(firstText(item.at("caption", "text"), item.at("caption")), maxTitle),
		Author: line(firstText(user.at("username"), user.at("full_name")), maxAuthor),
		URL:    "https://www.instagram.com/reel/" + code + "/",
		Counts: library.Counts{
			Plays: plays, Likes: item.at("like_count").count(),
			Shares: item.at("share_count").count(), Comments: item.at("comment_count").count(),
		},
		Published: published,
		Media:     claimed(item.at("video_duration").number(), item.at("original_width"), item.at("original_height")),
	}
	return c, c.ID != "" && c.Play != ""
}
