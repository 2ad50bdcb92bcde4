import { DurableObject } from "cloudflare:workers";

export class PassphraseLock extends DurableObject<Env> {}
