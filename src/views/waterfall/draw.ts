/**
 * Draws a picture: a line per bar, with details below it on click or Enter. Promises: everything from an answer becomes
 * text, never HTML; every line is reachable by keyboard (arrows, Home, End, Enter, Escape).
 */
import {
  axisOf,
  type Bar,
  type Fact,
  MAX_INDENT,
  type OwnCall,
  type Picture,
  placeOf,
  totalOf,
  wordsOf,
} from "./picture.ts";
import { factsOfSeries, rectanglesOf, type Series, wordsOfSeries } from "./series.ts";

export interface Actions {
  /** Calls one of the server's own tools, and returns the answer as text. */
  readonly call: (call: OwnCall) => Promise<string>;
  readonly open: (url: string) => void;
}

const INDENT_REM = 0.9;

/** The only addresses that a host is asked to open. */
const WEB_ADDRESS = /^https?:\/\//;

type Child = Node | string;

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function drawPicture(into: HTMLElement, picture: Picture, actions: Actions): void {
  const { title, sentence, state, series, parts = [], bars, notes } = picture;
  const totalMs = totalOf(picture);
  const axis = axisOf(picture);
  const lines = element("ol", { "aria-label": "What ran" });
  lines.append(...bars.map((bar, index) => lineOf(bar, index, totalMs, actions)));
  lines.addEventListener("keydown", moveByKey);
  into.replaceChildren(
    element("header", { class: state }, element("h1", {}, title), element("p", {}, sentence)),
    ...[series ?? [], parts].flat().map(figureOf),
    ...(axis.length === 0 ? [] : [drawAxis("axis", axis)]),
    ...(bars.length === 0 ? [] : [lines]),
    ...notes.map((note) => element("p", { class: "note" }, note)),
  );
}

/** A sentence in place of a picture. */
export function drawMessage(into: HTMLElement, message: string): void {
  into.replaceChildren(element("p", { class: "note" }, message));
}

const drawAxis = (name: string, labels: readonly string[]): HTMLElement =>
  element("div", { class: name, "aria-hidden": "true" }, ...labels.map((text) => element("span", {}, text)));

const SVG = "http://www.w3.org/2000/svg";

function drawn(name: "svg" | "rect", attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/** Draws the columns, and says the same in words and numbers for people who do not see them. */
function figureOf(series: Series): HTMLElement {
  const { title, columns } = series;
  const viewBox = `0 0 ${columns.length} 100`;
  const svg = drawn("svg", { viewBox, preserveAspectRatio: "none", "aria-hidden": "true" });
  svg.append(
    ...rectanglesOf(series).map(({ state, x, y, height }) =>
      drawn("rect", { class: state, x: x + 0.1, width: 0.8, y, height }),
    ),
  );
  const ends = [columns[0], columns.at(-1)].map((column) => column?.label ?? "");
  return element(
    "figure",
    {},
    element("figcaption", {}, element("b", {}, title), ` ${wordsOfSeries(series)}`),
    svg,
    drawAxis("ends", ends),
    element("details", {}, element("summary", {}, "In numbers"), definitions(factsOfSeries(series))),
  );
}

function definitions(facts: readonly Fact[]): HTMLElement {
  const list = element("dl", {});
  for (const [name, value] of facts) list.append(element("dt", {}, name), element("dd", {}, value));
  return list;
}

function lineOf(bar: Bar, index: number, totalMs: number, actions: Actions): HTMLElement {
  const details = detailsOf(bar, index, actions);
  const line = element(
    "button",
    {
      type: "button",
      class: `line ${bar.state}`,
      "aria-expanded": "false",
      "aria-controls": details.id,
      // A single Tab stop; arrow keys move between lines.
      tabindex: index === 0 ? "0" : "-1",
    },
    ...labelOf(bar),
    ...trackOf(bar, totalMs),
  );
  line.addEventListener("click", () => toggle(line, details));
  return element("li", {}, line, details);
}

function labelOf(bar: Bar): HTMLElement[] {
  const { label, depth } = bar;
  const name = element("span", { class: "label" }, label);
  const below = element("span", { class: "words" }, wordsOf(bar));
  for (const text of [name, below])
    text.style.marginInlineStart = `${Math.min(depth, MAX_INDENT) * INDENT_REM}rem`;
  return [name, below];
}

function trackOf(of: Bar, totalMs: number): HTMLElement[] {
  const place = placeOf(of, totalMs);
  if (place === undefined) return [];
  const bar = element("span", {
    class: of.durationMs === undefined && of.part === undefined ? "bar going-on" : "bar",
  });
  bar.style.marginInlineStart = `${place.from}%`;
  bar.style.width = `${place.width}%`;
  return [element("span", { class: "track", "aria-hidden": "true" }, bar)];
}

function detailsOf({ facts, url, calls }: Bar, index: number, actions: Actions): HTMLElement {
  const answer = element("pre", { tabindex: "0", hidden: "", "aria-live": "polite" });
  const buttons = calls.map((call) => {
    const button = element("button", { type: "button", class: "action" }, call.label);
    button.addEventListener("click", () => void showAnswer(button, answer, call, actions));
    return button;
  });
  if (url !== undefined && WEB_ADDRESS.test(url)) {
    const link = element("button", { type: "button", class: "action" }, "Open in n8n");
    link.addEventListener("click", () => actions.open(url));
    buttons.push(link);
  }
  const details = element(
    "div",
    { class: "details", id: `details-${index}`, hidden: "" },
    definitions(facts),
  );
  if (buttons.length > 0) details.append(element("p", { class: "actions" }, ...buttons));
  details.append(answer);
  return details;
}

async function showAnswer(button: HTMLButtonElement, answer: HTMLElement, call: OwnCall, actions: Actions) {
  button.disabled = true;
  answer.hidden = false;
  answer.textContent = `${call.tool} …`;
  try {
    answer.textContent = await actions.call(call);
  } catch (error) {
    answer.textContent = `The call failed: ${error instanceof Error ? error.message : "no reason was given"}`;
  } finally {
    button.disabled = false;
  }
}

function toggle(line: HTMLElement, details: HTMLElement): void {
  details.hidden = !details.hidden;
  line.setAttribute("aria-expanded", String(!details.hidden));
}

const MOVES: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowDown: (index, last) => Math.min(last, index + 1),
  ArrowUp: (index) => Math.max(0, index - 1),
  Home: () => 0,
  End: (_index, last) => last,
};

function moveByKey(event: KeyboardEvent): void {
  if (!(event.currentTarget instanceof HTMLElement) || !(event.target instanceof HTMLElement)) return;
  const lines = [...event.currentTarget.querySelectorAll<HTMLElement>(".line")];
  const item = event.target.closest("li");
  const index = lines.findIndex((line) => line.parentElement === item);
  if (event.key === "Escape") {
    closeLine(lines[index]);
    return;
  }
  const target = lines[MOVES[event.key]?.(index, lines.length - 1) ?? -1];
  if (target === undefined || !event.target.classList.contains("line")) return;
  event.preventDefault();
  for (const line of lines) line.tabIndex = line === target ? 0 : -1;
  target.focus();
}

function closeLine(line: HTMLElement | undefined): void {
  if (line?.getAttribute("aria-expanded") === "true") line.click();
  line?.focus();
}
