/**
 * A line of the activity log: who did what, when, and how it ended. Every member is bounded, and none can hold an
 * argument, a payload or a token. No I/O.
 */
import * as z from "zod";
import { ERROR_CODES } from "../platform/errors.ts";

export const AUDITED_IDS = [
  "executionId",
  "workflowId",
  "projectId",
  "traceId",
  "searchId",
  "requestIdDigest",
  /** The name of an n8n in the settings, if there are several; `ALL_INSTANCES` for all of them. */
  "instance",
] as const;
export type AuditedId = (typeof AUDITED_IDS)[number];

const SIGN_IN_OUTCOMES = [
  /** Somebody proved who they are, and a code was issued. */
  "signed_in",
  "declined",
  "wrong_passphrase",
  "locked",
  /** Denied by the provider or by the access lists. */
  "refused",
  "token_issued",
  "token_refreshed",
  /** The user may no longer sign in; the grant is revoked. */
  "refresh_refused",
  /** By the operator, or, with a reason, because a token was reused. */
  "revoked",
] as const;
export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number];

/** Control, format and unassigned characters, some of which move the cursor or reverse the text. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

const clientText = (maximum: number) =>
  z.string().transform((text) => [...text.replace(INVISIBLE, "")].slice(0, maximum).join(""));

const opaqueId = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/);
/** Our own words, in snake_case: never text from outside. */
const slug = z.string().regex(/^[a-z][a-z0-9_]{0,59}$/);
/** ISO 8601 in UTC. */
const time = z.iso.datetime();
const count = z.int().min(0);

/** A client id is random when the client registered, and an address when it is a metadata document. */
const clientId = clientText(256);
export const clientName = clientText(80);

const signInEvent = z.strictObject({
  event: z.literal("sign_in"),
  outcome: z.enum(SIGN_IN_OUTCOMES),
  via: z.enum(["passphrase", "oidc", "service-token", "operator"]),
  userId: opaqueId.optional(),
  clientId: clientId.optional(),
  clientName: clientName.optional(),
  grantId: opaqueId.optional(),
  reason: slug.optional(),
});
export type SignInEvent = z.input<typeof signInEvent>;

/** Outcomes that anyone can cause, without having proved who they are. */
export const BY_STRANGERS: readonly SignInOutcome[] = ["declined", "wrong_passphrase", "locked", "refused"];

const signInEntry = signInEvent.extend({ time });

export const toolCallEntry = z.strictObject({
  event: z.literal("tool_call"),
  callId: z.uuid(),
  time,
  userId: opaqueId,
  clientId: clientId.optional(),
  clientName: clientName.optional(),
  /** The sign-in that was used; missing for service tokens. */
  grantId: opaqueId.optional(),
  /** One of our tools; any other name is the caller's text and is stored as `unknown`. */
  tool: slug,
  /** Numbers of the access rules that applied to the caller, if there are rules. */
  rules: z.array(z.int().min(1)).max(200).optional(),
  /** n8n was read with the caller's own key. */
  ownKey: z.literal(true).optional(),
  ids: z.partialRecord(z.enum(AUDITED_IDS), z.string().max(80)),
  /** `unfinished` while the call runs, and for good if the client disconnected. */
  outcome: z.enum(["unfinished", "success", ...ERROR_CODES]),
  durationMs: count,
  /** Bytes of the bodies that n8n sent for this call. */
  bytesRead: count,
  redactions: z.record(slug.or(z.string().regex(/^[A-Za-z0-9_-]{1,60}$/)), count),
});
export type ToolCallEntry = z.infer<typeof toolCallEntry>;

export const activityEntry = z.discriminatedUnion("event", [toolCallEntry, signInEntry]);
export type ActivityEntry = z.infer<typeof activityEntry>;
export type ActivityLine = z.input<typeof activityEntry>;

/** Strangers caused more sign-in entries on one day than are stored. */
const floodEntry = z.strictObject({ event: z.literal("sign_in_flood"), time, notKept: count });
export type FloodEntry = z.infer<typeof floodEntry>;

export const keptEntry = z.discriminatedUnion("event", [toolCallEntry, signInEntry, floodEntry]);
export type KeptEntry = z.infer<typeof keptEntry>;
