/** The one style sheet, inline in every page: light and dark, no external resource. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f8; --card: #ffffff; --ink: #1b2030; --muted: #5a6275; --line: #dcdfe8;
  --accent: #4a3fd1; --accent-ink: #ffffff; --well: #f0f1f6;
  --warn-ground: #fff5dc; --warn-line: #e2b64a; --bad: #b3202f; --bad-ground: #fdecee;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12141b; --card: #1b1e28; --ink: #e8eaf2; --muted: #a2a9bb; --line: #343949;
    --accent: #a39bff; --accent-ink: #14122e; --well: #252937;
    --warn-ground: #33290f; --warn-line: #a5822e; --bad: #ff9aa3; --bad-ground: #3a1a20;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; padding: 2rem 1rem; display: grid; place-items: center;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main {
  width: 100%; max-width: 34rem; padding: 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 1rem; box-shadow: 0 8px 30px rgb(0 0 0 / 6%);
}
main.wide { max-width: 44rem; }
.brand { display: flex; gap: .5rem; align-items: center; margin: 0 0 1.25rem; color: var(--muted); font-weight: 600; }
.brand svg { color: var(--accent); }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; text-wrap: balance; }
h2 { margin: 2rem 0 .5rem; font-size: 1.05rem; }
p { margin: 0 0 .75rem; }
ol { margin: 0; padding-left: 1.25rem; }
a { color: var(--accent); }
.muted { color: var(--muted); font-size: .925rem; }
code, pre {
  font: .9rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  background: var(--well); border-radius: .4rem;
}
code { padding: .1rem .35rem; overflow-wrap: anywhere; }
pre { margin: .5rem 0 .75rem; padding: .75rem .9rem; white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; }
pre code { padding: 0; background: none; }
.destination { font-weight: 600; overflow-wrap: anywhere; }
.note { margin: 1rem 0; padding: .75rem .9rem; border-left: 4px solid var(--line); background: var(--well); border-radius: .4rem; }
.note p:last-child, .note ul:last-child { margin-bottom: 0; }
.warn { border-color: var(--warn-line); background: var(--warn-ground); }
.bad { border-color: var(--bad); background: var(--bad-ground); }
fieldset { margin: 1.25rem 0; padding: 0; border: 0; }
legend { padding: 0; margin-bottom: .5rem; font-weight: 600; }
.scope { display: grid; grid-template-columns: auto 1fr; gap: .1rem .7rem; padding: .75rem .9rem; border: 1px solid var(--line); }
.scope:first-of-type { border-radius: .6rem .6rem 0 0; }
.scope:last-of-type { border-radius: 0 0 .6rem .6rem; border-top: 0; }
.scope input { margin: .3rem 0 0; width: 1.05rem; height: 1.05rem; accent-color: var(--accent); }
.scope label { font-weight: 600; }
.scope .muted { grid-column: 2; margin: 0; }
.field label { display: block; font-weight: 600; margin-bottom: .35rem; }
input[type="password"] {
  width: 100%; padding: .65rem .8rem; font: inherit; color: inherit;
  background: var(--ground); border: 1px solid var(--muted); border-radius: .6rem;
}
input[aria-invalid="true"] { border-color: var(--bad); }
.field .muted { margin: .5rem 0 0; }
.error { color: var(--bad); font-weight: 600; margin: .5rem 0 0; }
.actions { display: flex; gap: .75rem; margin-top: 1.25rem; }
button {
  flex: 1; padding: .7rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--ink); background: transparent; border: 1px solid var(--muted); border-radius: .6rem;
}
button.primary { color: var(--accent-ink); background: var(--accent); border-color: var(--accent); }
@media (max-width: 26rem) { main { padding: 1.4rem; } }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;
