/** What the page itself says, in the participant's language. A language is a table in strings/. */
import de from "./strings/de.json";
import en from "./strings/en.json";

type Table = Record<string, string>;

const TABLES: Record<string, Table> = { de, en };
let table: Table = en;

/** Choose the language, and replace single strings by the study's own. */
export function setLanguage(language: string, own: Table = {}): void {
  table = { ...en, ...TABLES[language.split("-")[0]!.toLowerCase()], ...own };
}

/** The string of this name, its {places} filled in. */
export function say(name: string, values: Record<string, string | number> = {}): string {
  const text = table[name] ?? name;
  return text.replace(/\{(\w+)\}/g, (place, key: string) => String(values[key] ?? place));
}

export function canSay(name: string): boolean {
  return name in table;
}
