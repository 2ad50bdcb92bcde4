/** `/app/executions/<id>`: why it ended as it did, which nodes ran, and related executions. */
import { isObject } from "../../platform/is-object.ts";
import { explanationPicture } from "../../views/waterfall/explanation-picture.ts";
import { listAt, type Members, membersAt, numberAt, textAt } from "../../views/waterfall/members.ts";
import { duration, stateOf } from "../../views/waterfall/picture.ts";
import { agentsPath, comparisonPath, executionPath, nodePath } from "./addresses.ts";
import { ButtonLink, Card, LoadedPart, Table } from "./blocks.tsx";
import { Moment } from "./moment.tsx";
import {
  type Answer,
  askTool,
  dataOf,
  instanceIn,
  type PageRequest,
  type Shown,
  shown,
} from "./page-request.ts";
import { PictureHead, PictureLines } from "./picture-view.tsx";
import { isRefused, Problem, showProblem } from "./problem.tsx";
import { Name, OutsideLink, Value } from "./text.tsx";
import { WORDS } from "./words.ts";

export async function showExecution(request: PageRequest): Promise<Shown> {
  const id = request.segments[1] ?? "";
  const [explained, summary] = await Promise.all([
    askTool(request, "explain_failure", { executionId: id }),
    askTool(request, "get_execution", { id }),
  ]);
  if (isRefused(explained) && isRefused(summary)) return showProblem(explained, request);
  return shown(
    <>
      <Explanation answer={explained} />
      <div class="sides">
        <div>
          <Summary answer={summary} request={request} />
        </div>
        <Comparison answer={explained} id={id} query={instanceIn(request)} />
      </div>
    </>,
  );
}

function Explanation({ answer }: { answer: Answer }) {
  if (isRefused(answer)) return <Problem answer={answer} />;
  const picture = explanationPicture(dataOf(answer), answer.message ?? "");
  return (
    <>
      <PictureHead picture={picture} />
      <PictureLines picture={{ ...picture, notes: [] }} label={WORDS.chain} />
    </>
  );
}

function Comparison({ answer, id, query }: { answer: Answer; id: string; query: object }) {
  const against = textAt(membersAt(dataOf(answer), "comparedWith"), "executionId");
  if (against === undefined) return null;
  return (
    <LoadedPart title={WORDS.beside} from={comparisonPath(id, { against, ...query })}>
      <a href={comparisonPath(id, { against, ...query })}>{WORDS.title.compared}</a>
    </LoadedPart>
  );
}

function Summary({ answer, request }: { answer: Answer; request: PageRequest }) {
  if (isRefused(answer)) return <Problem answer={answer} />;
  const data = dataOf(answer);
  const nodes = listAt(data, "availableNodes");
  return (
    <>
      <Card title={<Name of={textAt(data, "workflowName") ?? textAt(data, "workflowId") ?? ""} />}>
        <p>
          <Moment at={textAt(data, "startedAt")} />
          {", "}
          {textAt(data, "status")}
          {numberAt(data, "duration") !== undefined && `, ${duration(numberAt(data, "duration") ?? 0)}`}
        </p>
        <Related links={membersAt(data, "links")} query={instanceIn(request)} />
        {isObject(data.customData) && <Value value={data.customData} label={WORDS.customData} />}
        <p class="actions">
          <OutsideLink url={textAt(data, "url")} text={WORDS.openInN8n} />
          <OutsideLink url={textAt(data, "traceUrl")} text={WORDS.openTrace} />
          {nodes.some(isAgent) && (
            <ButtonLink to={agentsPath(textAt(data, "id") ?? "", instanceIn(request))} text={WORDS.agents} />
          )}
        </p>
      </Card>
      <Nodes
        nodes={nodes}
        id={textAt(data, "id") ?? ""}
        request={request}
        leftOut={answer.meta.leftOut !== undefined}
      />
    </>
  );
}

const isAgent = (node: Members): boolean => /langchain\.(agent|chain)/i.test(textAt(node, "nodeType") ?? "");

function Related({ links, query }: { links: Members; query: object }) {
  const ids = [
    { words: WORDS.parent, id: textAt(membersAt(links, "parent"), "executionId") },
    { words: WORDS.retryOf, id: textAt(links, "retryOf") },
    { words: WORDS.retrySuccess, id: textAt(links, "retrySuccessId") },
    ...listAt(links, "subExecutions").map((sub) => ({
      words: WORDS.subExecution,
      id: textAt(sub, "executionId"),
    })),
  ].filter(({ id }) => id !== undefined && id !== "__UNKNOWN__"); // n8n's word for the caller of an MCP tool
  if (ids.length === 0) return null;
  return (
    <ul aria-label={WORDS.links}>
      {ids.map(({ words, id = "" }) => (
        <li>
          {words} {/^\d+$/.test(id) ? <a href={executionPath(id, { ...query })}>{id}</a> : <bdi>{id}</bdi>}
        </li>
      ))}
    </ul>
  );
}

interface NodesProps {
  readonly nodes: readonly Members[];
  readonly id: string;
  readonly request: PageRequest;
  readonly leftOut: boolean;
}

function Nodes({ nodes, id, request, leftOut }: NodesProps) {
  return (
    <Card title={WORDS.nodes}>
      <Table head={[WORDS.node, WORDS.kind, WORDS.state]}>
        {nodes.map((node) => {
          const name = textAt(node, "nodeName") ?? "";
          const status = textAt(node, "status");
          return (
            <tr class={stateOf(status)}>
              <td>
                <span class="label">
                  <a href={nodePath(id, { name, ...instanceIn(request) })}>
                    <Name of={name} />
                  </a>
                </span>
              </td>
              <td class="muted">{shortType(textAt(node, "nodeType"))}</td>
              <td>{status}</td>
            </tr>
          );
        })}
      </Table>
      {leftOut && <p class="muted">{WORDS.moreNodes}</p>}
      {leftOut && <NodeField id={id} request={request} />}
    </Card>
  );
}

/** Of thousands of nodes most are not listed, so a person can type the name. */
function NodeField({ id, request }: { id: string; request: PageRequest }) {
  const { instance } = instanceIn(request);
  return (
    <form class="find" action={nodePath(id, {})}>
      <input type="search" name="name" aria-label={WORDS.node} placeholder={WORDS.node} required />
      {instance !== undefined && <input type="hidden" name="instance" value={instance} />}
      <button type="submit">{WORDS.find}</button>
    </form>
  );
}

/** `n8n-nodes-base.httpRequest` → `httpRequest`. */
const shortType = (type: string | undefined): string => type?.slice(type.lastIndexOf(".") + 1) ?? "";
