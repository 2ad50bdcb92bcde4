/** Which fields a service's answer names, and which values were empty in a request. */
import { describe, expect, test } from "vitest";
import { webhook } from "../../support/everyday-steps.ts";
import { explain, sentencesOf } from "../../support/explain.ts";
import { rejection, shopRequest } from "../../support/failing-steps.ts";
import { steppedExecution } from "../../support/stepped-execution.ts";

describe("a word of the answer that only contains a field's name does not name the field", () => {
  test.each([
    ["name in username", "name", "username is already taken", "409"],
    ["date in update", "date", "Could not update the record: transition not allowed", "400"],
  ])("%s", (_what, empty, text, status) => {
    const rows = ["username", "status", empty].map((name) => ({ name, value: `={{ $json.${name} }}` }));
    const create = shopRequest(
      { sendBody: true, bodyParameters: { parameters: rows } },
      { error: rejection(status, text) },
    );
    const { finding } = explain(
      steppedExecution([webhook({ username: "ann", status: "new", [empty]: "" }), create]),
    );
    expect(finding.cause).toBe("http_status");
  });
});

test("a value with a default by $if is not called empty", () => {
  const value = "={{ $if($json.reference, $json.reference, 'none') }}";
  const create = shopRequest(
    { sendBody: true, bodyParameters: { parameters: [{ name: "reference", value }] } },
    { error: rejection("400", "Bad Request") },
  );
  const said = sentencesOf(explain(steppedExecution([webhook({ id: 1 }), create])));
  expect(said).not.toContain("which was empty");
  expect(said).not.toContain("did not send");
});
