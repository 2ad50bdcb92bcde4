/** The style of answers, in addition to the style of all pages. Same contrast; nothing is shown by colour alone. */
const INDENTS = Array.from(
  { length: 9 },
  (_, depth) => `.below-${depth} { padding-inline-start: ${depth * 0.9}rem; }`,
);

export const APP_STYLE = `
:root { --open: var(--accent); --warning: #8a5f00; }
@media (prefers-color-scheme: dark) { :root { --warning: #e2b54a; } }
header { flex-wrap: wrap; gap: .5rem .75rem; }
.skip { position: absolute; left: -99rem; }
.skip:focus { position: static; }
.name { color: inherit; text-decoration: none; }
search { flex: 1 1 22rem; min-width: 0; }
.find { display: flex; gap: .5rem; min-width: 0; font-weight: 400; }
.find input { flex: 1 1 10rem; min-width: 0; }
.find input, .find select {
  padding: .5rem .75rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: .6rem;
}
.find input::placeholder { color: var(--muted); opacity: 1; }
.find select { max-width: 12rem; min-width: 0; }
.find button { width: auto; padding-block: .45rem; }
.session { position: relative; font-weight: 400; }
.session summary { padding: .45rem .6rem; cursor: pointer; border-radius: .6rem; }
.session .card { position: absolute; right: 0; z-index: 2; width: min(20rem, 90vw); }
.session form { display: grid; gap: .5rem; margin-bottom: .75rem; }
.words { display: block; color: var(--muted); font-size: .8rem; font-weight: 400; }
.session .words { display: inline; }
#answer:focus { outline: none; }
.answer { margin-bottom: 1.25rem; padding-inline-start: 1rem; border-inline-start: 4px solid var(--state); }
.answer h1 { margin: 0; font-size: 1.3rem; text-wrap: pretty; }
.subject { margin: 0 0 .15rem; color: var(--muted); overflow-wrap: anywhere; }
.ok { --state: var(--good); } .failed { --state: var(--bad); } .warning { --state: var(--warning); } .open { --state: var(--open); }
section.card, .progress { margin-bottom: 1.25rem; }
.lines ol, ul.lines { padding: 0; list-style: none; }
ul.lines.card { padding: .5rem 1.25rem 1rem; margin-bottom: 1.25rem; }
.lines li { margin: 0; border-top: 1px solid var(--line); }
.lines summary, .lines .row { display: grid; gap: .15rem 1rem; align-items: center; padding: .4rem .25rem; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.lines summary { position: relative; padding-inline-start: 1.1rem; cursor: pointer; }
.lines summary::before { content: "▸"; position: absolute; inset-block-start: .45rem; color: var(--muted); }
.lines [open] > summary::before { content: "▾"; }
.lines summary:hover { background: var(--well); }
.lines summary:hover .ground { fill: var(--card); }
.lines summary:not(:has(.track)) { grid-template-columns: minmax(0, 1fr); }
.label { overflow-wrap: anywhere; }
.label::before { content: ""; display: inline-block; width: .6em; height: .6em; margin-inline-end: .5em; border-radius: 50%; background: var(--state); }
.failed .label::before, .warning .label::before { border-radius: 0; }
.failed .label { font-weight: 600; }
.failed .words { color: var(--bad); }
.label .words { padding-inline-start: 1.1em; }
.track { width: 100%; height: .8rem; border-radius: .2rem; fill: var(--state); }
.track .ground { fill: var(--well); } .track .going-on { opacity: .6; }
.axis { display: flex; justify-content: space-between; margin-inline-start: calc(50% + 1.05rem); color: var(--muted); font-size: .75rem; font-variant-numeric: tabular-nums; }
.details { padding: .25rem .5rem .75rem 1.5rem; }
dl.facts, .details dl { margin: 0 0 .5rem; font-size: .9rem; }
dl.facts > div, .details dl > div { display: grid; grid-template-columns: minmax(6rem, 10rem) minmax(0, 1fr); gap: .1rem .75rem; }
.details dt, .facts dt { color: var(--muted); }
.details dd, .facts dd { margin: 0; overflow-wrap: anywhere; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0 0; }
.actions form { display: contents; }
.actions button { width: auto; }
.problem h1, .problem h2 { margin-bottom: .5rem; font-size: 1.3rem; }
.problem button { width: auto; }
table { width: 100%; border-collapse: collapse; font-size: .95rem; }
th { color: var(--muted); font-size: .8rem; font-weight: 600; text-align: start; }
td:first-child { min-width: 12rem; }
th, td { padding: .4rem .6rem .4rem 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
th { white-space: nowrap; }
thead th { border-top: 0; }
td .label::before { margin-inline-end: .4em; }
.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
.value { margin: .25rem 0 .75rem; padding: .6rem .75rem; max-height: 24rem; overflow: auto; background: var(--well); border-radius: .5rem; }
pre {
  margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; font: .8rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
.spans { display: flex; flex-wrap: wrap; gap: .5rem; margin-bottom: 1.25rem; }
.spans [aria-current] { color: var(--accent-ink); background: var(--accent); border-color: var(--accent); }
.hours { display: block; width: 100%; height: 6rem; background: var(--well); }
.hours rect { fill: var(--state); }
.ends { display: flex; justify-content: space-between; margin: 0; font-size: .8rem; }
.sides { display: grid; gap: 0 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); align-items: start; }
.progress ol { padding: 0; list-style: none; color: var(--muted); }
.progress li:not(:last-child) { display: none; }
time { white-space: nowrap; }
${INDENTS.join("\n")}
@media (max-width: 40rem) {
  header { margin-bottom: 1rem; }
  search { flex-basis: 100%; order: 3; }
  .find { flex-wrap: wrap; }
  .session { margin-inline-start: auto; }
  .session summary { padding-inline: 0; }
  .axis { display: none; }
  .lines summary, .lines .row { grid-template-columns: minmax(0, 1fr); }
  td[data-label]::before { content: attr(data-label) ": "; color: var(--muted); }
  table, tbody, tr, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: .5rem 0; border-top: 1px solid var(--line); }
  td { padding: .1rem 0; border: 0; }
  .details { padding-inline-start: .5rem; }
}
@media print {
  .find, .session, .skip, footer, .actions, .spans { display: none; }
  html, body, main, .card { background: none; box-shadow: none; color: #000; }
  .value { max-height: none; }
  svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
@media (forced-colors: active) { .track, .hours, .label::before { forced-color-adjust: none; } }
`;
