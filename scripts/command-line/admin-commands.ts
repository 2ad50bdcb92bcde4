/** The sub-commands of `npm run admin`. */
import type { Subcommands } from "./subcommands.ts";

export const ADMIN: Subcommands = {
  command: "npm run admin",
  about: "What the operator of a server does.",
  names: {
    status: { about: "shows how a server is, on one screen", file: "scripts/admin/status.ts" },
    audit: { about: "prints who called which tool, and who signed in", file: "scripts/admin/audit.ts" },
    users: { about: "lists who is signed in, and ends it", file: "scripts/admin/users.ts" },
    index: { about: "shows how complete the history index is", file: "scripts/admin/index.ts" },
    access: { about: "shows who sees what, by which access rule", file: "scripts/admin/access.ts" },
    token: { about: "makes, lists and removes service tokens", file: "scripts/admin/token.ts" },
  },
};
