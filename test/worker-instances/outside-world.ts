/** The internet of the Worker under test, outside workerd: its two n8n instances, and nothing else. */
import { type Request as OutsideRequest, Response as OutsideResponse } from "miniflare";
import { N8NS, placeVariable } from "./n8ns.ts";

export async function answerAsN8n(request: OutsideRequest): Promise<OutsideResponse> {
  const { origin, pathname, search } = new URL(request.url);
  const [name] = Object.entries(N8NS).find(([, { baseUrl }]) => baseUrl === origin) ?? [];
  const place = name === undefined ? undefined : process.env[placeVariable(name)];
  if (place === undefined) return new OutsideResponse("There is nothing here.", { status: 404 });
  const response = await fetch(`${place}${pathname}${search}`, {
    method: request.method,
    headers: [...request.headers],
    redirect: "manual",
  });
  return new OutsideResponse(await response.arrayBuffer(), {
    status: response.status,
    headers: [...response.headers],
  });
}
