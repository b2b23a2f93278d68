import { html, type Markup } from './html.ts';
import { style } from './page/style.ts';

interface SheetOptions {
  readonly title: string;
  /** ISO time. */
  readonly generatedAt: string;
  /** Rules of this page beside those of all. */
  readonly css: Markup;
}

/** A page around its content: one HTML file that refers to nothing outside and runs no script. */
export function sheet({ title, generatedAt, css }: SheetOptions, content: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${style}${css}</style>
</head>
<body><div class="sheet">
${content}
<footer>Made by predict on ${generatedAt.slice(0, 10)}. This file contains everything it needs.</footer>
</div></body>
</html>
`.text;
}
