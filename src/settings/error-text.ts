/** Who is shown what an error says in its own words. */
import { fail, type SettingsSource, text } from "./source.ts";

/** `data`: callers with `n8n:data`. `read`: every caller. */
export type ErrorTextRule = "data" | "read";

/**
 * Who is shown errors' own texts, which may hold anybody's data.
 * @throws ObserverError `CONFIGURATION_ERROR` for anything else than `data` or `read`: it fails closed.
 */
export function readErrorText(source: SettingsSource): ErrorTextRule {
  const value = text(source, "ERROR_TEXT")?.toLowerCase() ?? "data";
  if (value === "data" || value === "read") return value;
  fail(
    "ERROR_TEXT",
    "is neither data nor read",
    "Set it to data (errors' own texts need n8n:data, the default) or to read (every caller is shown them).",
  );
}
