/** Numbers of cards, bank accounts and US social security with valid checksums, which belong to nobody. Pure. */
import type { Random } from "../../redaction/corpus/random.ts";

const DIGITS = "0123456789";

/** Visa, 16 digits; ISO/IEC 7812-1 annex B. */
export function cardNumber(random: Random): string {
  const body = `4${random.text(DIGITS, 14)}`;
  const sum = [...body]
    .map(Number)
    // The check digit comes last, so the last of these digits is doubled.
    .map((digit, index) => (index % 2 === 0 ? digit * 2 : digit))
    .reduce((total, digit) => total + (digit > 9 ? digit - 9 : digit), 0);
  return `${body}${(10 - (sum % 10)) % 10}`;
}

/** Germany, 22 characters; ISO 13616, ISO 7064 MOD 97-10. */
export function iban(random: Random): string {
  const account = random.text(DIGITS, 18);
  // D is 13 and E is 14; the check digits count as 00.
  const rest = BigInt(`${account}131400`) % 97n;
  return `DE${String(98n - rest).padStart(2, "0")}${account}`;
}

/** Areas from 100 to 599 were all assigned; neither group nor serial is all zeros. */
export function socialSecurityNumber(random: Random): string {
  const between = (least: number, most: number): number => least + random.below(most - least + 1);
  return `${between(100, 599)}-${between(10, 99)}-${between(1_000, 9_999)}`;
}
