/** The map as a page of its own: what is drawn stands in the page. */
import "./page.css";
import type { MapData } from "./data";
import { mountMap } from "./map";

const contents = JSON.parse(document.getElementById("contents")!.textContent!) as MapData;
globalThis.similarityMap = mountMap(document.querySelector("main")!, contents);
