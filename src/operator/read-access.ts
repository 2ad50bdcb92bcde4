/** `POST /operator/access`: what somebody sees under the access rules, and which rules apply to them. */
import * as z from "zod";
import { readAccessRules, readN8nKeys, readSignInSettings, SCOPES } from "../settings/index.ts";
import { accessOf, type GivenAccess, type Subject } from "../sign-in/access-rules.ts";
import { readBody, toAnswer } from "./read-body.ts";

const name = z.string().min(1).max(300);
const query = z.strictObject({
  email: name.optional(),
  /** An object id of Entra's, or a user id of this server. */
  id: name.optional(),
  group: name.optional(),
  token: name.optional(),
});

/** @param workflowsFor lists what they see of each n8n */
export async function readAccess(
  request: Request,
  env: Env,
  workflowsFor: (given: GivenAccess) => Promise<readonly object[]>,
): Promise<Response> {
  const { email, id, group, token } = await readBody(request, query);
  const rules = readAccessRules(env);
  const subject = token === undefined ? personOf(email, id, group) : { token };
  const keys = readN8nKeys(env);
  const entry = readSignInSettings(env).serviceTokens.find(({ name }) => name === token);
  // The scopes of a person depend on the lists, and on what the provider says of them: these are the most.
  const allowed = token === undefined ? SCOPES : entry?.scopes;
  const given = allowed && accessOf(subject, allowed, rules);
  const instances = given === undefined || keys === "personal" ? [] : await workflowsFor(given);
  const numbers = given?.access.kind === "rules" ? given.access.numbers : [];
  const shown = numbers.map((number) => ({ number, ...rules?.[number - 1] }));
  const scopes = given?.scopes ?? [];
  return toAnswer({ keys, hasRules: rules !== undefined, scopes, rules: shown, instances });
}

function personOf(email?: string, id?: string, group?: string): Subject {
  const domain = email?.split("@").at(-1);
  const groups = group === undefined ? [] : [group];
  return { userId: id ?? "", identity: { email, domain, objectId: id, groups } };
}
