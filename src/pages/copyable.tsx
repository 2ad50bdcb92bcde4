/**
 * A line that is easily copied: with a button where the page's script runs, and without a script, too. One click on the
 * line selects all of it, and so does reaching it with the tab key: then the system's own copy command does the rest.
 *
 * No element does both: browsers select the whole of a text field on tab but not on click, and the whole of
 * `user-select: all` on click but never with the keyboard. So it is a read-only field, which keyboards and screen
 * readers meet, with the same text above it for the mouse. The button is hidden until `copy-script.ts` shows it.
 */
export interface CopyableProps {
  readonly id: string;
  /** Label for screen readers. */
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

/** Announces a press of a Copy button to screen readers. Stands once on a page that has such lines. */
export function CopyStatus() {
  return <p class="unseen" id="copy-status" role="status" />;
}
