/** A worker whose clock is behind: executions that begin now seem older than what was listed before. */
import { expect, test } from "vitest";
import { createFakeN8n } from "../../support/fake-n8n.ts";
import { each, put, queued, ranFrom, tracesOf } from "./queue-set-up.ts";
import { isSingle } from "./set-up.ts";

const MINUTE = 60_000;
const PER_MINUTE = 240;
const START = Date.UTC(2026, 0, 1);
const KNOWN = 5_000;

test("what it begins late from a long queue does not have all history listed again", async () => {
  const traces = tracesOf(true);
  const n8n = createFakeN8n(each(1, KNOWN, (id) => ranFrom(START + id * 1_000, id, `r-${id}`)));
  traces.clock.time = START + (KNOWN + 1) * 1_000;
  const look = async (): Promise<number> => {
    const before = n8n.requests.length;
    await traces.step(n8n);
    const asked = n8n.requests.slice(before).map((path) => new URL(path, "http://n8n"));
    return asked.filter((url) => !isSingle(url)).length;
  };
  for (let looks = 0; looks < 8; looks += 1) {
    await look();
    traces.clock.time += MINUTE;
  }
  const waiting: number[][] = [];
  const lists: number[] = [];
  for (let minute = 0; minute < 6; minute += 1) {
    const now = traces.clock.time;
    const end = KNOWN + (minute + 1) * PER_MINUTE;
    const isOvertaken = (id: number): boolean => id > end - PER_MINUTE / 2 && id % 2 === 0;
    const ids = each(end - PER_MINUTE + 1, end, (id) => id);
    const atOnce = ids.filter((id) => !isOvertaken(id));
    put(n8n, ...atOnce.map((id) => ranFrom(now - (end - id + 1) * 100, id, `r-${id}`)));
    const overtaken = ids.filter(isOvertaken);
    put(n8n, ...overtaken.flatMap((id) => queued(id, id)));
    waiting.push(overtaken);
    lists.push(await look());
    const begun = waiting.length > 2 ? (waiting.shift() ?? []) : [];
    put(n8n, ...begun.map((id) => ranFrom(now - 5_000, id, `r-${id}`)));
    traces.clock.time += MINUTE;
  }
  // All of the history takes 35.
  expect(Math.max(...lists)).toBeLessThan(12);
});
