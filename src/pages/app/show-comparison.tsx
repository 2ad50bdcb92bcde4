/** `/app/executions/<id>/compared?against=…`: what differs from an execution that succeeded. */
import { isObject } from "../../platform/is-object.ts";
import { listAt, type Members, membersAt, shownAt, textAt } from "../../views/waterfall/members.ts";
import { executionPath } from "./addresses.ts";
import { Part, Table } from "./blocks.tsx";
import { Moment, Sentence } from "./moment.tsx";
import { askTool, instanceIn, type PageRequest, type Shown } from "./page-request.ts";
import { showAnswer } from "./problem.tsx";
import { Name, revealed } from "./text.tsx";
import { WORDS } from "./words.ts";

export async function showComparison(request: PageRequest): Promise<Shown> {
  const id = request.segments[1] ?? "";
  const against = request.query.get("against") ?? "";
  const answer = await askTool(request, "compare_executions", { id, against });
  return showAnswer(answer, request, (data) => (
    <section class="card">
      <h1>{WORDS.title.compared}</h1>
      <Part>
        <p>
          <Sentence text={answer.message ?? ""} />
        </p>
        <p>
          <Side of={membersAt(data, "before")} words={WORDS.before} request={request} />
          <br />
          <Side of={membersAt(data, "now")} words={WORDS.now} request={request} />
        </p>
        <Differences data={data} />
      </Part>
    </section>
  ));
}

function Side({ of, words, request }: { of: Members; words: string; request: PageRequest }) {
  const id = textAt(of, "id") ?? "";
  return (
    <>
      {words}: <a href={executionPath(id, instanceIn(request))}>{id}</a>, {textAt(of, "status")},{" "}
      <Moment at={textAt(of, "startedAt")} />
    </>
  );
}

/** Members that name the node; the others are differences. */
const NAMES = new Set(["nodeName", "nodeType"]);

/** The differences in the tool's own terms: a node's status, items and shape, and values. */
function Differences({ data }: { data: Members }) {
  const nodes = listAt(data, "nodes").flatMap((node) =>
    Object.entries(node)
      .filter(([key, value]) => !NAMES.has(key) && isObject(value))
      .map(([key, value]) => ({ node, path: key, of: isObject(value) ? value : {} })),
  );
  const values = listAt(data, "values").map((value) => ({
    node: value,
    path: textAt(value, "path") ?? "",
    of: value,
  }));
  const all = [...nodes, ...values];
  if (all.length === 0) return data.same === true ? <p class="muted">{WORDS.sameAs}</p> : null;
  return (
    <Table head={[WORDS.node, WORDS.before, WORDS.now]}>
      {all.map(({ node, path, of }) => (
        <tr>
          <td>
            <Name of={textAt(node, "nodeName") ?? ""} /> <span class="words">{revealed(path)}</span>
          </td>
          <td data-label={WORDS.before}>{revealed(shownAt(of, "before") ?? "–")}</td>
          <td data-label={WORDS.now}>{revealed(shownAt(of, "now") ?? "–")}</td>
        </tr>
      ))}
    </Table>
  );
}
