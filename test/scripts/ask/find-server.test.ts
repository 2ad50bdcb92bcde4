import { describe, expect, test } from "vitest";
import { findServer, type ServerChoice } from "../../../scripts/ask/find-server.ts";
import { CommandError } from "../../../scripts/command-line/command-error.ts";

const newest = { url: "http://localhost:8788/mcp", token: "newest", startedAt: "2026-11-20T09:00:00.000Z" };
const older = { url: "http://localhost:8787/mcp", token: "older", startedAt: "2026-11-20T08:00:00.000Z" };

const find = (choice: Partial<ServerChoice>) =>
  findServer({ url: undefined, token: undefined, environmentToken: undefined, sessions: [], ...choice });

describe("which server is asked", () => {
  test("the one started last, with its token", () => {
    expect(find({ sessions: [newest, older], environmentToken: "mine" })).toEqual({
      url: newest.url,
      token: "newest",
    });
  });

  test("the usual address when none was started", () => {
    expect(find({})).toEqual({ url: "http://localhost:8787/mcp", token: undefined });
  });

  test.each(["http://localhost:8787/mcp", "http://127.0.0.1:8787/mcp", "http://[::1]:8787/mcp"])(
    "%s is the server that was started there",
    (url) => {
      expect(find({ url, sessions: [newest, older] })).toEqual({ url, token: "older" });
    },
  );

  test("a session's token goes nowhere else", () => {
    const url = "https://observer.example/mcp";
    expect(find({ url, sessions: [newest] }).token).toBeUndefined();
    expect(find({ url, sessions: [newest], environmentToken: "mine" }).token).toBe("mine");
  });

  test("a token that was given comes first", () => {
    expect(find({ token: "given", sessions: [newest], environmentToken: "mine" }).token).toBe("given");
  });

  test("no token travels unencrypted", () => {
    expect(() => find({ url: "http://observer.example/mcp", token: "given" })).toThrow(CommandError);
    expect(find({ url: "http://observer.example/mcp" }).token).toBeUndefined();
  });
});
