/** What the reader calls the dimensions: kept in the browser, and saved as a table. */
import type { Contents } from "./data";

export class Names {
  private readonly own: Record<string, string> = {};
  private readonly key: string;
  private readonly given: Map<number, string>;

  constructor(contents: Contents) {
    this.key = `resemblance-names-${contents.key}`;
    this.given = new Map(contents.dimensions.map((one) => [one.number, one.name]));
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.key) ?? "{}");
      if (kept && typeof kept === "object") Object.assign(this.own, kept);
    } catch {
      // no storage, or none that can be read: names last as long as the page
    }
  }

  of(number: number): string {
    const own = this.own[number];
    return typeof own === "string" ? own : this.given.get(number) ?? "";
  }

  set(number: number, name: string): void {
    this.own[number] = name;
    try {
      localStorage.setItem(this.key, JSON.stringify(this.own));
    } catch {
      // as above
    }
  }

  get count(): number {
    return [...this.given.keys()].filter((number) => this.of(number).trim()).length;
  }

  /** A row for each dimension, by number: what `names=` of the Python package reads. */
  csv(): string {
    const numbers = [...this.given.keys()].sort((a, b) => a - b);
    const rows = numbers.map((number) => `${number},"${this.of(number).trim().replaceAll('"', '""')}"`);
    return ["dimension,name", ...rows, ""].join("\r\n");
  }
}
