package page_test

import (
	"fmt"

	"github.com/pith-sessions/pith/internal/page"
)

// The text of a session is shown, never interpreted.
func ExampleMarkdown() {
	fmt.Print(page.Markdown("**Done**, see <script>alert(1)</script>"))
	// Output: <p><strong>Done</strong>, see &lt;script&gt;alert(1)&lt;/script&gt;</p>
}
