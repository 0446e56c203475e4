/**
 * How head and options share the room: the head on top, and as many columns of options as give the
 * largest tiles. Two options are always a left and a right one.
 */

export interface Layout {
  columns: number; // of the options
  width: number; // of every tile
  height: number;
}

export interface Wanted {
  options: number;
  head: boolean;
  aspect: number; // width over height of a tile that pleases: 1 for pictures
  fill: boolean; // tiles may take any shape (text); else they keep the aspect
  largest: number; // height in pixels that no tile passes
}

export const GAP = 12; // between options
export const HEAD_GAP = 28; // between head and options

export function layOut(width: number, height: number, wanted: Wanted): Layout {
  const size = (one: Layout) => Math.min(one.width / wanted.aspect, one.height);
  const numbers = Array.from({ length: wanted.options }, (_, n) => n + 1); // of columns
  return (wanted.options === 2 ? [2] : numbers)
    .map((columns) => fit(width, height, wanted, columns))
    .reduce((best, other) => (size(other) > size(best) + 0.5 ? other : best));
}

function fit(
  width: number,
  height: number,
  { options, head, aspect, fill, largest }: Wanted,
  columns: number,
): Layout {
  const rows = Math.ceil(options / columns);
  const down = head ? 1 : 0;
  // the room that gaps leave, shared by the tiles in a row and in a column
  const cellWidth = (width - (columns - 1) * GAP) / columns;
  const cellHeight = (height - (rows - 1) * GAP - down * HEAD_GAP) / (rows + down);
  const side = Math.max(0, Math.min(cellWidth / aspect, cellHeight, largest));
  const tileWidth = fill ? Math.min(cellWidth, aspect * largest) : aspect * side;
  const tileHeight = fill ? Math.min(cellHeight, largest) : side;
  return { columns, width: Math.floor(tileWidth), height: Math.floor(tileHeight) };
}
