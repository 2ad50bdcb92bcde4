/** The process of the users: performs the one load that it is sent, and answers what became of each call. */
import { sendToParent } from "./child-process.ts";
import { loadTask, performLoad } from "./load-users.ts";

process.once("message", async (message) => sendToParent(await performLoad(loadTask.parse(message))));
