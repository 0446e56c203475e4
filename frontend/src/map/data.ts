/** What a map is made of: one row or entry for each item, in one order throughout. */

export interface MapData {
  title?: string;
  names: string[];
  points: number[][]; // near each other means similar; one column or more
  frames?: Frame[] | null; // earlier maps, oldest first, each laid upon the next; the last items may lack
  name?: string; // of this map among the frames
  uncertainty?: number[] | null; // the standard deviation of each position
  arrows?: Arrow[] | null; // features and words, each in the direction in which it grows
  axes?: Axis[] | null; // what may be drawn along x and y; by default the dimensions
  swarm?: number[] | null; // heights that keep items of a single dimension apart
  classes?: Class[] | null;
  classOf?: number[] | null;
  styles?: Styles;
  flagged?: number[]; // items that no judgment mentions
  images?: (string | null)[] | Atlas | null; // an address for each item, or all in one picture
}

export interface Frame {
  name: string;
  points: number[][];
}

export interface Axis {
  name: string;
  weights: number[];
}

export interface Arrow {
  name: string;
  to: number[]; // from the middle of the items, in the unit of the positions
  strength: string; // how well positions predict it
}

export interface Class {
  name: string;
  style: number; // a position in the lists of the styles
}

export interface Styles {
  light: string[];
  dark: string[];
  shape: string[];
}

/** Small pictures in square cells, row by row; each stands in the upper left corner of its cell. */
export interface Atlas {
  source: string;
  side: number; // of a cell, in pixels
  columns: number;
  sizes: ([width: number, height: number] | null)[];
}

export const PLAIN: Styles = { light: ["#6a76b5"], dark: ["#7f7efa"], shape: ["circle"] };
