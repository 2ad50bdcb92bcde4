/** A time in UTC. The script shows it in the reader's zone, with UTC on hover. */
import { dayOf } from "../day.ts";
import { revealed } from "./text.tsx";

const toUtc = (time: Date): string => `${dayOf(time)}, ${time.toISOString().slice(11, 19)} UTC`;

export function Moment({ at }: { at: string | undefined }) {
  if (at === undefined) return <>–</>;
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return <>{at}</>;
  return (
    <time datetime={time.toISOString()} title={toUtc(time)}>
      {toUtc(time)}
    </time>
  );
}

const TIME = /(\d{4}-\d\d-\d\dT[\d:.]+Z)/;

/** A sentence of a tool, with its times in the reader's zone. */
export function Sentence({ text }: { text: string }) {
  const parts = revealed(text).split(TIME);
  return <>{parts.map((part) => (TIME.test(part) ? <Moment at={part} /> : part))}</>;
}
