/** `npm run admin index`: progress and cost of a running server's history index. */

import { runCommand } from "../command-line/command.ts";
import { INDEX_USAGE, type IndexOptions, readIndexArguments } from "../operator/arguments.ts";
import { findOperatorServer, readIndexes } from "../operator/operator-client.ts";
import { renderIndexes } from "../operator/render-index.ts";

async function printIndexes({ form, ...choice }: IndexOptions): Promise<undefined> {
  const indexes = await readIndexes(await findOperatorServer(choice));
  console.log(
    form === "json" ? indexes.map((index) => JSON.stringify(index)).join("\n") : renderIndexes(indexes),
  );
}

process.exitCode = await runCommand({ usage: INDEX_USAGE, read: readIndexArguments, run: printIndexes });
