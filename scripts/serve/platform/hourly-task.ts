/**
 * The cron trigger of wrangler.toml, which workerd does not run: a Durable Object whose alarm rings every hour and calls
 * what Cloudflare would call. The alarm is on disk, so it rings after a restart, too.
 */
import { DurableObject } from "cloudflare:workers";
import worker from "../../../src/index.ts";
import { HOUR_MS } from "../../../src/platform/durations.ts";
import { describeBug } from "../../../src/platform/errors.ts";

/** Soon after the start, to remove what expired while the server was down. */
const FIRST_AFTER_MS = 60 * 1_000;

export class HourlyTask extends DurableObject<Env> {
  /** Sets the alarm unless it is already set. */
  async start(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null)
      await this.ctx.storage.setAlarm(Date.now() + FIRST_AFTER_MS);
  }

  override async alarm(): Promise<void> {
    // First, so that the alarm is set again even if the work below fails.
    await this.ctx.storage.setAlarm(Date.now() + HOUR_MS);
    try {
      await worker.scheduled({ scheduledTime: Date.now(), cron: "", noRetry() {} }, this.env);
    } catch (error) {
      console.error(JSON.stringify({ event: "hourly-task-failed", ...describeBug(error) }));
    }
  }
}

export async function startHourlyTask(tasks: DurableObjectNamespace<HourlyTask>): Promise<void> {
  await tasks.getByName("hourly").start();
}
