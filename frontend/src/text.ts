/** Text tiles alike in size of letters, none cut off. */

const MARGIN = 8; // above and below
const SIZES = [24, 22, 20, 18, 17, 16, 15, 14, 13, 12];

/** The largest letters with which every text fits its tile. */
export function fitText(field: HTMLElement): void {
  const texts = [...field.querySelectorAll<HTMLElement>(".tile > .text")];
  for (const size of SIZES) {
    field.style.setProperty("--letters", `${size}px`);
    if (texts.every(fits)) return;
  }
}

function fits(text: HTMLElement): boolean {
  const room = text.parentElement!;
  const height = text.scrollHeight + 2 * MARGIN;
  return height <= room.clientHeight && text.scrollWidth <= text.clientWidth;
}
