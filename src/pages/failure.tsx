/** The page for any failure: what went wrong, and what to do about it. */
import { Layout } from "./layout.tsx";
import type { Page } from "./respond.ts";

export function failurePage({
  title,
  message,
  solution,
}: Record<"title" | "message" | "solution", string>): Page {
  return (
    <Layout title={title}>
      <h1>{title}</h1>
      <p>{message}</p>
      <section class="note" aria-labelledby="solution-title">
        <h2 id="solution-title">What to do</h2>
        <p>{solution}</p>
      </section>
      <p class="muted">
        <a href="/">How to connect</a>
      </p>
    </Layout>
  );
}
