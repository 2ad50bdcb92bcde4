/** A sample answer: the trace of a request to the recorded n8n. Needs no script and no other resource. */

interface SampleExecution {
  readonly workflow: string;
  readonly what: string;
  readonly depth: number;
  readonly hasFailed: boolean;
  /** In milliseconds since the request arrived. */
  readonly from: number;
  readonly duration: number;
}

const ASKED = "What happened to request req-deep-failure?";
const ANSWER =
  "It failed at node “Fetch Rate” in SWF_Fetch_Rate, called from SWF_Price_Order, called from orders.process.";
const EXECUTIONS: readonly SampleExecution[] = [
  { workflow: "orders.process", what: "entry", depth: 0, hasFailed: true, from: 0, duration: 229 },
  { workflow: "SWF_Price_Order", what: "sub-workflow", depth: 1, hasFailed: true, from: 42, duration: 158 },
  { workflow: "SWF_Fetch_Rate", what: "sub-workflow", depth: 2, hasFailed: true, from: 152, duration: 29 },
  {
    workflow: "Global Error Handler",
    what: "error handler",
    depth: 1,
    hasFailed: false,
    from: 296,
    duration: 179,
  },
];
const TOTAL_MS = 475;

export function SampleTrace() {
  return (
    <figure class="sample">
      <figcaption>
        <q>{ASKED}</q> <strong>{ANSWER}</strong>
      </figcaption>
      <ol>
        {EXECUTIONS.map(({ workflow, what, depth, hasFailed, from, duration }) => (
          <li class={hasFailed ? "failed" : "succeeded"}>
            <span class={`below-${depth}`}>
              {workflow}{" "}
              <span class="muted">
                {what}, {hasFailed ? "failed" : "succeeded"}, {duration} ms
              </span>
            </span>
            <SampleBar from={from} duration={duration} />
          </li>
        ))}
      </ol>
    </figure>
  );
}

function SampleBar({ from, duration }: Pick<SampleExecution, "from" | "duration">) {
  const percent = (ms: number): string => ((ms / TOTAL_MS) * 100).toFixed(1);
  return (
    <svg aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none">
      <rect class="track" width="100" height="4" />
      <rect x={percent(from)} width={percent(duration)} height="4" />
    </svg>
  );
}
