/** Checks the refusal of a wrong setting. */
import { expect } from "vitest";
import { ObserverError } from "../../src/platform/errors.ts";

/** The error of reading a setting. */
export function problemOf(read: () => unknown): ObserverError {
  try {
    read();
  } catch (error) {
    if (error instanceof ObserverError) return error;
    throw error;
  }
  throw new Error("Nothing was wrong with the setting.");
}

/** The setting is named with a fix, and its value is not repeated. */
export function expectProblem(read: () => unknown, setting: string, value?: string): void {
  const error = problemOf(read);
  expect(error.code).toBe("CONFIGURATION_ERROR");
  expect(error.details.field).toBe(setting);
  expect(error.message).toContain(setting);
  expect(error.details.solution.length).toBeGreaterThan(20);
  if (value !== undefined && value.trim() !== "") {
    expect(error.message + JSON.stringify(error.details)).not.toContain(value);
  }
}
