/** When executions failed: a bar for each hour, or for each day if there are too many hours. Times are UTC. */
import { type Members, textAt } from "../../views/waterfall/members.ts";
import { Card } from "./blocks.tsx";
import { Moment } from "./moment.tsx";
import { WORDS } from "./words.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_HOURS = 48;

interface Period {
  /** Epoch ms. */
  readonly from: number;
  readonly count: number;
}

/** Periods without a failure are among them. Empty for no times. */
export function periodsOf(
  times: readonly number[],
  now: number,
): { lengthMs: number; periods: readonly Period[] } {
  const first = times.reduce((least, time) => Math.min(least, time), now);
  const lengthMs = now - first > MAX_HOURS * HOUR_MS ? DAY_MS : HOUR_MS;
  const begin = Math.floor(first / lengthMs) * lengthMs;
  const counts = Map.groupBy(times, (time) => Math.floor(time / lengthMs) * lengthMs);
  const count = times.length === 0 ? 0 : Math.floor((now - begin) / lengthMs) + 1;
  const periods = Array.from({ length: count }, (_, index) => {
    const from = begin + index * lengthMs;
    return { from, count: counts.get(from)?.length ?? 0 };
  });
  return { lengthMs, periods };
}

export function FailureTimes({ of, isAll }: { of: readonly Members[]; isAll: boolean }) {
  const times = of
    .map((execution) => Date.parse(textAt(execution, "startedAt") ?? ""))
    .filter(Number.isFinite);
  const { lengthMs, periods } = periodsOf(times, Date.now());
  if (periods.length === 0) return null;
  const most = periods.reduce((greatest, { count }) => Math.max(greatest, count), 1);
  const title = lengthMs === HOUR_MS ? WORDS.byHour : WORDS.byDay;
  return (
    <Card title={title}>
      <svg class="hours" aria-hidden="true" viewBox={`0 0 ${periods.length} 10`} preserveAspectRatio="none">
        <rect class="ground" width={periods.length} height="10" />
        {periods.map(({ count }, index) => (
          <rect x={index + 0.1} width="0.8" y={10 - (count / most) * 10} height={(count / most) * 10} />
        ))}
      </svg>
      <details>
        <summary>{WORDS.asTable}</summary>
        <ul>
          {periods
            .filter(({ count }) => count > 0)
            .map(({ from, count }) => (
              <li>
                <Moment at={new Date(from).toISOString()} />: {count}
              </li>
            ))}
        </ul>
      </details>
      {!isAll && <p class="muted">{WORDS.newestOnly(of.length)}</p>}
    </Card>
  );
}
