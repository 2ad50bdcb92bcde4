/**
 * A line that is easy to copy, with a button if the page's script runs, but also without: a click or the tab key
 * selects all of it, so that the system's own copy command works.
 *
 * No element does both: browsers select a whole text field on tab but not on click, and a whole `user-select: all`
 * element on click but never by keyboard. So it is a read-only field, for keyboards and screen readers, with the same
 * text above it for the mouse. The button is hidden until `copy-script.ts` shows it.
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

/** Announces the press of a Copy button to screen readers. Used once on each page with Copy buttons. */
export const CopyStatus = () => <p class="unseen" id="copy-status" role="status" />;
