/** After the limit was raised, the alarm reads dropped executions again without disturbing a search in progress. */
import { expect, test } from "vitest";
import { NO_PROGRESS } from "../../src/mcp/progress.ts";
import { createFakeN8n, fakeHistory, isDataPage } from "../support/fake-n8n.ts";
import { queriesOf } from "../support/local-history.ts";
import { createTestTraces, WINDOW } from "../support/test-traces.ts";
import { passTurns } from "./scan/set-up.ts";

const PAGES_BEFORE = 4;

test("a search that began after a sync step reads nothing twice", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(4_500));
  for (let steps = 0; steps < 5; steps += 1) await traces.step(n8n, { maxExecutions: 1_000 });
  const [ofAlarm, ofPerson] = [createFakeN8n(n8n.executions), createFakeN8n(n8n.executions)];
  const [look, page] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const looking = Promise.withResolvers<void>();
  ofAlarm.intercept = (url) => {
    if (url.searchParams.get("status") !== "running") return undefined;
    looking.resolve();
    return look.promise;
  };
  let pages = 0;
  ofPerson.intercept = (url) => {
    if (!isDataPage(url)) return undefined;
    pages += 1;
    return pages > PAGES_BEFORE ? page.promise : undefined;
  };
  const stepping = traces.step(ofAlarm);
  await looking.promise;
  const sources = traces.sourcesOf(ofPerson);
  const { search } = queriesOf(traces.history, {
    userId: "anna",
    view: traces.view,
    sources,
    newId: () => "1",
  });
  const query = { query: { text: "ab cd" }, window: WINDOW, limit: 50_000, maxHits: 10 };
  const searching = search(
    { ...query, timeBudgetMs: 20_000, searchId: undefined },
    NO_PROGRESS,
    sources.redactLarge,
  );
  await passTurns(200);
  look.resolve(undefined);
  await passTurns(200);
  page.resolve(undefined);
  await Promise.all([stepping, searching]);
  expect(ofPerson.sent.length - new Set(ofPerson.sent).size).toBeLessThan(250);
});
