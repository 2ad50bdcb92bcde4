/** Ordinary texts of people: words, names, diagnoses, dates, amounts, telephone numbers, addresses. */
import { createRandom, DIGITS, type Random } from "../redaction/corpus/random.ts";

const GIVEN = "Jane John María José Anna Jürgen Chloé Olga Łukasz Aylin Wei Fatima Sean Zoë Nguyễn".split(
  " ",
);
const FAMILY =
  "Doe Smith García-López O'Brien Müller Schmidt Armstrong McDonald van-der-Berg Krzyszczak Dvořák Kowalska Tanaka de-la-Cruz Goldschmidt".split(
    " ",
  );
const WORDS =
  "pneumonia diabetes positive negative pregnant cancelled dismissed salary bankruptcy admitted discharged urgent approved denied Kündigung embarazada enceinte résiliation 東京 肺炎 диагноз مريض pendiente rechazado strengths lengths rhythms angst".split(
    " ",
  );
const CODES = "covid-19 H1N1 type-2 F32.1 E11.9 B12 HbA1c MP3 Q1-2026 room-12 iPhone15 v2.40.5 A+ 3M".split(
  " ",
);
const STREETS = ["Calle Mayor", "Hauptstraße", "Elm Street", "rue de Rivoli"];
const SENTENCES = [
  (random: Random) => `Patient ${random.pick(GIVEN)} ${random.pick(FAMILY)} has ${random.pick(WORDS)}.`,
  (random: Random) =>
    `Please tell ${random.pick(GIVEN)} that the ${random.pick(WORDS)} letter was sent on Monday`,
  (random: Random) => `${random.pick(GIVEN)}, ${random.pick(WORDS)}, ${random.pick(WORDS)}`,
  (random: Random) => `El paciente ${random.pick(FAMILY)} está ${random.pick(WORDS)} desde el 3 de mayo`,
];

const two = (value: number): string => String(value).padStart(2, "0");
const date = (random: Random): readonly [string, string, string] => [
  String(1930 + random.below(100)),
  two(1 + random.below(12)),
  two(1 + random.below(28)),
];

/** Each makes one text. */
const KINDS: readonly ((random: Random) => string)[] = [
  ...SENTENCES,
  (random) => random.pick(WORDS),
  (random) => random.pick(GIVEN),
  (random) => `${random.pick(GIVEN)} ${random.pick(FAMILY)}`,
  (random) => `${random.pick(GIVEN)}-${random.pick(FAMILY)}`.toLowerCase(),
  (random) => `${random.pick(GIVEN)}${random.pick(FAMILY)}`,
  (random) => `${random.pick(GIVEN)}.${random.pick(FAMILY)}`.toUpperCase(),
  (random) => `${random.pick(GIVEN)}${1930 + random.below(100)}`.toLowerCase(),
  (random) => `${random.pick(GIVEN)}-${date(random).join("-")}`.toLowerCase(),
  (random) => `${random.pick(WORDS)}-${random.pick(WORDS)}-${random.pick(WORDS)}`,
  (random) => `${random.pick(WORDS)}_${random.pick(GIVEN)}`.toUpperCase(),
  (random) => random.pick(CODES),
  (random) => `${random.pick(CODES)}-${random.pick(WORDS)}`,
  (random) => date(random).join("-"),
  (random) => date(random).toReversed().join("."),
  (random) => `${date(random).join("-")}T${two(random.below(24))}:30:00.000Z`,
  (random) => `${random.below(9)},${random.text(DIGITS, 3)}.${random.text(DIGITS, 2)}`,
  (random) => `€${random.below(9_999)}.${random.text(DIGITS, 2)}`,
  (random) => `${random.below(9_999)} EUR`,
  (random) => `${random.below(999)}${random.pick(["mg", "kg", "ml", "%"])}`,
  (random) => `+34${random.text(DIGITS, 9)}`,
  (random) => `+49 151 ${random.text(DIGITS, 8)}`,
  (random) => `${random.text(DIGITS, 3)}-${random.text(DIGITS, 3)}-${random.text(DIGITS, 4)}`,
  (random) => `(555) ${random.text(DIGITS, 3)}-${random.text(DIGITS, 4)}`,
  (random) => `whatsapp:+1415${random.text(DIGITS, 7)}`,
  (random) => `34${random.text(DIGITS, 9)}@s.whatsapp.net`,
  (random) =>
    `${random.pick(GIVEN)}.${random.pick(["doe", "smith"])}${random.below(99)}@example.com`.toLowerCase(),
  (random) => `${random.pick(STREETS)} ${random.below(90)}, ${random.text(DIGITS, 5)} ${random.pick(GIVEN)}`,
  (random) => `${random.text(DIGITS, 3)}-${random.text(DIGITS, 2)}-${random.text(DIGITS, 4)}`,
  (random) => [1, 2, 3, 4].map(() => random.below(256)).join("."),
  (random) => `https://clinic.example.com/patients/${random.pick(GIVEN)}`.toLowerCase(),
];

/** This many different texts; the same ones for the same seed. */
export function ordinaryTexts(count: number, seed = 1): string[] {
  const random = createRandom(seed);
  const texts = new Set<string>();
  for (let index = 0; texts.size < count; index += 1) {
    const make = KINDS[index % KINDS.length];
    if (make !== undefined) texts.add(make(random));
  }
  return [...texts];
}
