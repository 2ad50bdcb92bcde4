/** By project, an execution is in one group for each of its projects, and no answer contains a person's address. */
import { expect, test } from "vitest";
import { jsonAnswer } from "../../support/fake-n8n.ts";
import {
  countedIn,
  executionsOf,
  knownN8n,
  run,
  workflowOf,
  workflowsOf,
} from "../failure-digest/known-n8n.ts";

const RUNS = executionsOf([run("old", 100), ...[5, 4, 3].map((hours) => run("tax", hours))]);

const PROJECT = "Qp7dHq2eKqT1mXaz";

function ownedBy(project: { readonly name: string; readonly type: string }) {
  const { n8n, query } = knownN8n(RUNS);
  const owner = { role: "workflow:owner", projectId: PROJECT, project: { id: PROJECT, ...project } };
  n8n.intercept = workflowsOf(
    ["tax", "old"].map((workflowId) => workflowOf(workflowId, { shared: [{ ...owner, workflowId }] })),
  );
  return query;
}
const PERSONAL = { name: "Jane Roe <jane.roe@example.com>", type: "personal" };

test("a team's project is one group, with its name", async () => {
  const query = ownedBy({ name: "Team A", type: "team" });
  const { groups } = countedIn(await query({ groupBy: ["project"], hours: 24 }));
  expect(groups).toMatchObject([{ project: "Team A", count: 3 }]);
});

test.each(["Team A", PROJECT])("a team's project is found by its name and its id: %s", async (project) => {
  const query = ownedBy({ name: "Team A", type: "team" });
  expect(countedIn(await query({ where: { project }, hours: 24 })).totals).toMatchObject({ count: 3 });
});

test("a personal project is one group, with its id", async () => {
  const answer = await ownedBy(PERSONAL)({ groupBy: ["project"], hours: 24 });
  expect(countedIn(answer).groups).toMatchObject([{ project: PROJECT, count: 3 }]);
  expect(JSON.stringify(answer)).not.toContain("jane.roe");
});

test("a personal project is not suggested by its owner's address", async () => {
  const answer = await ownedBy(PERSONAL)({ where: { project: "jane" }, hours: 24 });
  expect(answer).toMatchObject({ status: "error", data: { code: "VALIDATION_ERROR" } });
  expect(JSON.stringify(answer)).not.toContain("jane.roe");
});

test("an unknown tag may be one of a workflow that was not read in time", async () => {
  const { n8n, clock, query } = knownN8n(RUNS);
  const tagged = (id: string, name: string) => workflowOf(id, { tags: [{ name }] });
  n8n.intercept = (url) => {
    if (!url.pathname.endsWith("/workflows")) return workflowsOf()(url);
    clock.time += 11_000;
    return url.searchParams.has("cursor")
      ? jsonAnswer({ data: [tagged("tax", "money")], nextCursor: null })
      : jsonAnswer({ data: [tagged("orders", "city")], nextCursor: "next" });
  };
  const answer = await query({ where: { tag: "money" }, hours: 24, timeBudgetMs: 20_000 });
  expect(answer).toMatchObject({ status: "error", data: { code: "VALIDATION_ERROR" } });
  expect(JSON.stringify(answer)).toContain(
    "Not all workflows could be read, and none of those read has this tag",
  );
});

test("a mistyped tag is answered with the right one, even beside an unknown workflow", async () => {
  const { n8n, query } = knownN8n(RUNS);
  n8n.intercept = (url) =>
    url.pathname.endsWith("/workflows")
      ? jsonAnswer({
          data: [workflowOf("tax", { tags: [{ name: "billing" }] }), { id: 5, nodes: "?" }],
          nextCursor: null,
        })
      : workflowsOf()(url);
  expect(await query({ where: { tag: "biling" }, hours: 24 })).toMatchObject({
    status: "error",
    data: { code: "VALIDATION_ERROR", details: { field: "where.tag", candidates: ["billing"] } },
  });
});
