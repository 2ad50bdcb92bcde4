/** What the figures were measured on. */
import { cpus, totalmem } from "node:os";

/** In words, without a name of the machine. */
export function machineInWords(): string {
  const [first] = cpus();
  const model = first?.model.trim().replace(/\s+/g, " ") ?? "an unknown processor";
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${model}, ${cpus().length} cores, ${memory} GiB of memory, ${process.platform} ${process.arch}, Node ${process.version}`;
}
