/**
 * A line that is easily copied without a script. One click on it selects all of it, and so does
 * reaching it with the tab key: then the system's own copy command does the rest.
 *
 * No element does both: browsers select the whole of a text field on tab but not on click, and the
 * whole of `user-select: all` on click but never with the keyboard. So it is a read-only field, which
 * keyboards and screen readers meet, with the same text above it for the mouse.
 */
export interface CopyableProps {
  readonly id: string;
  /** What it is, for who cannot see what stands around it. */
  readonly name: string;
  readonly text: string;
}

export function Copyable({ id, name, text }: CopyableProps) {
  return (
    <div class="copyable">
      <input type="text" id={id} value={text} aria-label={name} readonly spellcheck={false} />
      <code aria-hidden="true">{text}</code>
    </div>
  );
}
