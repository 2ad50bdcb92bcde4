/** Building blocks of pages: a titled card, a table, a link that looks like a button, a part that is loaded. */
import type { Child } from "hono/jsx";

export function Card({ title, children }: { title: Child; children?: Child }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A message in place of an answer. */
export function Notice({ title, role, children }: { title: string; role?: "alert"; children: Child }) {
  return (
    <section class="note warn problem" role={role}>
      <h1>{title}</h1>
      {children}
    </section>
  );
}

/** @param head the columns' names. @param children the rows */
export function Table({ head, children }: { head: readonly string[]; children: Child }) {
  return (
    <table>
      <thead>
        <tr>
          {head.map((name) => (
            <th scope="col">{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

interface ButtonLinkProps {
  readonly to: string;
  readonly isHere?: boolean;
  readonly text: string;
}

export function ButtonLink({ to, isHere = false, text }: ButtonLinkProps) {
  return (
    <a class="button" href={to} aria-current={isHere ? "page" : undefined}>
      {text}
    </a>
  );
}

interface LoadedPartProps {
  readonly title: string;
  readonly from: string;
  readonly children: Child;
}

/** A part that the script loads from another page; without a script, a link to that page. */
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
