/**
 * A line that is easy to copy: with a button if the page's script runs, but also without a script. One click on the
 * line selects all of it, and so does reaching it with the tab key: then the system's own copy command works.
 *
 * No element does both: browsers select a whole text field on tab but not on click, and a whole
 * `user-select: all` element on click but never with the keyboard. So it is a read-only field, for keyboards and screen
 * readers, with the same text above it for the mouse. The button is hidden until `copy-script.ts` shows it.
 */
export interface CopyableProps {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

export function Copyable({ id, name, text }: CopyableProps) {
  return (
    <div class="copyable">
      <input type="text" id={id} value={text} aria-label={name} readonly spellcheck={false} />
      <code aria-hidden="true">{text}</code>
      <button type="button" class="copy" data-copies={id} hidden>
        <span>Copy</span> <span class="unseen">{name}</span>
      </button>
    </div>
  );
}

/** Announces a press of a Copy button to screen readers. Used once on a page that has such lines. */
export const CopyStatus = () => <p class="unseen" id="copy-status" role="status" />;
