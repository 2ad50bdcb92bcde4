/** In workerd, where a body is read in pieces as large as can be asked for. */
import { describeLettingGo } from "../support/letting-go.ts";

describeLettingGo();
