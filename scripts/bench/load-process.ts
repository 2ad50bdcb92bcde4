/** The process of the users: performs the load that it is sent, and answers with the outcome of each call. */
import { sendToParent } from "./child-process.ts";
import { loadTask, performLoad } from "./load-users.ts";

process.once("message", async (message) => sendToParent(await performLoad(loadTask.parse(message))));
