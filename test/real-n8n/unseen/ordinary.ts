/** Real successes whose data and nodes may sound like failures. */

import { codeForEach, get, list, loop, merge, noOp, post, set, when } from "../kinds/parts.ts";
import { wire } from "../kinds/stage.ts";
import {
  callSubWorkflow,
  code,
  node,
  subWorkflowStart,
  type WorkflowNode,
  webhook,
} from "../workflow-parts.ts";
import type { UnseenKind, UnseenParts } from "./unseen-kind.ts";

const full = { options: { response: { response: { fullResponse: true, neverError: true } } } };

const base = (
  name: string,
  type: string,
  version: number,
  parameters: Record<string, unknown> = {},
): WorkflowNode => node(name, `n8n-nodes-base.${type}`, version, parameters);

export function ordinaryUnseen({ odd }: UnseenParts): readonly UnseenKind[] {
  const ordinary = (name: string, ...nodes: readonly WorkflowNode[]): UnseenKind => ({
    name,
    family: "ordinary",
    draft: { nodes },
  });
  return [
    {
      name: "third-try-succeeds",
      family: "ordinary",
      draft: ({ services }) => ({
        nodes: [
          {
            ...post("Book room", `${services.url}/flaky/third-try`),
            retryOnFail: true,
            maxTries: 3,
            waitBetweenTries: 100,
          },
          noOp("Confirm"),
        ],
      }),
    },
    {
      name: "create-where-not-found",
      family: "ordinary",
      draft: {
        nodes: [
          get("Find customer", `${odd.url}/lookup/5`, full),
          when("Is new", {
            left: "={{ $json.statusCode }}",
            type: "number",
            operation: "equals",
            right: 404,
          }),
          post("Create customer", `${odd.url}/ok`),
          noOp("Done"),
        ],
        connections: wire(
          "Webhook > Find customer",
          "Find customer > Is new",
          "Is new > Create customer",
          "Create customer > Done",
          "Is new.1 > Done",
        ),
      },
    },
    {
      name: "empty-result-is-handled",
      family: "ordinary",
      draft: {
        nodes: [
          { ...code("Find open orders", "return []"), alwaysOutputData: true },
          when("Has any", {
            left: "={{ Object.keys($json).length > 0 }}",
            type: "boolean",
            operation: "true",
          }),
          noOp("Remind"),
          set("Nothing to do", { done: true }),
        ],
        connections: wire(
          "Webhook > Find open orders",
          "Find open orders > Has any",
          "Has any > Remind",
          "Has any.1 > Nothing to do",
        ),
      },
    },
    ordinary(
      "tickets-about-errors",
      list("Read tickets", [
        { id: 1, subject: "Error 404: page not found", status: "failed", error: null },
        { id: 2, subject: "My payment was refused", status: "error", message: "it crashed" },
      ]),
      codeForEach("Classify", "return { json: { ...$json, urgent: /error/i.test($json.subject) } }"),
      base("Sort", "sort", 1, {
        sortFieldsUi: { sortField: [{ fieldName: "id", order: "descending" }] },
        options: {},
      }),
    ),
    ordinary(
      "incident-report",
      list("List incidents", [
        { service: "shop", error: { message: "disk full", code: 500 }, errors: [] },
        { service: "mail", error: { message: "ECONNREFUSED", code: 111 }, errors: ["a"] },
      ]),
      base("Count", "summarize", 1.1, {
        fieldsToSummarize: { values: [{ aggregation: "count", field: "service" }] },
        options: {},
      }),
    ),
    ordinary(
      "code-handles-its-error",
      code(
        "Read raw",
        "try { return [{ json: JSON.parse('{') }] } catch (error) { return [{ json: { parsed: false, reason: 'no JSON' } }] }",
      ),
      noOp("Done"),
    ),
    ordinary(
      "waits-a-second",
      base("Wait a second", "wait", 1.1, { resume: "timeInterval", amount: 1, unit: "seconds" }),
      set("Go on", { on: true }),
    ),
    ordinary(
      "waits-until-the-past",
      base("Wait for day", "wait", 1.1, { resume: "specificTime", dateTime: "2020-01-01T00:00:00" }),
      set("Go on", { on: true }),
    ),
    {
      name: "loop-of-batches",
      family: "ordinary",
      draft: {
        nodes: [
          list("List rooms", [{ r: 1 }, { r: 2 }, { r: 3 }, { r: 4 }, { r: 5 }]),
          loop("Each two", 2),
          set("Clean", { cleaned: true }, true),
          base("Sum up", "aggregate", 1, { aggregate: "aggregateAllItemData", options: {} }),
        ],
        connections: wire(
          "Webhook > List rooms",
          "List rooms > Each two",
          "Each two > Sum up",
          "Each two.1 > Clean",
          "Clean > Each two",
        ),
      },
    },
    {
      name: "sub-workflow-for-each",
      family: "ordinary",
      draft: async (stage) => {
        const id = await stage.addCalled("Price one", {
          nodes: [subWorkflowStart(), set("Price", { price: 3, status: "ok" }, true)],
        });
        const call = callSubWorkflow("Price each", id);
        return {
          nodes: [
            list("List lines", [{ l: 1 }, { l: 2 }]),
            { ...call, parameters: { ...call.parameters, mode: "each" } },
          ],
        };
      },
      executions: 3,
    },
    {
      name: "answers-not-found-on-purpose",
      family: "ordinary",
      draft: {
        nodes: [
          {
            ...webhook("answers-not-found-on-purpose", "lastNode"),
            parameters: {
              path: "answers-not-found-on-purpose",
              httpMethod: "POST",
              responseMode: "responseNode",
              options: {},
            },
          },
          base("Answer", "respondToWebhook", 1.4, {
            respondWith: "json",
            responseBody: '{ "error": "No such order" }',
            options: { responseCode: 422 },
          }),
        ],
      },
    },
    {
      name: "datasets-are-the-same",
      family: "ordinary",
      draft: {
        nodes: [
          list("Read old", [{ id: 1, n: 2 }]),
          list("Read new", [{ id: 1, n: 2 }]),
          base("Compare", "compareDatasets", 2.3, {
            mergeByFields: { values: [{ field1: "id", field2: "id" }] },
            options: {},
          }),
          noOp("Only old"),
          noOp("Same"),
          noOp("Different"),
        ],
        connections: wire(
          "Webhook > Read old",
          "Webhook > Read new",
          "Read old > Compare",
          "Read new > Compare:1",
          "Compare > Only old",
          "Compare.1 > Same",
          "Compare.2 > Different",
        ),
      },
    },
    {
      name: "alerts-of-others",
      family: "ordinary",
      draft: async (stage) => {
        const id = await stage.addCalled("Alert", {
          nodes: [
            base("Error Trigger", "errorTrigger", 1),
            set("Write alert", { text: "={{ $json.workflow.name + ': ' + $json.execution.error.message }}" }),
            post("Post alert", `${odd.url}/ok`),
          ],
        });
        return {
          nodes: [code("Fail", "throw new Error('planted')")],
          settings: { errorWorkflow: id },
        };
      },
      executions: 2,
      judged: "Alert",
    },
    ordinary(
      "answers-204",
      get("Delete draft", `${odd.url}/empty/204`, { method: "DELETE", ...full }),
      set("Report", { deleted: "={{ $json.statusCode === 204 }}" }),
    ),
    {
      name: "merge-by-query",
      family: "ordinary",
      draft: {
        nodes: [
          list("Read orders", [{ id: 1, c: 7 }]),
          list("Read customers", [{ c: 7, name: "Ana" }]),
          merge("Join", { mode: "combine", combineBy: "combineByPosition", options: {} }),
          base("Limit", "limit", 1, { maxItems: 1 }),
        ],
        connections: wire(
          "Webhook > Read orders",
          "Webhook > Read customers",
          "Read orders > Join",
          "Read customers > Join:1",
          "Join > Limit",
        ),
      },
    },
    ordinary(
      "debug-node-is-off",
      set("Take order", { order: "={{ $json.body.order }}", note: "={{ $json.body.note ?? '' }}" }),
      { ...code("Debug", "throw new Error('never')"), disabled: true },
      base("Day", "dateTime", 2, { operation: "getCurrentDate", options: {} }),
    ),
    ordinary(
      "page-and-hash",
      base("Page", "html", 1.2, { operation: "generateHtmlTemplate", html: "<h1>Error report</h1>" }),
      base("Hash", "crypto", 1, { action: "hash", type: "SHA256", value: "={{ $json.html }}" }),
      base("Split", "splitOut", 1, { fieldToSplitOut: "data", options: {} }),
    ),
  ];
}
