package video

import (
	"errors"
	"math"
	"testing"
)

func FuzzParseProbe(f *testing.F) {
	f.Add([]byte(`{"streams":[{"index":0,"codec_name":"h264","codec_type":"video","width":576,"height":1024,"sample_aspect_ratio":"1:1","avg_frame_rate":"30000/1001","duration":"14.6","disposition":{"attached_pic":0},"side_data_list":[{"rotation":-90}]}],"format":{"duration":"N/A"}}`))
	f.Add([]byte(`{"streams":[{"codec_type":"video","codec_name":"x","width":1,"height":1,"sample_aspect_ratio":"0:0","avg_frame_rate":"0/0","duration":"N/A","tags":{"rotate":"1e999"}}],"format":{}}`))
	f.Add([]byte(`{"streams":[{"codec_type":"audio","codec_name":"aac"}]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		info, claimed, err := parseProbe(data)
		if err != nil {
			if !errors.Is(err, ErrNotVideo) {
				t.Fatalf("error %v is not ErrNotVideo", err)
			}
			return
		}
		for _, x := range []float64{info.FPS, claimed.video, claimed.file} {
			if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
				t.Fatalf("number %v from %q", x, data)
			}
		}
		if info.Width < 1 || info.Height < 1 || info.Width > MaxSide*10 || info.Height > MaxSide*10 {
			t.Fatalf("size %dx%d from %q", info.Width, info.Height, data)
		}
	})
}
