/** Ties a server, process or client to a stack of resources. */

type Resource = { close: () => Promise<unknown> } | { stop: () => Promise<unknown> };

/** Closes or stops the resource when the stack is disposed. @returns the resource */
export function closeAtEnd<T extends Resource>(resources: AsyncDisposableStack, resource: T): T {
  return resources.adopt(resource, async (ended) => {
    await ("close" in ended ? ended.close() : ended.stop());
  });
}
