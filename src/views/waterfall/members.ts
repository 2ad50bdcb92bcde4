/**
 * Reads members of an answer whose shape may have changed. A member of another type counts as absent, so that a picture
 * shows what it can of a newer server's answer.
 */
import { isObject } from "../../platform/is-object.ts";

export type Members = Readonly<Record<string, unknown>>;

export const membersAt = (of: Members, key: string): Members => {
  const value = of[key];
  return isObject(value) ? value : {};
};

export const listAt = (of: Members, key: string): readonly Members[] => {
  const value = of[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
};

export const textsAt = (of: Members, key: string): readonly string[] => {
  const value = of[key];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
};

export const textAt = (of: Members, key: string): string | undefined => {
  const value = of[key];
  return typeof value === "string" && value !== "" ? value : undefined;
};

export const numberAt = (of: Members, key: string): number | undefined => {
  const value = of[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

/** A text, or any other value as JSON; undefined for null, empty text and absent members. */
export function shownAt(of: Members, key: string): string | undefined {
  const value = of[key];
  if (value === undefined || value === null || value === "") return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
