/**
 * Text from outside. The renderer escapes it. In data, characters that are invisible or change the direction of writing
 * are shown as escapes; each name is isolated from the text around it.
 */
import { visibleName } from "../../platform/display-name.ts";

/** Control and format characters, lone surrogates and private use, except line breaks and tabs. */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

export const revealed = (text: string): string =>
  text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);

export const toJson = (value: unknown): string =>
  revealed(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));

export const Name = ({ of }: { of: string }) => <bdi>{visibleName(of)}</bdi>;

/** A value of any length, in a box that can be scrolled by keyboard. */
export function Value({ value, label }: { value: unknown; label: string }) {
  return (
    <section class="value" tabindex={0} aria-label={label}>
      <pre>{toJson(value)}</pre>
    </section>
  );
}

/** The only addresses that a link may lead to. */
const WEB_ADDRESS = /^https?:\/\//;

export function OutsideLink({ url, text }: { url: string | undefined; text: string }) {
  if (url === undefined || !WEB_ADDRESS.test(url)) return null;
  return (
    <a class="button" href={url} rel="noreferrer">
      {text}
    </a>
  );
}
