/**
 * What redaction hides in its place is hidden wherever an answer quotes it: in sentences about conditions and errors, and
 * in values that are shown apart from the item that they are of.
 */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createCaller } from "../support/call-recorded.ts";
import { compared, linked, type Sent } from "../support/compared-executions.ts";
import { createFakeN8n, type FakeExecution } from "../support/fake-n8n.ts";
import { wires } from "../support/workflow-builder.ts";

const READ = ["n8n:read"];
const webhook = (json: unknown): Sent => ({ node: "Webhook", items: [[json]] });
type Nodes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const withRuns = z.looseObject({
  resultData: z.looseObject({ runData: z.record(z.string(), z.array(z.looseObject({}))) }),
});

/** An execution whose last step failed. @param output by which the step before led to it */
function failed(steps: readonly Sent[], nodes: Nodes, output = 0): FakeExecution {
  const names = steps.map(({ node }) => node);
  const [before = "", last = ""] = names.slice(-2);
  const others = names.slice(1, -1).map((name, at) => [names[at] ?? "", [[name]]]);
  const toLast = [...Array.from({ length: output }, () => []), [last]];
  const connections = wires(Object.fromEntries([...others, [before, toLast]]));
  const { workflowData, data, ...facts } = linked(compared(9, steps, { nodes }));
  const { resultData } = withRuns.parse(data);
  const source = [{ previousNode: before, previousNodeOutput: output }];
  const runs = (resultData.runData[last] ?? []).map((run) => ({ ...run, source }));
  const ended = { error: steps.at(-1)?.error, lastNodeExecuted: last };
  return {
    ...facts,
    workflowData: { ...Object(workflowData), connections },
    data: { resultData: { ...resultData, ...ended, runData: { ...resultData.runData, [last]: runs } } },
  };
}

async function ask(execution: FakeExecution, tool: string, args: object, scopes?: readonly string[]) {
  const { fetch } = createFakeN8n([execution]);
  const answer = await createCaller({ fetch, ...(scopes === undefined ? {} : { scopes }) }).call(tool, args);
  expect(answer.status, JSON.stringify(answer)).toBe("success");
  return JSON.stringify(answer);
}
const explained = async (execution: FakeExecution, scopes?: readonly string[]) =>
  await ask(execution, "explain_failure", { executionId: "9" }, scopes);
const summarized = async (execution: FakeExecution) =>
  await ask(execution, "get_execution", { id: "9" }, READ);

describe("a sentence about a condition", () => {
  const stoppedAfter = (field: string, literal: string): FakeExecution => {
    const condition = {
      leftValue: `={{ $json.body.${field} }}`,
      rightValue: literal,
      operator: { type: "string", operation: "equals" },
    };
    const nodes = {
      IF: { type: "n8n-nodes-base.if", parameters: { conditions: { conditions: [condition] } } },
      Stop: { type: "n8n-nodes-base.stopAndError", parameters: { errorMessage: "no" } },
    };
    const item = { body: { [field]: "other" } };
    const error = { name: "NodeOperationError", message: "no" };
    return failed([webhook(item), { node: "IF", items: [[], [item]] }, { node: "Stop", error }], nodes, 1);
  };

  test.each(["pwd", "kennwort", "senha", "clave", "mdp", "otp", "cvv", "api_key"])(
    "does not quote what %s is compared with",
    async (field) => {
      const execution = stoppedAfter(field, "Sommer");
      for (const answer of [await explained(execution, READ), await summarized(execution)])
        expect(answer).not.toContain("Sommer");
    },
  );

  test("quotes what any other field is compared with", async () => {
    for (const field of ["kind", "passed", "author"])
      expect(await explained(stoppedAfter(field, "Sommer"), READ)).toContain("Sommer");
  });
});

describe("a sentence about an error does not name a secret of the node's own", () => {
  const KEY = "summer_sale_key";
  test.each([
    ["a header", { headerParameters: { parameters: [{ name: "X-Api-Key", value: KEY }] } }],
    ["a query parameter", { queryParameters: { parameters: [{ name: "token", value: KEY }] } }],
    ["its URL", { url: `https://api.example.com/x?api_key=${KEY}` }],
    ["a body", { jsonBody: `{"password":"${KEY}"}` }],
    ["code", { jsCode: `const apiKey = "${KEY}";\nreturn call(apiKey)` }],
  ])("in %s", async (_place, parameters) => {
    const error = {
      name: "NodeApiError",
      httpCode: "401",
      message: "No",
      description: `Unknown key '${KEY}'`,
    };
    const nodes = { Call: { type: "n8n-nodes-base.httpRequest", parameters } };
    const execution = failed([webhook({ a: 1 }), { node: "Call", error }], nodes);
    const named = new RegExp(`names [^.]*${KEY}`);
    expect(await explained(execution, READ)).not.toMatch(named);
    expect(await summarized(execution)).not.toMatch(named);
  });
});

describe("a value that an expression reads is redacted by the names above it", () => {
  const nodes = {
    Call: {
      type: "n8n-nodes-base.httpRequest",
      parameters: { jsonBody: "={{ $json.order.value }} {{ $json.password.value }}" },
    },
  };
  const error = { name: "NodeApiError", httpCode: "400", message: "Bad request" };
  const item = { password: { value: "sommerregen" }, order: { value: "A-17" } };
  const execution = failed([webhook(item), { node: "Call", error }], nodes);

  test("among the resolved parameters, and beside it in a list", async () => {
    const fields = [{ name: "password", value: "winterwald" }];
    const parameters = { jsonBody: "={{ $json.fields[0].value }} {{ $json.password.value }}" };
    const pairs = failed([webhook({ ...item, fields }), { node: "Call", error }], {
      Call: { ...nodes.Call, parameters },
    });
    const answer = await ask(pairs, "get_execution_by_node", { id: "9", nodeName: "Call" });
    expect(answer).toContain('"resolved"');
    expect(answer).not.toMatch(/sommerregen|winterwald/);
  });

  test.each([
    ["a list of pairs", { fields: [{ name: "password", value: "winterwald" }] }, "fields[0].value"],
    ["a field of a form", { form: { question: "Password", answer: "winterwald" } }, "form.answer"],
  ])("in the evidence, also by what is beside it: %s", async (_place, read, path) => {
    const parameters = { jsonBody: `={{ $json.order.value }} {{ $json.odd }} {{ $json.${path} }}` };
    const call = { Call: { ...nodes.Call, parameters } };
    const odd = { toString: 1 };
    const answer = await explained(
      failed([webhook({ ...item, ...read, odd }), { node: "Call", error }], call),
    );
    expect(answer).toContain("A-17");
    expect(answer).not.toContain("winterwald");
  });

  test("in the evidence, which shows each value at its path", async () => {
    const answer = await explained(execution);
    expect(answer).toContain("was given");
    expect(answer).toContain("A-17");
    expect(answer).not.toContain("sommerregen");
  });
});

test("an item that lacks a token is shown: it is not that token", async () => {
  const nodes = {
    Code: { type: "n8n-nodes-base.code", parameters: { jsCode: "return $json.body.token.trim()" } },
  };
  const message = "Cannot read properties of undefined (reading 'trim') [line 1]";
  const error = { name: "TypeError", message, lineNumber: 1 };
  const item = { body: { error: "invalid_grant" }, headers: { authorization: "Bearer abc-123-def" } };
  const answer = await explained(failed([webhook(item), { node: "Code", error }], nodes));
  expect(answer).toContain("body.token");
  expect(answer).toContain("invalid_grant");
  expect(answer).not.toContain("abc-123-def");
});
