/** What the page itself says, in the person's language: the server sends the tables of a study. */
import type { Spoken } from "./protocol";

type Values = Record<string, string | number>;

let spoken: Spoken = { code: "en", name: "", direction: "ltr", title: "", strings: {} };

/** The language chosen before, else the first that the browser wants, else the study's own. */
export function wanted(offered: Spoken[], before: string | null): Spoken {
  const base = (code: string) => code.split("-")[0]!.toLowerCase();
  const found = [before ?? "", ...navigator.languages].map((code) =>
    offered.find((one) => base(one.code) === base(code)),
  );
  return found.find((one) => one !== undefined) ?? offered[0]!;
}

/** From now on the page is in this language. */
export function speak(language: Spoken): void {
  spoken = language;
  const { code, direction, title } = language;
  Object.assign(document.documentElement, { lang: code, dir: direction });
  document.title = title;
}

export function language(): Spoken {
  return spoken;
}

/** Whether one reads from the right: places, and the arrows that choose them, are mirrored. */
export function mirrored(): boolean {
  return spoken.direction === "rtl";
}

/** The string of this name, its {places} filled in; `n` or `total` decides among plurals. */
export function say(name: string, values: Values = {}): string {
  const told = spoken.strings[name] ?? name;
  const text = typeof told === "string" ? told : plural(told, Number(values["n"] ?? values["total"]));
  return text.replace(/\{(\w+)\}/g, (place, key: string) => shown(values[key] ?? place));
}

function plural(told: Record<string, string>, n: number): string {
  return told[new Intl.PluralRules(spoken.code).select(n)] ?? told["other"]!;
}

function shown(value: string | number): string {
  return typeof value === "number" ? number(value) : value;
}

/** A number as the language writes it: {style: "percent"}, or with a unit. */
export function number(value: number, format: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(spoken.code, format).format(value);
}

export function canSay(name: string): boolean {
  return name in spoken.strings;
}
