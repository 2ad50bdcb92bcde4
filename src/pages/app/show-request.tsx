/** `/app/requests/<id>`: what happened to a request, by `trace_request`. */
import { listAt, type Members, membersAt, numberAt, textAt } from "../../views/waterfall/members.ts";
import { stateOf } from "../../views/waterfall/picture.ts";
import { tracePicture } from "../../views/waterfall/trace-picture.ts";
import { executionPath, requestPath, searchPath } from "./addresses.ts";
import { ButtonLink, Card } from "./blocks.tsx";
import { Moment } from "./moment.tsx";
import { type Answer, askTool, dataOf, instanceIn, type PageRequest, type Shown } from "./page-request.ts";
import { PictureHead, PictureLines } from "./picture-view.tsx";
import { isRefused, showAnswer } from "./problem.tsx";
import { Name, OutsideLink } from "./text.tsx";
import { WORDS } from "./words.ts";

/** Calls of `trace_request` per page: each reads for as long as an MCP client waits for one answer. */
const MAX_CALLS = 6;
const NOT_YET = "not_found_yet";

export async function showRequest(request: PageRequest): Promise<Shown> {
  const { segments, query } = request;
  const requestId = segments[1] ?? query.get("id") ?? "";
  const answer = await readTrace(requestId, request);
  return showAnswer(answer, request, (data) => (
    <Trace data={data} sentence={answer.message ?? ""} request={request} requestId={requestId} />
  ));
}

/** The first trace can take longer than one call may: the next call continues it. */
async function readTrace(requestId: string, request: PageRequest): Promise<Answer> {
  const { query } = request;
  const deep = query.get("deep") === "yes" ? { deep: true } : {};
  const traceId = query.get("trace");
  const begin = traceId === null ? { requestId, ...deep } : { traceId, ...deep };
  let answer = await askTool(request, "trace_request", begin);
  for (let call = 1; call < MAX_CALLS; call += 1) {
    const data = dataOf(answer);
    const id = textAt(data, "traceId");
    const stop = textAt(membersAt(data, "coverage"), "stoppedBy");
    if (isRefused(answer) || textAt(data, "outcome") !== NOT_YET || id === undefined || stop !== "time")
      break;
    answer = await askTool(request, "trace_request", { traceId: id });
  }
  return answer;
}

interface TraceProps {
  readonly data: Members;
  readonly sentence: string;
  readonly request: PageRequest;
  readonly requestId: string;
}

function Trace({ data, sentence, request, requestId }: TraceProps) {
  const picture = tracePicture(data, sentence);
  return (
    <>
      <PictureHead picture={picture} />
      {picture.bars.length > 0 && <PictureLines picture={picture} label={WORDS.timeline} />}
      <Deliveries of={listAt(data, "deliveries")} instance={textAt(data, "instance")} />
      <Instances of={listAt(data, "instances")} requestId={requestId} />
      <Coverage data={data} request={request} requestId={requestId} />
    </>
  );
}

function Deliveries({ of, instance }: { of: readonly Members[]; instance: string | undefined }) {
  if (of.length === 0) return null;
  return (
    <Card title={WORDS.deliveries}>
      <ul>
        {of.map((delivery) => (
          <li class={stateOf(textAt(delivery, "outcome"))}>
            <span class="label">
              <a href={executionPath(textAt(delivery, "executionId") ?? "", { instance })}>
                <Name of={textAt(delivery, "workflow") ?? ""} />
              </a>
              , {textAt(delivery, "outcome")}, <Moment at={textAt(delivery, "startedAt")} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Several n8n instances may know the id. */
function Instances({ of, requestId }: { of: readonly Members[]; requestId: string }) {
  if (of.length === 0) return null;
  return (
    <Card title={WORDS.instances}>
      <ul>
        {of.map((entry) => {
          const instance = textAt(entry, "instance") ?? "";
          const said = textAt(entry, "outcome") ?? textAt(membersAt(entry, "error"), "message") ?? "";
          return (
            <li>
              <a href={requestPath(requestId, { instance })}>{instance}</a> {said.replaceAll("_", " ")}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

/** A search reads a single n8n: without one in the address, there is a button for each. */
function Searches({ data, request, requestId }: Omit<TraceProps, "sentence">) {
  const own = instanceIn(request).instance ?? textAt(data, "instance");
  const { instances } = request.visitor;
  if (own !== undefined || instances.length === 0)
    return <ButtonLink to={searchPath(requestId, { instance: own })} text={WORDS.searchInstead} />;
  return (
    <>
      {instances.map((instance) => (
        <ButtonLink to={searchPath(requestId, { instance })} text={`${WORDS.searchInstead} (${instance})`} />
      ))}
    </>
  );
}

function Coverage({ data, request, requestId }: Omit<TraceProps, "sentence">) {
  const coverage = membersAt(data, "coverage");
  const traceId = textAt(data, "traceId");
  const query = instanceIn(request);
  const isFound = data.found === true;
  const isComplete = coverage.complete === true;
  return (
    <Card title={WORDS.known}>
      <p>{isComplete ? WORDS.complete(numberAt(coverage, "scannedExecutions") ?? 0) : WORDS.notComplete}</p>
      <p class="actions">
        {!isComplete && traceId !== undefined && (
          <ButtonLink to={requestPath(requestId, { ...query, trace: traceId })} text={WORDS.readOn} />
        )}
        {!isFound && request.visitor.mayReadData && (
          <>
            <Searches data={data} request={request} requestId={requestId} />
            <ButtonLink to={requestPath(requestId, { ...query, deep: "yes" })} text={WORDS.readDeep} />
          </>
        )}
        <OutsideLink url={textAt(data, "traceUrl")} text={WORDS.openTrace} />
      </p>
    </Card>
  );
}
