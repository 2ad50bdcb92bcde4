/** What was said of a failure: the service's, the driver's or the code's words, each once, and nothing of n8n's. */
import { expect, test } from "vitest";
import { saidIn, saidTexts } from "../../../src/executions/causes/said.ts";

const REPLACED = "Bad request - please check your parameters";
const BODY = '400 - {"error":"no"}';

test.each([
  ["the message, without space around it", { message: " No such user. " }, ["No such user."]],
  [
    "all texts of it",
    { message: "One.", description: "Two.", cause: { message: "Three." } },
    ["One.", "Two.", "Three."],
  ],
  [
    "the message in the answer's data",
    { message: REPLACED, context: { data: { message: "Taken." } } },
    ["Taken."],
  ],
  ["not data of another kind", { message: "One.", context: { data: { message: 5 } } }, ["One."]],
  ["not what n8n put in its place", { message: REPLACED, description: "Taken." }, ["Taken."]],
  [
    "not a sentence of n8n's that says nothing",
    { message: "UNKNOWN ERROR - check it", description: "Taken." },
    ["Taken."],
  ],
  ["not a class alone", { message: "NodeApiError", description: "Taken." }, ["Taken."]],
  ["not the body beside what was read from it", { message: "No.", messages: [BODY] }, ["No."]],
  ["the body where nothing else was read", { message: REPLACED, messages: [BODY] }, [BODY]],
  [
    "what only looks like a body",
    { message: "1400 - 5", messages: ["at 400 - 5"] },
    ["1400 - 5", "at 400 - 5"],
  ],
  ["once what is said twice", { message: "No.", description: "No." }, ["No."]],
  ["once what another text says, too", { message: "Taken.", description: "Name: Taken." }, ["Name: Taken."]],
  ["nothing", {}, []],
])("%s", (_what, error, texts) => {
  expect(saidTexts({ message: "", ...error })).toEqual(texts);
});

const FIELDS = '422 - {"errors":{"email":["is taken"]}}';

test.each([
  ["two texts at most", { message: "One.", description: "Two.", messages: ["Three."] }, "One. | Two."],
  ["a body without fields as it stands", { message: REPLACED, messages: [BODY] }, BODY],
  ["a field's reason in place of the body", { message: REPLACED, messages: [FIELDS] }, "email: is taken"],
  [
    "the reason of a field in the answer's data",
    { context: { data: { errors: { email: ["no"] } } } },
    "email: no",
  ],
  [
    "not apart from its field what was said of it",
    { message: "is taken", messages: [FIELDS] },
    "email: is taken",
  ],
  ["undefined where nothing was said", { message: REPLACED }, undefined],
])("as one text: %s", (_what, error, said) => {
  expect(saidIn({ message: "", ...error })).toBe(said);
});
