/** Files of a project share one workerd and its users, so what a file stored is deleted before the next. */
import { reset } from "cloudflare:test";
import { afterAll } from "vitest";

afterAll(() => reset());
