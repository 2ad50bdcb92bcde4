/** Reads the JSON body of an operator's request. Only JSON, which a form on another site's page cannot send. */
import type * as z from "zod";
import { RequestRefused } from "../sign-in/failure.ts";

/** @throws RequestRefused for a body that is not JSON, or that the schema does not accept */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const isJson = /^application\/json\b/i.test(request.headers.get("Content-Type") ?? "");
  const body: unknown = isJson ? await request.json().catch(() => undefined) : undefined;
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  // Paths consist of our own names; the values are left out.
  throw new RequestRefused({
    status: 400,
    code: "invalid_request",
    title: "This request is malformed",
    message: `The body does not match: ${error.issues[0]?.path.join(".") || "it must be a JSON object, sent as application/json"}.`,
    solution:
      "Use npm run admin audit, npm run admin users and npm run admin index of the same version as the server.",
  });
}

export const NO_STORE = { "Cache-Control": "no-store" };

export const toAnswer = (body: object): Response => Response.json(body, { headers: NO_STORE });
