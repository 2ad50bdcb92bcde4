/** How a setting that is wrong has to be refused. */
import { expect } from "vitest";
import { ObserverError } from "../../src/platform/errors.ts";

/** What reading a setting throws. */
export function problemOf(read: () => unknown): ObserverError {
  try {
    read();
  } catch (error) {
    if (error instanceof ObserverError) return error;
    throw error;
  }
  throw new Error("Nothing was wrong with the setting.");
}

/** The setting is named, there is a fix, and what was set is not repeated. */
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
