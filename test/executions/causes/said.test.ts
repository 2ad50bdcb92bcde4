/** The texts of a failure: the words of the service, the driver or the code, each once, and none of n8n's own. */
import { expect, test } from "vitest";
import { saidIn, saidTexts } from "../../../src/executions/causes/said.ts";

const REPLACED = "Bad request - please check your parameters";
const BODY = '400 - {"error":"no"}';

test.each([
  ["the message, trimmed", { message: " No such user. " }, ["No such user."]],
  [
    "every text of the error",
    { message: "One.", description: "Two.", cause: { message: "Three." } },
    ["One.", "Two.", "Three."],
  ],
  [
    "the message in the response data",
    { message: REPLACED, context: { data: { message: "Taken." } } },
    ["Taken."],
  ],
  ["no message of another type", { message: "One.", context: { data: { message: 5 } } }, ["One."]],
  [
    "no text that n8n put in place of the service's",
    { message: REPLACED, description: "Taken." },
    ["Taken."],
  ],
  ["no empty phrase of n8n's", { message: "UNKNOWN ERROR - check it", description: "Taken." }, ["Taken."]],
  ["no class name alone", { message: "NodeApiError", description: "Taken." }, ["Taken."]],
  ["no body beside the text read from it", { message: "No.", messages: [BODY] }, ["No."]],
  ["the body if nothing else was read", { message: REPLACED, messages: [BODY] }, [BODY]],
  [
    "texts that only look like a body",
    { message: "1400 - 5", messages: ["at 400 - 5"] },
    ["1400 - 5", "at 400 - 5"],
  ],
  ["a repeated text once", { message: "No.", description: "No." }, ["No."]],
  [
    "a text contained in another one only once",
    { message: "Taken.", description: "Name: Taken." },
    ["Name: Taken."],
  ],
  [
    "what the answer says deep in it, and no code of it",
    {
      message: "Bad request - please check your parameters",
      description: "Request failed with status code 400",
      context: {
        data: { error: { root_cause: [{ type: "mapper", reason: "failed to parse" }], type: "x" } },
      },
    },
    ["failed to parse"],
  ],
  [
    "none of what was sent, which the answer repeats",
    {
      message: REPLACED,
      context: { data: { message: "Not valid.", input: { message: "Your invoice has expired" } } },
    },
    ["Not valid."],
  ],
  ["nothing", {}, []],
])("an error says %s", (_what, error, texts) => {
  expect(saidTexts({ message: "", ...error })).toEqual(texts);
});

const FIELDS = '422 - {"errors":{"email":["is taken"]}}';

test.each([
  ["at most two texts", { message: "One.", description: "Two.", messages: ["Three."] }, "One. | Two."],
  ["a body without fields unchanged", { message: REPLACED, messages: [BODY] }, BODY],
  ["a field's reason instead of the body", { message: REPLACED, messages: [FIELDS] }, "email: is taken"],
  [
    "a field's reason in the response data",
    { context: { data: { errors: { email: ["no"] } } } },
    "email: no",
  ],
  ["a field's reason only with its field", { message: "is taken", messages: [FIELDS] }, "email: is taken"],
  ["undefined if nothing was said", { message: REPLACED }, undefined],
])("as one text, an error says %s", (_what, error, said) => {
  expect(saidIn({ message: "", ...error })).toBe(said);
});
