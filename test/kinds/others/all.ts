/** All cases that others reported. */
import { agents, calls } from "./agents.ts";
import type { ReportedCase } from "./case.ts";
import { credentials, databases } from "./credentials-and-databases.ts";
import { fields } from "./fields.ts";
import { codes, expressions, files } from "./files-and-code.ts";
import { json, types } from "./json-and-types.ts";
import { itself, runner, webhooks } from "./n8n-itself.ts";
import { http, models } from "./services.ts";
import { silent } from "./silent.ts";

export const reportedCases: readonly ReportedCase[] = [
  ...[...http, ...models, ...credentials, ...databases],
  ...[...fields, ...json, ...types, ...files, ...expressions, ...codes],
  ...[...agents, ...calls, ...webhooks, ...runner, ...itself, ...silent],
];
