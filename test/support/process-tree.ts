/** The descendants of a process, and the ports at which they listen. */
import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";

const execute = promisify(execFile);

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All processes except zombies. */
export async function runningProcesses(): Promise<RunningProcess[]> {
  const { stdout } = await execute("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], {
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, state = "", command = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined || state.startsWith("Z")
      ? []
      : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

export async function descendantsOf(pid: number): Promise<RunningProcess[]> {
  const all = await runningProcesses();
  const found: RunningProcess[] = [];
  const open = [pid];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    const children = all.filter((each) => each.parent === parent);
    found.push(...children);
    open.push(...children.map((child) => child.pid));
  }
  return found;
}

/**
 * The TCP ports at which a process and its descendants listen, at any address. Only Linux tells them without a tool
 * that may be missing.
 */
export async function listeningPorts(pid: number): Promise<number[]> {
  const pids = [pid, ...(await descendantsOf(pid)).map((each) => each.pid)];
  const sockets = new Set((await Promise.all(pids.map(socketsOf))).flat());
  const tables = await Promise.all(["tcp", "tcp6"].map(readListeners));
  const ports = tables.flat().flatMap(({ socket, port }) => (sockets.has(socket) ? port : []));
  return [...new Set(ports)].sort((a, b) => a - b);
}

/** The inodes of a process's open sockets. */
async function socketsOf(pid: number): Promise<string[]> {
  const directory = `/proc/${pid}/fd`;
  const open = await readdir(directory).catch(() => []);
  const targets = await Promise.all(open.map((name) => readlink(`${directory}/${name}`).catch(() => "")));
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
}

const LISTENING = "0A";

/** `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`, the port in hexadecimal. */
async function readListeners(table: string): Promise<{ socket: string; port: number }[]> {
  const lines = (await readFile(`/proc/net/${table}`, "utf8")).split("\n").slice(1);
  return lines.flatMap((line) => {
    const [, address = "", , state, , , , , , socket = ""] = line.trim().split(/\s+/);
    return state === LISTENING ? [{ socket, port: Number.parseInt(address.split(":")[1] ?? "", 16) }] : [];
  });
}
