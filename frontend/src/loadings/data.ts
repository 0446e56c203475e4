/** What the page of dimensions is made of; the Python package fills it in. */
import type { Atlas } from "../map/data";

export interface Contents {
  title: string;
  key: string; // of these dimensions, under which the reader's names are kept
  top: number; // items of a dimension that are shown at first
  items: string[]; // their names
  images: Atlas | null;
  fits: { seeds: number; splits: number }; // from which reproducibility was measured
  dimensions: Dimension[]; // the most important first
}

export interface Dimension {
  number: number; // from 1
  name: string;
  share: number; // of all loadings
  again: { seeds?: number; halves?: number; found_again?: number; splits?: number }; // correlations with its matches in other fits; in how many splits it is found again
  features: [name: string, correlation: number][];
  items: number[]; // those that have something of it, most first
  loadings: number[]; // in the order of these items
  lowest: number[] | null; // over refits
  highest: number[] | null;
}
