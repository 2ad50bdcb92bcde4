/**
 * The style of all pages, inline, light and dark, without external resources. The contrast of text is at least 4.5 to
 * 1, of field borders and the focus ring 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11).
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f5f5fa; --glow: #e7e5fb; --card: #ffffff; --ink: #1a1d2b; --muted: #575e73;
  --line: #dddfe9; --edge: #7c8398; --accent: #4a3fd1; --accent-strong: #3a30b3; --accent-ink: #ffffff;
  --well: #f2f2f8; --warn-ground: #fff6df; --warn-line: #c08a12; --bad: #b3202f; --good: #2f8f5b; --bad-ground: #fdecee;
  --shadow: 0 1px 2px rgb(22 20 60 / 6%), 0 10px 30px rgb(22 20 60 / 7%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #11131a; --glow: #211f3f; --card: #1a1d27; --ink: #e9ebf3; --muted: #a7aec0;
    --line: #30354a; --edge: #7b8299; --accent: #a8a0ff; --accent-strong: #c0baff; --accent-ink: #14122e;
    --well: #232735; --warn-ground: #2f2710; --warn-line: #c79a3a; --bad: #ff9aa3; --good: #4cc38a; --bad-ground: #3a1a20;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 10px 30px rgb(0 0 0 / 25%);
  }
}
* { box-sizing: border-box; }
html { background: linear-gradient(var(--glow), transparent 22rem) no-repeat var(--ground); }
body {
  margin: 0 auto; min-height: 100vh; max-width: 36rem; padding: 1.75rem 1rem 1.25rem;
  display: flex; flex-direction: column; gap: 1.25rem; color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif;
}
body.wide { max-width: 66rem; padding-inline: clamp(1rem, 4vw, 2rem); }
header { display: flex; gap: .55rem; align-items: center; font-weight: 600; }
header svg { color: var(--accent); }
footer {
  margin-top: auto; padding-top: .5rem; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem;
  color: var(--muted); font-size: .875rem;
}
footer nav { display: flex; gap: 1rem; }
main, .card, .panel {
  background: var(--card); border: 1px solid var(--line); border-radius: 1rem; box-shadow: var(--shadow);
}
main { padding: clamp(1.25rem, 5vw, 2rem); }
main > p:last-child { margin-bottom: 0; }
.wide main { padding: 0; background: none; border: 0; box-shadow: none; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; text-wrap: balance; }
h2 { margin: 0 0 .75rem; font-size: 1.2rem; }
h3 { margin: 0 0 .75rem; font-size: 1rem; }
p { margin: 0 0 .75rem; }
ol, ul { margin: 0; padding-left: 1.25rem; }
li + li { margin-top: .3rem; }
a { color: var(--accent); text-underline-offset: .15em; }
a:hover { color: var(--accent-strong); }
.muted { color: var(--muted); font-size: .9rem; }
code {
  padding: .1rem .35rem; background: var(--well); border-radius: .35rem; overflow-wrap: anywhere;
  font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
.hero { padding: clamp(.5rem, 4vw, 2rem) 0 clamp(1.25rem, 4vw, 2rem); }
.hero h1 { font-size: clamp(1.9rem, 6vw, 2.75rem); letter-spacing: -.02em; }
.lead { max-width: 42rem; margin: 0; color: var(--muted); font-size: clamp(1rem, 2.5vw, 1.2rem); }
.panel { margin-bottom: 2.25rem; padding: 1.25rem; border-top: 3px solid var(--accent); }
.panel > :last-child, .card > :last-child { margin-bottom: 0; }
.cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr)); }
.cards + p { margin-top: 1.25rem; }
.card { padding: 1.15rem 1.25rem 1.25rem; min-width: 0; }
.card p, .card li { font-size: .95rem; }
.card ol + p, .card ul + p { margin-top: .75rem; }
.columns { display: grid; gap: 1.5rem 3rem; margin: 2.25rem 0 1rem; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); }
.more { margin: 1rem 0 2.25rem; }
.more summary { padding: .8rem 1.25rem; font-weight: 600; cursor: pointer; border: 1px solid var(--line); border-radius: 1rem; background: var(--card); }
.more[open] summary { margin-bottom: 1rem; }
.sample { margin: 0; padding: 1.15rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
.sample figcaption { margin-bottom: .75rem; overflow-wrap: anywhere; }
.sample q { display: block; color: var(--muted); }
.sample ol { padding: 0; list-style: none; }
.sample li { display: grid; gap: .15rem 1rem; align-items: center; grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr)); }
.sample .below-1 { padding-left: 1rem; } .sample .below-2 { padding-left: 2rem; }
.sample svg { width: 100%; height: .7rem; border-radius: .2rem; fill: var(--good); }
.sample .failed svg { fill: var(--bad); } .sample .track { fill: var(--well); }
.questions { padding: 0; list-style: none; }
.questions li::before { content: "“"; } .questions li::after { content: "”"; }
.copyable { display: grid; grid-template-columns: minmax(0, 1fr) auto; margin-bottom: .75rem; }
.copyable > input, .copyable > code {
  grid-area: 1 / 1; min-width: 0; width: 100%; padding: .65rem .8rem; color: inherit; background: var(--well);
  border: 1px solid var(--line); border-radius: .6rem; line-height: 1.5;
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .85rem;
}
.copyable code { user-select: all; -webkit-user-select: all; cursor: copy; }
.copyable input:focus-visible { z-index: 1; }
/* As high as the field's first line: 1.5 of its size. */
.copy { position: relative; grid-area: 1 / 2; align-self: start; margin-left: .5rem; width: auto; min-width: 5.5rem; line-height: 1.275rem; }
.panel .copyable > input, .panel .copyable > code { font-size: 1.05rem; font-weight: 600; }
.panel .copy { line-height: 1.575rem; }
.parties { margin: .75rem 0; padding: .3rem .9rem; background: var(--well); border: 1px solid var(--line); border-radius: .6rem; }
.parties div { display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline; padding: .3rem 0; }
.parties dt { min-width: 7.5rem; color: var(--muted); font-size: .9rem; }
.parties dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.parties strong { font: 600 1rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.host { font-weight: 600; overflow-wrap: anywhere; }
.note { margin: 1rem 0; padding: .85rem 1rem; border-left: 4px solid var(--accent); background: var(--well); border-radius: .5rem; }
.note h2 { margin-bottom: .35rem; font-size: 1rem; }
.note > :last-child { margin-bottom: 0; }
.note + section:not(.note) { margin-top: 1.5rem; }
.warn { border-color: var(--warn-line); background: var(--warn-ground); }
.wide .note { margin: 0 0 1.5rem; }
fieldset { min-width: 0; margin: 1.25rem 0; padding: 0; border: 0; }
legend { padding: 0; margin-bottom: .5rem; font-weight: 600; }
.scope { display: grid; grid-template-columns: auto 1fr; gap: .15rem .75rem; padding: .8rem .9rem; border: 1px solid var(--line); }
.scope:first-of-type { border-radius: .6rem .6rem 0 0; }
.scope:last-of-type { border-radius: 0 0 .6rem .6rem; border-top: 0; }
.scope input { margin: .3rem 0 0; width: 1.05rem; height: 1.05rem; accent-color: var(--accent); }
.scope label { font-weight: 600; }
.choice-note { margin: .6rem 0 0; }
.scope code { font-weight: 400; }
.scope .muted { grid-column: 2; margin: 0; }
.field { margin-bottom: .75rem; }
.field label { display: block; margin-bottom: .35rem; font-weight: 600; }
.field .muted, .field .error { margin: .4rem 0 0; }
.decisions { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(min(8rem, 100%), 1fr)); }
input[type="password"] {
  width: 100%; padding: .65rem .8rem; font: inherit; color: inherit;
  background: var(--ground); border: 1px solid var(--edge); border-radius: .6rem;
}
input[aria-invalid="true"] { border-color: var(--bad); }
.error { color: var(--bad); font-weight: 600; }
.or { display: flex; align-items: center; gap: .9rem; margin: 1.25rem 0; color: var(--muted); font-size: .9rem; }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
button, .button {
  padding: .65rem 1rem; font: inherit; font-weight: 600; line-height: 1.4; text-align: center; cursor: pointer;
  color: var(--ink); background: transparent; border: 1px solid var(--edge); border-radius: .6rem;
  overflow-wrap: anywhere;
}
button { width: 100%; }
.button { display: inline-block; padding: .45rem .9rem; text-decoration: none; }
button:hover, .button:hover { color: var(--ink); background: var(--well); }
.primary { color: var(--accent-ink); background: var(--accent); border-color: var(--accent); }
.primary:hover { color: var(--accent-ink); background: var(--accent-strong); border-color: var(--accent-strong); }
.unseen { position: absolute; width: 1px; height: 1px; padding: 0; border: 0; overflow: hidden; clip-path: inset(50%); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 30rem) {
  body { padding-block: .6rem; gap: .6rem; }
  main { padding: .75rem .9rem; }
  body:not(.wide) h1 { margin-bottom: .4rem; font-size: 1.15rem; }
  .parties { margin: .4rem 0; padding: .1rem .7rem; }
  .parties div { padding: .1rem 0; }
  .parties dt { min-width: 5.8rem; font-size: .8rem; }
  .parties div { gap: 0 .4rem; }
  .parties strong { font-size: .9rem; }
  body:not(.wide) .note { margin: .4rem 0; padding: .35rem .7rem; font-size: .85rem; line-height: 1.4; }
  body:not(.wide) .muted { font-size: .85rem; line-height: 1.4; margin-bottom: .4rem; }
  fieldset { margin: .5rem 0; }
  legend { margin-bottom: .25rem; }
  .scope { padding: .35rem .6rem; gap: 0 .6rem; }
  .scope label { line-height: 1.4; }
  body:not(.wide) .scope .muted { margin: 0; }
  .field { margin-bottom: .5rem; }
  .field label { margin-bottom: .15rem; }
  input[type="password"], button { padding-block: .45rem; }
  .copyable { grid-template-columns: minmax(0, 1fr); }
  .copy { grid-area: 2 / 1; margin: .5rem 0 0; }
}
@media (prefers-contrast: more) { :root { --line: var(--edge); --muted: var(--ink); } }
`;
