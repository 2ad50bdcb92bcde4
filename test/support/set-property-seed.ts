/** Runs before each test file: gives fast-check's properties the seed of this lane. A property may have one of its own. */
import { configureGlobal } from "fast-check";
import { propertySeed } from "./property-seed.ts";

configureGlobal({ seed: propertySeed });
