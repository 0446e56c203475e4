/** The items in their full space: what is drawn of it, and who is near whom there. */
import { PLAIN, type Axis, type Class, type MapData, type Styles } from "./data";

export interface Neighbour {
  item: number;
  distance: number;
}

export class Space {
  readonly n: number;
  readonly k: number;
  readonly axes: Axis[];
  readonly styles: Styles;
  readonly flagged: Set<number>;
  readonly frames: { name: string; points: Float64Array; count: number }[];
  frame: number;
  private readonly styleOf: Uint8Array;

  constructor(readonly contents: MapData) {
    this.n = contents.names.length;
    this.k = contents.points[0]!.length;
    this.axes = contents.axes ?? unitAxes(this.k);
    this.styles = contents.styles ?? PLAIN;
    this.styleOf = Uint8Array.from(contents.names, (_, i) => this.classOf(i)?.style ?? 0);
    this.flagged = new Set(contents.flagged);
    const all = [...(contents.frames ?? []), { name: contents.name ?? "last", points: contents.points }];
    this.frames = all.map(({ name, points }) => {
      const later = contents.points.slice(points.length); // items that were not there yet wait where they will be
      return { name, points: Float64Array.from([...points, ...later].flat()), count: points.length };
    });
    this.frame = all.length - 1;
  }

  get points(): Float64Array {
    return this.frames[this.frame]!.points;
  }

  /** Whether an item was there already. */
  placed(item: number): boolean {
    return item < this.frames[this.frame]!.count;
  }

  /** The standard deviations of positions, where they are known of the map that is shown. */
  get uncertainty(): number[] | null {
    return this.frame === this.frames.length - 1 ? (this.contents.uncertainty ?? null) : null;
  }

  /** Inner products of the items with the weights of an axis. */
  along({ weights }: Axis): Float64Array {
    const { n, k, points } = this;
    return Float64Array.from({ length: n }, (_, i) => {
      let sum = 0;
      for (let c = 0; c < k; c++) sum += points[i * k + c]! * weights[c]!;
      return sum;
    });
  }

  distance(i: number, j: number): number {
    const { k, points } = this;
    let sum = 0;
    for (let c = 0; c < k; c++) sum += (points[i * k + c]! - points[j * k + c]!) ** 2;
    return Math.sqrt(sum);
  }

  /** The items nearest to one, over all dimensions: insertions into a short sorted list. */
  nearest(item: number, count: number): Neighbour[] {
    const found: Neighbour[] = [];
    for (let j = 0; j < this.n; j++) {
      if (j === item || !this.placed(j)) continue;
      const distance = this.distance(item, j);
      if (found.length === count && distance >= found[count - 1]!.distance) continue;
      const place = found.findIndex((other) => distance < other.distance);
      found.splice(place < 0 ? found.length : place, 0, { item: j, distance });
      found.length = Math.min(found.length, count);
    }
    return found;
  }

  classOf(item: number): Class | null {
    const { classes, classOf } = this.contents;
    return classes && classOf ? classes[classOf[item]!]! : null;
  }

  style(item: number): number {
    return this.styleOf[item]!;
  }
}

function unitAxes(k: number): Axis[] {
  const weights = (axis: number) => Array.from({ length: k }, (_, c) => Number(c === axis));
  return Array.from({ length: k }, (_, axis) => ({ name: `dimension ${axis + 1}`, weights: weights(axis) }));
}
