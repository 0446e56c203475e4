/** Elements, made in one call. */

type Child = Node | string | null | undefined | false;

export function element<K extends keyof HTMLElementTagNameMap>(
  kind: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(kind), properties);
  made.append(...children.filter((child) => child != null && child !== false));
  return made;
}

export function button(properties: Partial<HTMLButtonElement>, onclick: () => void, ...children: Child[]): HTMLButtonElement {
  return element("button", { type: "button", onclick, ...properties }, ...children);
}
