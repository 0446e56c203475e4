/** Places for names on the page: over no point and over no other name. */
import { moveApart, Taken } from "./apart";

export type Box = [left: number, top: number, right: number, bottom: number];
export type Offset = [dx: number, dy: number];
export const NAME_HEIGHT = 15;

/** Right of the point, left, below, above: the middle of a name's box from its point. */
function places(width: number, gap: number): Offset[] {
  const [x, y] = [gap + width / 2, gap + NAME_HEIGHT / 2];
  return [[x, 0], [-x, 0], [0, y], [0, -y]];
}

/**
 * Place the names of items, those first that come first; what is returned is the upper left corner of
 * each. Only distances on the page count, not where the page has been dragged to, so names stay where
 * they are while it moves. Within a reach, names that have no place at their point go elsewhere.
 */
export function placeNames(
  at: (item: number) => [number, number],
  items: number[],
  widths: number[],
  radius: number,
  page: Box | null = null,
  blocked: Box[] = [],
  reach = 0,
): Map<number, Offset> {
  const taken = new Taken();
  for (const box of blocked) taken.take(box, -1);
  const asks = items.map((i, own) => {
    const [x, y] = at(i);
    taken.take([x - radius, y - radius, x + radius, y + radius], own);
    const first = places(widths[i]!, radius + 4);
    return { at: [x, y] as Offset, size: [widths[i]!, NAME_HEIGHT] as Offset, first, gap: radius + 4 };
  });
  const placed = new Map<number, Offset>();
  for (const [k, middle] of moveApart(asks, page, reach, taken).entries()) {
    const i = items[k]!;
    if (middle) placed.set(i, [middle[0] - widths[i]! / 2, middle[1] - NAME_HEIGHT / 2]);
  }
  return placed;
}

/** Where the lines end that lead from points to names that are away from them. */
export function leadsOf(names: Map<number, Offset>, widths: number[], radius: number): Map<number, Offset> {
  const leads = new Map<number, Offset>();
  for (const [i, [x, y]] of names) {
    const end: Offset = [clamp(0, x, x + widths[i]!), clamp(0, y, y + NAME_HEIGHT)];
    if (Math.hypot(...end) > radius + 6) leads.set(i, end);
  }
  return leads;
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
