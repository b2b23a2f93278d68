import { createHash } from 'node:crypto';
import { printable } from '../../base/text.ts';
import { html, type Markup, raw } from '../html.ts';

interface Sheet {
  readonly title: string;
  /** ISO 8601. */
  readonly generatedAt: string;
  /** Beside the style of all pages. */
  readonly css: Markup;
  /** The only script that the page may run; none without it. */
  readonly script?: string;
  /** What is below it; by default that of a file. */
  readonly footer?: Markup;
}

const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** A page that refers to nothing outside itself. `policy` is what it may do, beside its script. */
export function renderSheet(sheet: Sheet, content: Markup, policy = filePolicy(sheet)): string {
  const { title, generatedAt, css, script } = sheet;
  const made = `Made by predict on ${generatedAt.slice(0, 10)}.`;
  const footer = sheet.footer ?? html`${made} This file contains everything it needs.`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${raw(policy)}">
<title>${title}</title>
<style>${style}${css}</style>
</head>
<body><div class="sheet">
${content}
<footer>${footer}</footer>
</div>${script === undefined ? null : html`<script>${raw(script)}</script>`}</body>
</html>
`;
  // Names of others, in texts and in drawings, neither hide nor turn anything where the page is read.
  return printable(page.text);
}

function filePolicy({ script }: Sheet): string {
  return script === undefined ? FILE_POLICY : `${FILE_POLICY}; script-src ${sourceOf(script)}`;
}

/** Of a page that a server sends: its own style and script, and what its script fetches there. */
export function servedPolicy({ css, script }: Sheet): string {
  const scripts = script === undefined ? '' : `; script-src ${sourceOf(script)}; connect-src 'self'`;
  return `default-src 'none'; style-src ${sourceOf(`${style}${css}`)}${scripts}; base-uri 'none'; form-action 'none'`;
}

function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The page's style: light and dark by the reader's setting, one column on a phone, plain on paper. */
const style: Markup = raw(`
:root{color-scheme:light dark;--page:#fbfbf8;--card:#fff;--ink:#1b2430;--soft:#5a6575;--line:#dfe2e0;--accent:#1d3f99;--warn:#8a4b00;--warn-page:#fff6e6;--warn-line:#f0d9ad;--level-0:#1b2430;--level-1:#46566b;--level-2:#66778d;--level-3:#8290a3;--use-0:#4f7d5c;--use-1:#c58a2b;--use-2:#8d5a97;--use-3:#4a8a9c}
@media screen and (prefers-color-scheme:dark){:root{--page:#11151b;--card:#181d25;--ink:#e8ebef;--soft:#a2adba;--line:#2c343f;--accent:#8fb2ff;--warn:#ffcf87;--warn-page:#241d10;--warn-line:#55431f;--level-0:#f0f2f5;--level-1:#c3cbd5;--level-2:#98a4b3;--level-3:#76869a;--use-0:#86b894;--use-1:#e6b768;--use-2:#c295cc;--use-3:#7fbfd0}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.sheet{max-width:1160px;margin:0 auto;padding:40px 24px 72px}
h1{font-size:clamp(1.6rem,3.4vw,2.3rem);line-height:1.15;letter-spacing:-.02em;margin:.15em 0 .7em;text-wrap:balance}
h2{font-size:1.4rem;letter-spacing:-.01em;margin:0 0 .25em}
body{overflow-wrap:break-word}
h3{font-size:1.08rem;margin:2em 0 .3em}
p{margin:.4em 0;max-width:78ch;text-wrap:pretty}
a{color:var(--accent)}
.kicker{color:var(--soft);font-size:.86rem;margin:0}
.rest{margin:.7em 0 0;padding:0 0 0 1.1em;max-width:96ch}
.rest li{margin:.22em 0}
.story{margin:0;border-top:2px solid var(--accent)}
.story>div{display:grid;grid-template-columns:minmax(190px,240px) 1fr;grid-template-rows:auto 1fr;gap:0 28px;padding:14px 0 15px;border-bottom:1px solid var(--line)}
.story dt{font-size:.84rem;color:var(--soft);grid-column:1;padding-top:2px}
.story dd{margin:0}
.story .value{font-size:1.5rem;font-weight:650;letter-spacing:-.02em;line-height:1.25;grid-column:1;font-variant-numeric:tabular-nums;text-wrap:balance}
.story .say{grid-column:2;grid-row:1/span 2}
.story .say p{margin:0;max-width:none}
.story .say .small{margin-top:3px}
.first{font-size:1.12rem;line-height:1.45;font-weight:600}
.warnings{margin:20px 0 0;padding:12px 18px;background:var(--warn-page);border:1px solid var(--warn-line);border-radius:10px;font-size:.92rem}
.warnings strong{color:var(--warn)}
.warnings ul{margin:.2em 0 0;padding-left:1.1em}
.warnings details{margin:0 0 4px}.warnings summary{font-size:.86rem;padding:0}
nav{margin:30px 0 0;border-block:1px solid var(--line);padding:9px 0;font-size:.88rem}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:4px 22px;margin:0;padding:0}
nav a{text-decoration:none}nav a:hover{text-decoration:underline}
section{margin:44px 0 0;scroll-margin-top:12px}
.lead{color:var(--soft);margin:0 0 16px}
.small{font-size:.86rem;color:var(--soft)}
.missing{background:var(--card);border:1px dashed var(--line);border-radius:10px;padding:12px 16px;color:var(--soft);max-width:none}
.grid>.table{margin:0;align-self:start}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(460px,100%),1fr));gap:16px;margin:0 0 16px}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px 16px 8px;min-width:0;display:flex;flex-direction:column}
figcaption strong{display:block;font-weight:650}
.csv{float:right;font-size:.78rem;margin-left:12px}
figcaption span{display:block;color:var(--soft);font-size:.84rem;line-height:1.4}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 14px;margin:10px 0 8px;padding:0;font-size:.82rem;font-variant-numeric:tabular-nums}
.legend li{display:flex;align-items:center;gap:5px}
.legend li[data-series]{cursor:default}
.legend-title{color:var(--soft)}
.chart{overflow-x:auto;margin-top:auto}
.chart svg{display:block;width:100%;height:auto;font-family:inherit;color:var(--ink)}
.chart svg text{white-space:pre;font-size:9.5px}
.grid .chart svg{max-width:620px;margin-inline:auto}
.wide{margin:0 0 16px}
.wide .chart svg{min-width:760px}
.wide .chart svg text,.job .chart svg text{font-size:12px}
#stacks td:first-child{white-space:normal;overflow-wrap:anywhere;min-width:14em}
.drill{margin:0 0 14px}
section>.rest{margin-bottom:16px}
ol.issues{margin:.3em 0 1em;padding-left:1.4em;max-width:96ch}
ol.issues li{margin:.18em 0}
.series{transition:opacity .12s}
.table{overflow-x:auto;margin:0 0 18px;background:var(--card);border:1px solid var(--line);border-radius:10px}
table{border-collapse:collapse;width:100%;font-size:.88rem}
caption{text-align:left;font-weight:600;padding:11px 14px 7px}
th,td{padding:6px 14px;text-align:left;border-top:1px solid var(--line);vertical-align:baseline}
th{font-weight:600;color:var(--soft);font-size:.8rem;white-space:nowrap;border-top:0}
th small{display:block;font-weight:400;font-size:.74rem}
td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
td.key,th.key{width:1%;padding-right:18px;white-space:nowrap;font-variant-numeric:tabular-nums}
td:first-child{white-space:nowrap}
td.none{color:var(--soft)}
tbody tr:hover{background:color-mix(in srgb,var(--ink) 4%,transparent)}
details{margin:0 0 14px}
details>.table{max-height:460px;overflow:auto}
summary{cursor:pointer;color:var(--accent);font-size:.92rem;padding:4px 0}
details[open]>summary{margin-bottom:8px}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(320px,100%),1fr));gap:0 32px;margin:0 0 18px}
.facts>div{display:flex;gap:14px;border-top:1px solid var(--line);padding:7px 0}
.facts dt{flex:0 0 92px;color:var(--soft);font-size:.86rem}
.facts dd{margin:0;overflow-wrap:anywhere;font-size:.92rem}
.formulas{list-style:none;padding:0;margin:0 0 6px;font-size:.9rem}
.formulas li{display:flex;flex-wrap:wrap;gap:2px 14px;padding:3px 0}
.formulas span{min-width:15em}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.92em}
.glossary{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(420px,100%),1fr));gap:0 32px;margin:0}
.glossary>div{display:flex;gap:14px;border-top:1px solid var(--line);padding:8px 0;font-size:.92rem}
.glossary dt{flex:0 0 110px;font-weight:600}
.glossary dd{margin:0}
footer{margin:48px 0 0;color:var(--soft);font-size:.84rem}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media (max-width:640px){.story>div{display:block}.story .say{margin-top:4px}.sheet{padding:24px 14px 48px}figure{padding:12px 10px 6px}.chart svg text{font-size:12px}.wide .chart svg,.wide .chart svg.flame{min-width:900px!important}.table{background:linear-gradient(to left,var(--card) 14px,transparent) right/40px 100% local no-repeat,linear-gradient(to left,var(--line),transparent) right/16px 100% scroll no-repeat,var(--card)}caption span{position:sticky;left:12px;display:inline-block;max-width:calc(100vw - 56px)}th,td{padding:6px 10px}th:first-child,td:first-child{position:sticky;left:0;z-index:1;background:var(--card)}td:first-child:not(.key){white-space:normal;max-width:9.5em}td:not(.n):not(.key){min-width:8em}th{white-space:normal}.wide .chart::before{content:'Wider than the screen: scroll sideways';display:block;position:sticky;left:0;color:var(--soft);font-size:12px}}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}.series{transition:none}}
.job{margin:0 0 16px}
@media (max-width:640px){.job .chart::before{content:'Scroll sideways for all of it';display:block;position:sticky;left:0;color:var(--soft);font-size:12px}}
@media print{
:root{--page:#fff;--card:#fff}
@page{margin:14mm;@bottom-right{content:counter(page) ' / ' counter(pages);font-size:8pt;color:#5a6575}}
body{font-size:10.5pt}
.sheet{max-width:none;padding:0}
nav,summary,.csv{display:none}
details::details-content{content-visibility:visible;display:block}
.table,details>.table{overflow:visible;max-height:none}
th,th.n,th.key{white-space:normal}
th,td{padding:4px 7px}
table:has(th:nth-child(12)){font-size:7.5pt}
table:has(th:nth-child(12)) :is(th,th.n){font-size:6.5pt;overflow-wrap:anywhere}
table:has(th:nth-child(12)) :is(th,td){padding:3px 4px}
figure,.story>div,tr,p{break-inside:avoid}
header{break-after:page}
header .story>div{padding:8px 0}
h2,h3,.lead,caption,thead{break-after:avoid}
thead{break-inside:avoid}
tbody tr:nth-child(-n+3),tbody tr:last-child{break-before:avoid}
.grid{grid-template-columns:1fr 1fr}
.chart svg,.wide .chart svg{min-width:0}
.chart svg text{font-size:12px}
.wide .chart svg text,.job .chart svg text{font-size:12px}
}
`);
