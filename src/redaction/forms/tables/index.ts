import { ai } from "./ai.ts";
import { business } from "./business.ts";
import { chatAndMail } from "./chat-and-mail.ts";
import { clouds } from "./clouds.ts";
import { hashes } from "./hashes.ts";
import { jwt } from "./jwt.ts";
import { monitoring } from "./monitoring.ts";
import { payment } from "./payment.ts";
import { sourceControl } from "./source-control.ts";
import { webhooks } from "./webhooks.ts";

/** A table in the notation of `notation.ts`. */
interface FormTable {
  readonly title: string;
  readonly table: string;
  /** Of the marks; `provider-key` when absent. */
  readonly kind?: string;
}

export const TABLES: readonly FormTable[] = [
  { title: "Clouds and databases", table: clouds },
  { title: "Payment and trade", table: payment },
  { title: "Chat, mail and social networks", table: chatAndMail },
  { title: "Source control and builds", table: sourceControl },
  { title: "Monitoring and analytics", table: monitoring },
  { title: "Models", table: ai },
  { title: "Business, identity and keys", table: business },
  { title: "JSON Web Tokens", table: jwt, kind: "jwt" },
  { title: "Hashes of passwords", table: hashes, kind: "password-hash" },
  { title: "Webhooks", table: webhooks },
];
