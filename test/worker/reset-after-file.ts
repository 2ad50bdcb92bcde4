/** Files of a project share one workerd: what a file's users have done is gone before the next, which has the same users. */
import { reset } from "cloudflare:test";
import { afterAll } from "vitest";

afterAll(() => reset());
