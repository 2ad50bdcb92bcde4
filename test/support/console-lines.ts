/** Captures the console output of each test in a file. */
import { afterEach, beforeEach, vi } from "vitest";

/** @returns the lines of the current test, from any console method. Call it once, at the top of a file. */
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
