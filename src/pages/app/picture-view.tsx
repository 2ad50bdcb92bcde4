/**
 * Draws a picture on the server: the one that apps show (`views/waterfall`), with a line per bar that opens without a
 * script. Bars are SVG, because the page's policy allows no `style` attribute.
 */
import {
  axisOf,
  type Bar,
  MAX_INDENT,
  type Picture,
  placeOf,
  totalOf,
  wordsOf,
} from "../../views/waterfall/picture.ts";
import { factsOfSeries, rectanglesOf, type Series, wordsOfSeries } from "../../views/waterfall/series.ts";
import { pathOf } from "./addresses.ts";
import { ButtonLink, Card } from "./blocks.tsx";
import { Moment, Sentence } from "./moment.tsx";
import { OutsideLink, revealed } from "./text.tsx";
import { WORDS } from "./words.ts";

type Head = Pick<Picture, "title" | "sentence" | "state">;

export function PictureHead({ picture: { title, sentence, state } }: { picture: Head }) {
  return (
    <div class={`answer ${state}`}>
      <p class="subject">
        <bdi>{revealed(title)}</bdi>
      </p>
      <h1>
        <Sentence text={sentence} />
      </h1>
    </div>
  );
}

export function PictureLines({ picture, label }: { picture: Picture; label: string }) {
  const { bars, notes } = picture;
  const totalMs = totalOf(picture);
  const axis = axisOf(picture);
  if (bars.length === 0 && notes.length === 0) return null;
  return (
    <section class="lines card" aria-label={label}>
      <h2>{label}</h2>
      {axis.length > 0 && (
        <div class="axis" aria-hidden="true">
          {axis.map((text) => (
            <span>{text}</span>
          ))}
        </div>
      )}
      <ol>
        {bars.map((bar) => (
          <Line bar={bar} totalMs={totalMs} />
        ))}
      </ol>
      {notes.map((note) => (
        <p class="muted">
          <Sentence text={note} />
        </p>
      ))}
    </section>
  );
}

export function Columns({ series }: { series: Series }) {
  const { title, columns } = series;
  return (
    <Card title={title}>
      <p class="muted">{wordsOfSeries(series)}</p>
      <svg class="hours" aria-hidden="true" viewBox={`0 0 ${columns.length} 100`} preserveAspectRatio="none">
        {rectanglesOf(series).map(({ state, x, y, height }) => (
          <rect class={state} x={x + 0.1} width="0.8" y={y} height={height} />
        ))}
      </svg>
      <p class="ends muted" aria-hidden="true">
        <span>{columns[0]?.label}</span>
        <span>{columns.at(-1)?.label}</span>
      </p>
      <details>
        <summary>{WORDS.asTable}</summary>
        <ul>
          {factsOfSeries(series).map(([label, words]) => (
            <li>
              {label.includes("T") ? <Moment at={`${label}Z`} /> : label}: {words}
            </li>
          ))}
        </ul>
      </details>
    </Card>
  );
}

function Line({ bar, totalMs }: { bar: Bar; totalMs: number }) {
  const indent = `below-${Math.min(bar.depth, MAX_INDENT)}`;
  return (
    <li class={bar.state}>
      <details>
        <summary>
          <span class={`label ${indent}`}>
            <bdi>{revealed(bar.label)}</bdi>
            <span class="words">{wordsOf(bar)}</span>
          </span>
          <Track bar={bar} totalMs={totalMs} />
        </summary>
        <Facts bar={bar} />
      </details>
    </li>
  );
}

function Track({ bar, totalMs }: { bar: Bar; totalMs: number }) {
  const place = placeOf(bar, totalMs);
  if (place === undefined) return null;
  return (
    <svg class="track" aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none">
      <rect class="ground" width="100" height="4" />
      <rect
        class={bar.durationMs === undefined ? "bar going-on" : "bar"}
        x={place.from.toFixed(2)}
        width={place.width.toFixed(2)}
        height="4"
      />
    </svg>
  );
}

function Facts({ bar: { facts, url, calls } }: { bar: Bar }) {
  const links = calls.flatMap(({ tool, args }) => {
    const path = pathOf(tool, args);
    // The page of an execution shows its summary, too.
    return path === undefined || tool === "get_execution" ? [] : [{ path, label: labelOfCall(tool) }];
  });
  return (
    <div class="details">
      <dl>
        {facts.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>
              <bdi>{revealed(value)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <p class="actions">
        {links.map(({ path, label }) => (
          <ButtonLink to={path} text={label} />
        ))}
        <OutsideLink url={url} text={WORDS.openInN8n} />
      </p>
    </div>
  );
}

const labelOfCall = (tool: string): string =>
  tool === "get_execution_by_node" ? WORDS.nodeData : WORDS.explain;
