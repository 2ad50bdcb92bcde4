/** What the code under test prints, caught in each test of a file. */
import { afterEach, beforeEach, vi } from "vitest";

/** The lines of the test that runs, whatever method of the console wrote them. To be called once, at a file's top. */
export function catchConsoleLines(): string[] {
  const lines: string[] = [];
  beforeEach(() => {
    lines.length = 0;
    for (const method of ["log", "warn", "error"] as const)
      vi.spyOn(console, method).mockImplementation((line: unknown) => void lines.push(String(line)));
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return lines;
}
