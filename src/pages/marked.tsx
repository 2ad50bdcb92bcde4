/** Renders `code` and **bold** as in Markdown. For our own text only, never for text from outside. */
export const Marked = ({ text }: { text: string }) => (
  <>{text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map(toElement)}</>
);

export function Paragraph({ text }: { text: string }) {
  return (
    <p>
      <Marked text={text} />
    </p>
  );
}

function toElement(part: string) {
  if (part.startsWith("`")) return <code>{part.slice(1, -1)}</code>;
  return part.startsWith("**") ? <strong>{part.slice(2, -2)}</strong> : part;
}
