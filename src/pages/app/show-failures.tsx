/** `/app` and `/app/failures?since=…`: what happened in a window, and the newest failures. Refreshes by itself. */
import { seriesOfDigest } from "../../views/waterfall/digest-picture.ts";
import { listAt, type Members, membersAt, numberAt, textAt } from "../../views/waterfall/members.ts";
import type { State } from "../../views/waterfall/picture.ts";
import { executionPath, failuresPath } from "./addresses.ts";
import { ButtonLink, Card, Table } from "./blocks.tsx";
import { Moment, Sentence } from "./moment.tsx";
import { type Answer, dataOf, type PageRequest, type Shown, shown } from "./page-request.ts";
import { Columns } from "./picture-view.tsx";
import { isRefused, Problem, showProblem } from "./problem.tsx";
import { Name, revealed } from "./text.tsx";
import { WORDS } from "./words.ts";

const DEFAULT_HOURS = 24;
const NEWEST = 10;

/** The n8n whose failures are shown: each has its own summary. */
function instanceOf({ query, visitor: { instances } }: PageRequest): { readonly instance?: string } {
  const instance = query.get("instance") || instances[0];
  return instance === undefined ? {} : { instance };
}

function windowIn({ query }: PageRequest): { readonly hours: number } | { readonly startedAfter: string } {
  const since = query.get("since");
  if (since !== null && since !== "") return { startedAfter: since };
  return { hours: Number(query.get("hours") || DEFAULT_HOURS) };
}

export async function showFailures(request: PageRequest): Promise<Shown> {
  const { visitor, say } = request;
  const window = windowIn(request);
  const instance = instanceOf(request);
  const [digest, newest] = await Promise.all([
    visitor.ask("summarize_failures", { ...window, ...instance }, say),
    visitor.ask("get_workflow_executions", { status: "error", limit: NEWEST, ...instance }),
  ]);
  if (isRefused(digest) && isRefused(newest)) return showProblem(digest, request);
  return shown(
    <>
      <Windows request={request} instance={instance} />
      <div data-refresh>
        <Digest answer={digest} query={instance} />
        <Newest answer={newest} query={instance} />
      </div>
      <p class="muted">{WORDS.updated}</p>
    </>,
  );
}

function Windows({ request, instance }: { request: PageRequest; instance: { readonly instance?: string } }) {
  const { query, visitor } = request;
  const window = windowIn(request);
  const hours = "hours" in window && Number.isFinite(window.hours) ? window.hours : undefined;
  return (
    <nav class="spans" aria-label={WORDS.window}>
      {WORDS.spans.map((span) => (
        <ButtonLink
          to={failuresPath({ hours: span.hours, ...instance })}
          isHere={span.hours === hours}
          text={span.name}
        />
      ))}
      {visitor.instances.map((name) => (
        <ButtonLink
          to={failuresPath({ hours, since: query.get("since") ?? undefined, instance: name })}
          isHere={name === instance.instance}
          text={name}
        />
      ))}
    </nav>
  );
}

const LISTS = ["incidents", "hanging", "silent", "unhandled", "unusual"] as const;

function Digest({ answer, query }: { answer: Answer; query: object }) {
  if (isRefused(answer)) return <Problem answer={answer} />;
  const data = dataOf(answer);
  const groups = listAt(data, "groups");
  const series = seriesOfDigest(data);
  return (
    <>
      <div class={`answer ${stateOf(data)}`}>
        <h1>{WORDS.title.home}</h1>
        <p>
          <Sentence text={answer.message ?? ""} />
        </p>
      </div>
      {series !== undefined && <Columns series={series} />}
      <Card title={WORDS.groups}>
        {groups.length === 0 ? (
          <p class="muted">{WORDS.noGroups}</p>
        ) : (
          <Groups groups={groups} query={query} />
        )}
      </Card>
      <div class="sides">
        {LISTS.map((list) => (
          <Unusual title={WORDS.lists[list]} of={listAt(data, list)} query={query} />
        ))}
      </div>
      <Coverage coverage={membersAt(data, "coverage")} />
    </>
  );
}

const stateOf = (data: Members): State => {
  if (listAt(data, "groups").length > 0) return "failed";
  if (LISTS.some((list) => listAt(data, list).length > 0)) return "warning";
  return textAt(membersAt(data, "coverage"), "stoppedBy") === "complete" ? "ok" : "open";
};

function Groups({ groups, query }: { groups: readonly Members[]; query: object }) {
  const { workflow, why, count, last } = WORDS.columns;
  return (
    <Table head={[workflow, why, count, last]}>
      {groups.map((group) => (
        <tr class="failed">
          <td>
            <span class="label">
              <a href={executionPath(textAt(group, "executionId") ?? "", { ...query })}>
                <Name of={workflowIn(group)} />
              </a>
            </span>
            <span class="words">
              <bdi>{textAt(group, "nodeName")}</bdi>
            </span>
          </td>
          <td>
            {textAt(group, "why")}
            <span class="words">{revealed(textAt(membersAt(group, "ownText"), "message") ?? "")}</span>
          </td>
          <td>{WORDS.times(numberAt(group, "count") ?? 0)}</td>
          <td>
            <Moment at={textAt(group, "last")} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

const workflowIn = (of: Members): string => textAt(of, "workflowName") ?? textAt(of, "workflowId") ?? "";

function Unusual({ title, of, query }: { title: string; of: readonly Members[]; query: object }) {
  if (of.length === 0) return null;
  return (
    <Card title={title}>
      <ul>
        {of.map((entry) => {
          const id = textAt(entry, "executionId");
          // An incident has a sentence of its own, which says what, where and when.
          const says = textAt(entry, "says");
          const name = <Name of={says ?? workflowIn(entry)} />;
          const about = says === undefined ? textAt(entry, "kind") : undefined;
          const at =
            says === undefined ? (textAt(entry, "startedAt") ?? textAt(entry, "lastStartedAt")) : undefined;
          return (
            <li>
              {id === undefined ? name : <a href={executionPath(id, { ...query })}>{name}</a>}
              {about !== undefined && `: ${revealed(about.replaceAll("_", " "))}`}
              {at !== undefined && (
                <>
                  , <Moment at={at} />
                </>
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function Coverage({ coverage }: { coverage: Members }) {
  return (
    <Card title={WORDS.known}>
      <p>
        {WORDS.knownSince} <Moment at={textAt(coverage, "knownSince")} />. {WORDS.asOf}{" "}
        <Moment at={textAt(coverage, "asOf")} />.
      </p>
      {textAt(coverage, "stoppedBy") !== "complete" && <p class="error">{WORDS.notComplete}</p>}
    </Card>
  );
}

function Newest({ answer, query }: { answer: Answer; query: object }) {
  if (isRefused(answer)) return <Problem answer={answer} />;
  const executions = listAt(dataOf(answer), "executions").slice(0, NEWEST);
  return (
    <Card title={WORDS.recent}>
      {executions.length === 0 && <p class="muted">{WORDS.noRecent}</p>}
      <ul class="lines">
        {executions.map((execution) => {
          const id = textAt(execution, "id") ?? "";
          return (
            <li class="failed">
              <span class="row">
                <span class="label">
                  <a href={executionPath(id, { ...query })}>
                    <Name of={textAt(execution, "workflowName") ?? id} />
                  </a>
                </span>
                <span class="muted">
                  <Moment at={textAt(execution, "startedAt")} /> · {id}
                </span>
              </span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
