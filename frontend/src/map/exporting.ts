/** What the reader sees, as a file: PNG as on the screen at twice its density, or SVG. */
import { NAME_HEIGHT, type Offset } from "./names";
import { FONT, LINE, type Drawn, type Scene } from "./painter";
import { RIM } from "./sprites";
import type { SimilarityMap } from "./map";

const ROW = 20; // of the legend
const PAD = 14;
const DENSITY = 2;

export function savePng(map: SimilarityMap): void {
  const legend = legendOf(map);
  const canvas = map.painter.print(map.scene(), DENSITY, legend.width);
  const pen = canvas.getContext("2d")!;
  pen.setTransform(DENSITY, 0, 0, DENSITY, DENSITY * map.view.width, 0);
  pen.font = FONT;
  pen.textBaseline = "middle";
  legend.rows.forEach(({ name, colour, square }, row) => {
    const y = PAD + ROW * (row + 0.5);
    pen.fillStyle = colour;
    pen.beginPath();
    if (square) pen.rect(0, y - 5, 10, 10);
    else pen.arc(5, y, 5, 0, 2 * Math.PI);
    pen.fill();
    pen.fillStyle = map.painter.theme.ink;
    pen.fillText(name, 18, y);
  });
  canvas.toBlob((blob) => blob && download(map, blob, "png"), "image/png");
}

export function saveSvg(map: SimilarityMap): void {
  download(map, new Blob([svgOf(map)], { type: "image/svg+xml" }), "svg");
}

/** The scene as the text of an SVG picture that holds all it needs. */
export function svgOf(map: SimilarityMap): string {
  const { painter, view } = map;
  const scene = map.scene();
  const legend = legendOf(map);
  const width = Math.round(view.width + legend.width);
  const height = Math.round(view.height);
  const visible = (i: number) => {
    const [x, y] = map.at(i);
    return x > 0 && y > 0 && x < view.width && y < view.height;
  };
  const dots = scene.dots.filter((i) => (scene.level[i]! > scene.step || scene.leads.has(i)) && visible(i));
  const pictures = scene.pictured.filter((i) => scene.level[i]! <= scene.step && visible(i));
  const parts = [
    `<rect width="${width}" height="${height}" fill="${painter.theme.paper}"/>`,
    ...scene.dots.filter((i) => scene.uncertainty && !scene.faint(i) && visible(i)).map((i) => circle(map, i, scene)),
    ...Array.from(scene.leads).filter(([i]) => visible(i)).map(([i, end]) => lead(map, i, end)),
    ...dots.map((i) => mark(map, i, scene)),
    ...pictures.map((i) => image(map, i, scene)),
    ...scene.arrows.map((drawn) => arrow(map, drawn)),
    ...Array.from(scene.names).filter(([i]) => visible(i)).map(([i, offset]) => nameOf(map, i, offset)),
    ...legend.rows.map(({ name, colour, square }, row) => {
      const y = PAD + ROW * (row + 0.5);
      return shape(view.width + 5, y, 5, square, `fill="${colour}"`) + text(view.width + 18, y, name, painter.theme.ink);
    }),
  ];
  const font = FONT.replace("12px ", "").replaceAll("'", "");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="${font}" font-size="12">\n<title>${escaped(map.space.contents.title ?? "Map")}</title>\n${parts.join("\n")}\n</svg>\n`;
}

function mark(map: SimilarityMap, i: number, scene: Scene): string {
  const { painter, space } = map;
  const hollow = space.flagged.has(i);
  const colour = painter.colours[space.style(i)]!;
  const paint = hollow ? `fill="none" stroke="${colour}" stroke-width="1.6"` : `fill="${colour}"`;
  const faint = scene.faint(i) ? ' opacity="0.13"' : "";
  const [x, y] = map.at(i);
  return shape(x, y, painter.radius, space.styles.shape[space.style(i)] === "square", paint + faint, space.contents.names[i]!);
}

function circle(map: SimilarityMap, i: number, scene: Scene): string {
  const [x, y] = map.at(i);
  const colour = map.painter.colours[map.space.style(i)]!;
  return shape(x, y, scene.uncertainty![i]! * scene.scale, false, `fill="none" stroke="${colour}" stroke-opacity="${LINE}"`);
}

function lead(map: SimilarityMap, i: number, [dx, dy]: Offset): string {
  const [x, y] = map.at(i);
  return `<line x1="${n(x)}" y1="${n(y)}" x2="${n(x + dx)}" y2="${n(y + dy)}" stroke="${map.painter.theme.muted}" stroke-width="0.75"/>`;
}

function image(map: SimilarityMap, i: number, scene: Scene): string {
  const picture = map.painter.sprites.cut(i, 2 * scene.side);
  if (!picture) return "";
  const shrink = (scene.side - 2 * RIM) / Math.max(picture.width, picture.height);
  const [w, h] = [picture.width * shrink, picture.height * shrink];
  const [x, y] = map.spot(i);
  const box = (rim: number) => `x="${n(x - w / 2 - rim)}" y="${n(y - h / 2 - rim)}" width="${n(w + 2 * rim)}" height="${n(h + 2 * rim)}"`;
  const faint = scene.faint(i) ? ' opacity="0.13"' : "";
  return `<g${faint}><rect ${box(RIM)} fill="${map.painter.rim(i)}"/><image ${box(0)} href="${picture.toDataURL("image/png")}"/></g>`;
}

function arrow(map: SimilarityMap, { from, to, head, text: words, name }: Drawn): string {
  const { paper, ink } = map.painter.theme;
  const points = [from, to, head[0], to, head[1]].map(([x, y]) => `${n(x)},${n(y)}`).join(" ");
  const line = (colour: string, width: number) => `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="${width}"/>`;
  return line(paper, 4) + line(ink, 1.5) + text(name[0], name[1], words, ink, halo(paper));
}

function nameOf(map: SimilarityMap, i: number, [dx, dy]: Offset): string {
  const [x, y] = map.at(i);
  const { paper, ink } = map.painter.theme;
  return text(x + dx, y + dy + NAME_HEIGHT / 2, map.painter.names[i]!, ink, halo(paper));
}

function halo(paper: string): string {
  return ` stroke="${paper}" stroke-width="3.5" stroke-linejoin="round" paint-order="stroke"`;
}

function shape(x: number, y: number, r: number, square: boolean, paint: string, name = ""): string {
  const title = name && `<title>${escaped(name)}</title>`;
  return square
    ? `<rect x="${n(x - 0.9 * r)}" y="${n(y - 0.9 * r)}" width="${n(1.8 * r)}" height="${n(1.8 * r)}" ${paint}>${title}</rect>`
    : `<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" ${paint}>${title}</circle>`;
}

function text(x: number, y: number, words: string, colour: string, more = ""): string {
  return `<text x="${n(x)}" y="${n(y)}" dy="0.35em" fill="${colour}"${more}>${escaped(words)}</text>`;
}

/** The classes that are shown, and the room that their names take. */
function legendOf(map: SimilarityMap) {
  const { space, painter } = map;
  const rows = (space.contents.classes ?? [])
    .map((own) => ({ name: own.name, colour: painter.colours[own.style]!, square: space.styles.shape[own.style] === "square" }))
    .filter((_, c) => !map.hidden.has(c));
  painter.ground.font = FONT;
  const widths = rows.map(({ name }) => painter.ground.measureText(name).width);
  return { rows, width: rows.length ? Math.max(...widths) + 18 + PAD : 0 };
}

function n(value: number): string {
  return String(Math.round(10 * value) / 10);
}

function escaped(words: string): string {
  const marks: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return words.replace(/[&<>"]/g, (mark) => marks[mark]!).replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, " ");
}

function download(map: SimilarityMap, blob: Blob, suffix: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  const name = (map.space.contents.title ?? "map").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60);
  link.download = `${name || "map"}.${suffix}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
