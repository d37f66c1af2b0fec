// Package frontend holds the built pages. It only embeds files and may import
// nothing of this program. Without a build (a fresh clone) it is empty but for a
// placeholder.
package frontend

import "embed"

// FS holds the build under "dist".
//
//go:embed all:dist
var FS embed.FS
