/**
 * The folders of servers that commands start, one per port: two servers never share one, and a client stays signed in
 * when the server of that port restarts.
 */
import { inProject } from "../project.ts";

export const startedServersDirectory = inProject(".wrangler", "start");

/** For `npm run dev`, in the same parent folder, so that `npm run ask` finds both. */
export function directoryOfDevPort(port: number): string {
  return inProject(".wrangler", "start", `dev-${port}`);
}

export function directoryOfPort(port: number): string {
  return inProject(".wrangler", "start", String(port));
}
