import { createHash } from 'node:crypto';
import { printable } from '../../base/text.ts';
import { html, type Markup, raw } from '../html.ts';
import { style } from './style.ts';

interface Sheet {
  readonly title: string;
  /** ISO 8601. */
  readonly generatedAt: string;
  /** Beside the style of all pages. */
  readonly css: Markup;
  /** The only script that the page may run; none without it. */
  readonly script?: string;
}

/** A page that refers to nothing outside itself. */
export function sheet({ title, generatedAt, css, script }: Sheet, content: Markup): string {
  const scripts =
    script === undefined ? '' : `; script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'${raw(scripts)}">
<title>${title}</title>
<style>${style}${css}</style>
</head>
<body><div class="sheet">
${content}
<footer>Made by predict on ${generatedAt.slice(0, 10)}. This file contains everything it needs.</footer>
</div>${script === undefined ? null : html`<script>${raw(script)}</script>`}</body>
</html>
`;
  // Names of others, in texts and in drawings, neither hide nor turn anything where the page is read.
  return printable(page.text);
}
