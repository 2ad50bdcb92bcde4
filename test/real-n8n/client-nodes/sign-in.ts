/** Connects a credential of the type MCP OAuth2 in n8n's editor. n8n is real, the person is simulated. */
import * as z from "zod";
import { allow } from "../../support/oauth-client.ts";
import type { RunningN8n } from "../boot.ts";
import { callEditor } from "../n8n-api.ts";

const created = z.object({ data: z.object({ id: z.string() }) });
const authorization = z.object({ data: z.url() });
const cookiesOf = (response: Response): string[] =>
  response.headers.getSetCookie().flatMap((line) => line.split(";")[0] ?? []);

/**
 * n8n registers itself, the person consents with the passphrase, and n8n's callback receives the code.
 * @param n8nOrigin the origin of n8n's editor and of its callback
 * @returns the credential's id
 * @throws with n8n's message when one of the steps fails
 */
export async function connectCredential(
  n8n: RunningN8n,
  n8nOrigin: string,
  mcpUrl: string,
  passphrase: string,
): Promise<string> {
  const credential = {
    name: "Of the tests",
    type: "mcpOAuth2Api",
    data: { useDynamicClientRegistration: true, serverUrl: mcpUrl },
  };
  // The public API of n8n 1.123 requires values that the registration provides only later.
  const { id } = created.parse(await callEditor(n8n, "/credentials", credential)).data;
  const headers = { cookie: n8n.ownerCookie };
  const begun = await fetch(`${n8nOrigin}/rest/oauth2-credential/auth?id=${id}`, { headers });
  const text = await begun.text();
  if (!begun.ok) throw new Error(`n8n could not begin to sign in (${begun.status}): ${text.slice(0, 600)}`);
  const callback = await allow(new URL(authorization.parse(JSON.parse(text)).data), passphrase, true);
  if (callback.origin !== n8nOrigin) throw new Error(`n8n is called back at ${callback.origin}.`);
  const cookie = [n8n.ownerCookie, ...cookiesOf(begun)].join("; ");
  const ended = await fetch(callback, { headers: { cookie } });
  const page = await ended.text();
  // n8n answers 200 even to a failure, with a page that says so.
  if (!ended.ok || /error/i.test(page.replace(/<(script|style)[\s\S]*?<\/\1>/g, "")))
    throw new Error(`n8n's callback failed (${ended.status}): ${page.slice(0, 600)}`);
  return id;
}
