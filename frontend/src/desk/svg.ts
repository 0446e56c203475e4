/** Elements of a drawing. */

const SPACE = "http://www.w3.org/2000/svg";
export type Attributes = Record<string, string | number>;

export function s(name: string, attributes: Attributes = {}, ...children: (Node | string)[]): SVGElement {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** A drawing as wide as its figure, which says in words what it shows. */
export function drawing(width: number, height: number, words: string): SVGElement {
  const size = { viewBox: `0 0 ${width} ${height}`, width, height };
  return s("svg", { ...size, role: "img", "aria-label": words }, s("title", {}, words));
}
