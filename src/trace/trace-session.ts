import { DurableObject } from "cloudflare:workers";

export class TraceSession extends DurableObject<Env> {}
