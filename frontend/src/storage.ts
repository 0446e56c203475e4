/** Where the browser keeps what must survive a reload: localStorage, or memory where it is denied. */

export class BrowserStorage {
  private readonly memory = new Map<string, string>();
  private readonly storage: Storage | null;

  /** `prefix` stands before every key, so that studies on one server do not meet. */
  constructor(
    private readonly prefix: string,
    storage: () => Storage = () => window.localStorage,
  ) {
    try {
      this.storage = storage();
    } catch {
      this.storage = null; // a frame of another site, or cookies refused
    }
  }

  /** Whether what is kept is there after a reload. */
  get lasts(): boolean {
    return this.storage !== null && !this.memory.size;
  }

  get<T>(key: string): T | null {
    const text = this.memory.get(key) ?? this.storage?.getItem(this.prefix + key) ?? null;
    return text === null ? null : (JSON.parse(text) as T);
  }

  set(key: string, value: unknown): void {
    const text = JSON.stringify(value);
    try {
      this.storage!.setItem(this.prefix + key, text);
      this.memory.delete(key);
    } catch {
      this.memory.set(key, text); // denied or full: better in memory than lost
    }
  }

  remove(key: string): void {
    this.memory.delete(key);
    this.storage?.removeItem(this.prefix + key);
  }

  keys(beginning: string): string[] {
    const stored = Object.keys(this.storage ?? {})
      .filter((key) => key.startsWith(this.prefix))
      .map((key) => key.slice(this.prefix.length));
    return [...new Set([...stored, ...this.memory.keys()])].filter((key) =>
      key.startsWith(beginning),
    );
  }
}
