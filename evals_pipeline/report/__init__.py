"""Terminal, Markdown, JUnit, HTML and plots from figures."""
