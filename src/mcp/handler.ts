/** Serves `/mcp`. Placeholder until the server factory exists. */
export async function handleMcp(_request: Request, _env: Env, _ctx: ExecutionContext): Promise<Response> {
  return new Response("not built yet", { status: 501 });
}
