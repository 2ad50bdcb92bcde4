/** `/app/executions/<id>/node?name=…`: what went into a node and what came out, a page of items at a time. */
import { isObject } from "../../platform/is-object.ts";
import { type Members, membersAt, numberAt, textAt } from "../../views/waterfall/members.ts";
import { stateOf } from "../../views/waterfall/picture.ts";
import { executionPath, nodePath } from "./addresses.ts";
import { ButtonLink, Card } from "./blocks.tsx";
import { Sentence } from "./moment.tsx";
import { askTool, instanceIn, type PageRequest, type Shown } from "./page-request.ts";
import { showAnswer, showNeedsData } from "./problem.tsx";
import { OutsideLink, Value } from "./text.tsx";
import { WORDS } from "./words.ts";

const ITEMS = 10;

export async function showNode(request: PageRequest): Promise<Shown> {
  const { segments, query, visitor } = request;
  if (!visitor.showsData) return showNeedsData(request);
  const id = segments[1] ?? "";
  const answer = await askTool(request, "get_execution_by_node", {
    id,
    nodeName: query.get("name") ?? "",
    limit: ITEMS,
    run: wholeIn(query, "run"),
    output: wholeIn(query, "output"),
    offset: wholeIn(query, "offset"),
  });
  return showAnswer(answer, request, (data) => (
    <>
      <div class={`answer ${stateOf(textAt(data, "status"))}`}>
        <p class="subject">
          <a href={executionPath(id, instanceIn(request))}>
            {WORDS.title.executions} {id}
          </a>
        </p>
        <h1>
          <Sentence text={answer.message ?? ""} />
        </h1>
      </div>
      <Places data={data} id={id} request={request} />
      {isObject(data.error) && (
        <Card title={WORDS.error}>
          <Value value={data.error} label={WORDS.error} />
        </Card>
      )}
      <div class="sides">
        <Items page={membersAt(data, "input")} title={WORDS.input} data={data} request={request} />
        <Items page={membersAt(data, "output")} title={WORDS.output} data={data} request={request} />
      </div>
      <details class="more">
        <summary>{WORDS.parameters}</summary>
        <Value value={data.parameters} label={WORDS.parameters} />
      </details>
      <Remarks meta={answer.meta} />
      <p class="actions">
        <OutsideLink url={textAt(data, "url")} text={WORDS.openInN8n} />
      </p>
    </>
  ));
}

/** Text that is not a number is passed on to the tool, which rejects it with its own message. */
function wholeIn(query: URLSearchParams, name: string): number | string | undefined {
  const given = query.get(name);
  if (given === null || given === "") return undefined;
  return /^\d{1,9}$/.test(given) ? Number(given) : given;
}

/** Most nodes run once and have one output. */
const MAX_PLACES = 50;

function Places({ data, id, request }: { data: Members; id: string; request: PageRequest }) {
  const name = textAt(data, "nodeName") ?? "";
  const [run, runs] = [numberAt(data, "run") ?? 0, numberAt(data, "runs") ?? 1];
  const [output, outputs] = [numberAt(data, "outputIndex") ?? 0, numberAt(data, "outputs") ?? 1];
  const link = (words: string, place: object, isHere: boolean) => (
    <ButtonLink to={nodePath(id, { name, ...place, ...instanceIn(request) })} isHere={isHere} text={words} />
  );
  const first = Math.max(0, Math.min(run - MAX_PLACES / 2, runs - MAX_PLACES));
  if (runs < 2 && outputs < 2) return null;
  return (
    <nav class="spans" aria-label={WORDS.runsAndOutputs}>
      {runs > 1 &&
        Array.from({ length: Math.min(runs, MAX_PLACES) }, (_, index) =>
          link(WORDS.run(first + index, runs), { run: first + index }, first + index === run),
        )}
      {outputs > 1 &&
        Array.from({ length: Math.min(outputs, MAX_PLACES) }, (_, index) =>
          link(WORDS.outputOf(index), { run, output: index }, index === output),
        )}
    </nav>
  );
}

interface ItemsProps {
  readonly page: Members;
  readonly title: string;
  readonly data: Members;
  readonly request: PageRequest;
}

function Items({ page, title, data, request }: ItemsProps) {
  const items = Array.isArray(page.items) ? page.items : [];
  const [offset, total] = [numberAt(page, "offset") ?? 0, numberAt(page, "total") ?? items.length];
  const next = numberAt(page, "nextOffset");
  const here = {
    name: textAt(data, "nodeName"),
    run: numberAt(data, "run"),
    output: numberAt(data, "outputIndex"),
    ...instanceIn(request),
  };
  const at = (from: number) => nodePath(textAt(data, "executionId") ?? "", { ...here, offset: from });
  return (
    <Card title={title}>
      <p class="muted">{WORDS.items(offset + 1, offset + items.length, total)}</p>
      {items.map((item: unknown, index) => (
        <Value value={item} label={`${title}, ${WORDS.item(offset + index)}`} />
      ))}
      <p class="actions">
        {offset > 0 && <ButtonLink to={at(Math.max(0, offset - ITEMS))} text={WORDS.earlier} />}
        {next !== undefined && <ButtonLink to={at(next)} text={WORDS.later} />}
      </p>
    </Card>
  );
}

function Remarks({ meta }: { meta: Members }) {
  const counts = Object.values(membersAt(meta, "redactions")).filter((count) => typeof count === "number");
  const redacted = counts.reduce((sum, count) => sum + count, 0);
  return (
    <>
      {redacted > 0 && <p class="muted">{WORDS.redacted(redacted)}</p>}
      {meta.leftOut !== undefined && <p class="muted">{WORDS.shortened}</p>}
    </>
  );
}
