/**
 * The researcher's desk in a browser. The server draws every page whole, and it works without this;
 * this draws the charts from the numbers in the page, and keeps the page fresh.
 */
import { drawAll } from "./figures";
import { Refresher } from "./refresh";
import "./style.css";

const refresher = new Refresher(drawAll); // before anything is drawn into what it compares
drawAll(document.body);
refresher.start();

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) drawAll(document.body);
  width = innerWidth;
});

document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest" });

// A choice in the filters acts at once; the button stays for those without scripts.
document.querySelectorAll<HTMLSelectElement>(".filters select").forEach((select) => {
  select.addEventListener("change", () => select.form!.requestSubmit());
});
