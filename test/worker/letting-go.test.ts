/** In workerd, which reads a body in the largest possible pieces. */
import { describeLettingGo } from "../support/letting-go.ts";

describeLettingGo();
