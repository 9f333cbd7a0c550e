"""Pictures as SVG text: escaped, readable by a screen reader and on paper."""
