import { describe, expect, test } from "vitest";
import { findServer, type ServerChoice } from "../../../scripts/ask/find-server.ts";
import { CommandError } from "../../../scripts/command-line/command-error.ts";

const newest = { url: "http://localhost:8788/mcp", token: "newest", startedAt: "2026-11-20T09:00:00.000Z" };
const older = { url: "http://localhost:8787/mcp", token: "older", startedAt: "2026-11-20T08:00:00.000Z" };

const find = (choice: Partial<ServerChoice>) =>
  findServer({ url: undefined, token: undefined, environmentToken: undefined, sessions: [], ...choice });

describe("the server that is asked is", () => {
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
    "for %s, the one that was started there",
    (url) => {
      expect(find({ url, sessions: [newest, older] })).toEqual({ url, token: "older" });
    },
  );

  test("never given another server's session token", () => {
    const url = "https://observer.example/mcp";
    expect(find({ url, sessions: [newest] }).token).toBeUndefined();
    expect(find({ url, sessions: [newest], environmentToken: "mine" }).token).toBe("mine");
  });

  test("given the token of the command line first", () => {
    expect(find({ token: "given", sessions: [newest], environmentToken: "mine" }).token).toBe("given");
  });

  test("never given a token unencrypted", () => {
    expect(() => find({ url: "http://observer.example/mcp", token: "given" })).toThrow(CommandError);
    expect(find({ url: "http://observer.example/mcp" }).token).toBeUndefined();
  });
});

test.each(["https://observer.example.com", "https://observer.example.com/"])(
  "%s means its endpoint",
  (url) => {
    const server = findServer({ url, token: "t", environmentToken: undefined, sessions: [] });
    expect(server.url).toBe("https://observer.example.com/mcp");
  },
);
