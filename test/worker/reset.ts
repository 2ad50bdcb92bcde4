/** Resets what tests change. */
import { reset } from "cloudflare:test";
import { afterEach, vi } from "vitest";

/** Restores mocks and deletes what the Worker has stored, after each test of the file that calls it. */
export function resetAfterEach(): void {
  afterEach(async () => {
    vi.restoreAllMocks();
    await reset();
  });
}
