/** A part of a page that its script loads from another page; without a script, a link to that page. */
import type { Child } from "hono/jsx";

interface LoadedPartProps {
  readonly title: string;
  readonly from: string;
  readonly children: Child;
}

export function LoadedPart({ title, from, children }: LoadedPartProps) {
  return (
    <section class="card" data-load={from} aria-label={title}>
      <h2>{title}</h2>
      <div data-into aria-live="polite">
        {children}
      </div>
    </section>
  );
}

/** The part of this page that another page may load. */
export const Part = ({ children }: { children: Child }) => <div data-part>{children}</div>;
