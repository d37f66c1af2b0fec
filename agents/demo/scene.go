package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// palette is dark, light and accent.
type palette [3]string

// canvas is what a scene is drawn on.
type canvas struct {
	w, h, fps int
	font      string // "" = no letters and no signs
	seed      int
	colours   palette
}

// drawings are the kinds of scenes. Each returns a chain of filters without an
// end. They move, flicker and burst, but never jump, so that a clip's only cuts
// are between its scenes.
func drawings() map[string]func(canvas) string {
	return map[string]func(canvas) string{
		"siege":  siege,
		"boom":   boom,
		"plasma": plasma,
		"blocks": blocks,
		"road":   road,
		"clouds": clouds,
		"level":  level,
		"bounce": bounce,
		"rain":   rain,
	}
}

func (c canvas) sky(speed float64) string {
	return fmt.Sprintf("gradients=s=%dx%d:r=%d:d=30:n=3:c0=%s:c1=%s:c2=%s:x0=%d:y0=0:x1=%d:y1=%d:seed=%d:speed=%g",
		c.w, c.h, c.fps, c.colours[0], c.colours[1], c.colours[0], c.w/2, c.w/2, c.h, c.seed, speed)
}

// sign draws text by expressions for its place; nothing without a font.
func (c canvas) sign(text, colour string, size int, x, y string) string {
	if c.font == "" {
		return ""
	}
	return fmt.Sprintf(",drawtext=fontfile=%s:text='%s':fontsize=%d:fontcolor=%s:borderw=%d:bordercolor=black@0.6:x='%s':y='%s'",
		c.font, text, size, colour, max(1, size/20), x, y)
}

func siege(c canvas) string {
	ground := c.h * 3 / 4
	s := c.sky(0.003) + fmt.Sprintf(",drawbox=x=0:y=%d:w=iw:h=ih:color=#140d18:t=fill", ground)
	for i, at := range []int{12, 45, 76} {
		height := c.h/6 + (c.seed*37+i*53)%(c.h/8)
		s += fmt.Sprintf(",drawbox=x=iw*%d/100:y=%d:w=iw/9:h=%d:color=#241a2c:t=fill", at, ground-height, height)
		s += c.sign("▲", c.colours[2], c.w/6, fmt.Sprintf("w*%d/100-tw/5", at), fmt.Sprint(ground-height-c.w/6))
	}
	s += c.sign("●  ●   ●  ●    ●", "#7bd46a", c.w/9, "w-t*w/5", fmt.Sprintf("%d+6*sin(t*9)", ground-c.w/8))
	return s + c.sign("●   ●    ●", "#b5e08a", c.w/12, "w*0.7-t*w/7", fmt.Sprintf("%d+5*sin(t*7)", ground+c.w/12))
}

// boom is drawn small and enlarged: a ring that grows and a glow that fades.
func boom(c canvas) string {
	w, h := c.w/8, c.h/8
	r := fmt.Sprintf("hypot(X-%d\\,Y-%d)", w/2, h/2)
	return fmt.Sprintf("nullsrc=s=%dx%d:r=%d:d=30,geq="+
		"lum='clip(30+215*exp(-pow(%s/(6+T*30)-1\\,2)*6)+80*exp(-%s/(8+T*9)),16,235)':"+
		"cb='116-36*exp(-%s/30)':cr='140+50*exp(-%s/26)',hue=h=%d,scale=%d:%d:flags=bicubic",
		w, h, c.fps, r, r, r, r, c.seed%30-15, c.w, c.h) + c.sign("★", c.colours[2], c.w/5, "w/2-tw/2+t*40", "h/2-th/2-t*60")
}

func plasma(c canvas) string {
	w, h := c.w/8, c.h/8
	return fmt.Sprintf("nullsrc=s=%dx%d:r=%d:d=30,geq=lum='150+40*sin(X/9+T*2.4+%d)+30*sin(Y/13-T*1.7)':"+
		"cb='128+34*sin((X+Y)/17+T+%d)':cr='128+34*cos(Y/15-T*1.3)',hue=h=%d,scale=%d:%d:flags=bicubic",
		w, h, c.fps, c.seed, c.seed, c.seed*47%360, c.w, c.h)
}

func blocks(c canvas) string {
	cell := 20
	return fmt.Sprintf("life=s=%dx%d:r=6:seed=%d:ratio=0.4:mold=30:life_color=%s:death_color=%s:mold_color=%s,"+
		"fps=%d,tmix=frames=5,scale=%d:%d:flags=neighbor,drawgrid=w=%d:h=%d:t=2:color=black@0.6",
		c.w/cell, c.h/cell, c.seed, c.colours[2], c.colours[1], c.colours[0], c.fps, c.w/cell*cell, c.h/cell*cell, cell, cell)
}

func road(c canvas) string {
	return fmt.Sprintf("gradients=s=%dx%d:r=%d:d=30:c0=%s:c1=%s:x0=0:y0=0:x1=%d:y1=0:seed=%d:speed=0.0001,"+
		"drawbox=x=iw*0.47:y=0:w=iw*0.06:h=ih/2:color=white:t=fill,drawbox=x=iw*0.05:y=ih/4:w=iw*0.04:h=ih/2:color=%s:t=fill,"+
		"drawbox=x=iw*0.91:y=ih/4:w=iw*0.04:h=ih/2:color=%s:t=fill,scroll=v=-%.4f",
		c.w, c.h, c.fps, c.colours[0], c.colours[1], c.w, c.seed, c.colours[2], c.colours[2], 0.8/float64(c.fps)) +
		c.sign("▲", c.colours[2], c.w/5, "w/2-tw/2+w/6*sin(t*2.2)", "h*0.7")
}

func clouds(c canvas) string {
	return fmt.Sprintf("color=gray:s=120x214:r=%d:d=0.2,noise=alls=100:all_seed=%d,gblur=sigma=6,eq=contrast=8,format=gray,"+
		"format=yuv420p,lutyuv=y='val*0.7+40':u=%d:v=%d,trim=end_frame=1,scale=%d:%d:flags=bicubic,"+
		"zoompan=z='1+on*0.003':x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2+on':d=900:s=%dx%d:fps=%d",
		c.fps, c.seed, 90+c.seed*29%80, 90+c.seed*53%80, 2*c.w, 2*c.h, c.w, c.h, c.fps)
}

func level(c canvas) string {
	return c.sky(0.01) +
		c.sign(`LV.%{eif\:t*12+1\:d}`, c.colours[2], c.w/4, "(w-tw)/2", "h*0.4") +
		c.sign("■■■■■■■■", "#60ff90", c.w/9, "-tw+w*0.96*min(1,t/2.5)", "h*0.62")
}

func bounce(c canvas) string {
	signs := []string{"★", "♥", "●", "◆", "♪"}
	return c.sky(0.02) +
		c.sign(signs[c.seed%len(signs)], c.colours[2], c.w/2, "(w-tw)/2+w/8*sin(t*2)", "h*0.55-h/5*abs(sin(t*3.4))") +
		c.sign(signs[(c.seed+1)%len(signs)], "white", c.w/6, "w*0.15", "h*0.7-h/6*abs(sin(t*4.1+1))")
}

func rain(c canvas) string {
	return fmt.Sprintf("color=%s:s=%dx%d:r=%d:d=30,noise=alls=14:allf=t+u:all_seed=%d,drawgrid=w=%d:h=%d:t=3:color=%s@0.35",
		c.colours[0], c.w, c.h, c.fps, c.seed, c.w/4, c.h/9, c.colours[2]) +
		c.sign("▼   ▼  ▼", c.colours[2], c.w/7, "w*0.1", "-th+t*h/2") + c.sign("▼  ▼", c.colours[1], c.w/5, "w*0.3", "-th*2+t*h/3")
}

// caption is words over a scene, read from a file so that nothing is escaped.
func (c canvas) caption(folder, name, text string, size int, y string) (string, error) {
	if c.font == "" || text == "" {
		return "", nil
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte(wrap(text, c.w*9/10/size)), 0o600); err != nil {
		return "", fmt.Errorf("write caption: %w", err)
	}
	return fmt.Sprintf(",drawtext=fontfile=%s:textfile=%s:expansion=none:fontsize=%d:fontcolor=white:borderw=3:"+
		"bordercolor=black:line_spacing=4:x='(w-tw)/2':y='%s'", c.font, name, size, y), nil
}

// wrap breaks text into lines of at most n full-width letters; a Latin letter
// takes half.
func wrap(text string, n int) string {
	var lines []string
	current, used := "", 0
	for _, word := range words(text) {
		size := 0
		for _, r := range word {
			size++
			if r >= 0x2E80 {
				size++
			}
		}
		if used+size > 2*n && current != "" {
			lines = append(lines, strings.TrimSpace(current))
			current, used = "", 0
		}
		current += word
		used += size
	}
	return strings.Join(append(lines, strings.TrimSpace(current)), "\n")
}

// words splits where a line may break: after spaces and after full-width letters.
func words(text string) []string {
	var out []string
	current := ""
	for _, r := range text {
		current += string(r)
		if r == ' ' || r >= 0x2E80 {
			out = append(out, current)
			current = ""
		}
	}
	return append(out, current)
}
