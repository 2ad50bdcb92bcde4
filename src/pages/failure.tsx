/** The page for anything that went wrong: what, and what to do about it. */
import { Layout } from "./layout.tsx";
import type { Page } from "./respond.ts";

export interface FailurePageProps {
  readonly title: string;
  readonly message: string;
  readonly solution: string;
}

export function failurePage({ title, message, solution }: FailurePageProps): Page {
  return (
    <Layout title={title}>
      <h1>{title}</h1>
      <p>{message}</p>
      <div class="note">
        <p>
          <strong>What to do:</strong> {solution}
        </p>
      </div>
      <p class="muted">
        <a href="/">How to connect</a>
      </p>
    </Layout>
  );
}
