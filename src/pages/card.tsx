/** A card: one thing to do, with all that it takes. */
import type { Child } from "hono/jsx";

export function Card({ title, children }: { title: string; children: Child }) {
  return (
    <section class="card">
      <h3>{title}</h3>
      {children}
    </section>
  );
}
