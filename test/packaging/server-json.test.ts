/** server.json, as the MCP registry would check it. */
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import * as z from "zod";
import { SERVER_JSON_SCHEMA } from "./server-json.ts";

const validate = new Ajv2020({ allErrors: true }).compile(SERVER_JSON_SCHEMA);
const server: unknown = JSON.parse(readFileSync("server.json", "utf8"));

const known = z.looseObject({
  remotes: z.array(z.looseObject({ url: z.string(), variables: z.record(z.string(), z.unknown()) })),
});

test("is of the registry's form", () => {
  validate(server);
  expect(validate.errors).toBeNull();
});

test("each variable of an address is described, and none besides", () => {
  for (const { url, variables } of known.parse(server).remotes) {
    const used = [...url.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
    expect(used).toEqual(Object.keys(variables));
    expect(URL.canParse(url.replaceAll(/\{[^}]*\}/g, "observer.example"))).toBe(true);
  }
});

const valid = z.looseObject({}).parse(server);

test.each([
  ["a description that is too long", { ...valid, description: "x".repeat(101) }],
  ["a name without a namespace", { ...valid, name: "n8n-observer" }],
  ["a range of versions", { ...valid, version: "^0.1.0" }],
  ["a member of no meaning", { ...valid, nonsense: true }],
  ["a remote that is not https or http", { ...valid, remotes: [{ type: "sse", url: "{host}/mcp" }] }],
  ["a remote without an address", { ...valid, remotes: [{ type: "streamable-http" }] }],
])("%s is refused", (_, wrong) => {
  expect(validate(wrong)).toBe(false);
});
