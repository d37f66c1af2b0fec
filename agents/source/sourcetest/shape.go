package sourcetest

import "slices"

// aweme is a video as the app of TikTok or Douyin describes it.
func (s *TikHub) aweme(platform string, v Video) object {
	i := slices.IndexFunc(s.videos[platform], func(w Video) bool { return w.ID == v.ID })
	kind := 0
	if v.State == Picture {
		kind = 68
	}
	address := s.media.address(s.URL, i, v)
	files := []any{}
	if address != "" {
		files = append(files, address)
	}
	tags := []object{}
	for _, t := range v.Tags {
		tags = append(tags, object{"cha_name": t})
	}
	author := object{"uid": "1", "nickname": v.Author, "unique_id": v.Author, "follower_count": 1200, "aweme_count": 0}
	counts := object{"play_count": v.Plays, "digg_count": v.Likes, "comment_count": 88, "share_count": 120, "collect_count": 300}
	page := "https://www.tiktok.com/@" + v.Author + "/video/" + v.ID
	if platform == "douyin" {
		author["unique_id"], author["short_id"] = "", v.Author
		counts["play_count"] = 0 // unknown there
		page = ""
	}
	// The best file is not the first; the watermarked one is never wanted.
	rates := []object{{"bit_rate": 400_000, "play_addr": object{"url_list": []any{s.URL + "/media/small"}}}}
	if address == "" {
		rates = nil
	} else {
		rates = append(rates, object{"bit_rate": 910_000, "play_addr": object{"url_list": files}})
	}
	return object{
		"aweme_id": v.ID, "desc": v.Title, "create_time": 1767225600, "aweme_type": kind, "share_url": page,
		"author": author, "statistics": counts, "cha_list": tags,
		"status": object{"is_delete": v.State == Deleted, "is_private": v.State == Private},
		"video": object{
			"duration": int(v.Seconds * 1000), "width": 576, "height": 1024,
			"cover":         object{"url_list": []any{s.URL + "/cover.jpg"}},
			"play_addr":     object{"url_list": files},
			"download_addr": object{"url_list": []any{s.URL + "/watermarked.mp4"}},
			"bit_rate":      rates,
		},
	}
}

func code(v Video) string { return "C" + v.ID }

// reel is a video as Instagram describes it: seconds, and hidden counts.
func (s *TikHub) reel(v Video) object {
	i := slices.IndexFunc(s.videos["instagram"], func(w Video) bool { return w.ID == v.ID })
	kind := 2
	if v.State == Picture {
		kind = 1
	}
	var caption, likes any = object{"text": v.Title}, v.Likes
	if i%3 == 2 {
		likes = nil
	}
	if v.Title == "" {
		caption = nil
	}
	item := object{
		"id": v.ID + "_9", "code": code(v), "caption": caption, "media_type": kind, "product_type": "clips",
		"user":       object{"id": "9", "username": v.Author, "full_name": v.Author, "is_private": v.State == Private},
		"play_count": nil, "ig_play_count": v.Plays, "like_count": likes, "comment_count": 5, "share_count": 7,
		"taken_at": 1767225600, "video_duration": v.Seconds,
	}
	if address := s.media.address(s.URL, i, v); address != "" && v.State != Deleted {
		item["video_versions"] = []object{{"url": address, "width": 576, "height": 1024}}
	}
	return item
}
