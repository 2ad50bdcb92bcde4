import { describeLettingGo } from "../support/letting-go.ts";

describeLettingGo();
