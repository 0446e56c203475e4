// The parts of the page around the map: legend, axes, card and table.
function element(kind, properties = {}, ...children) {
  const made = Object.assign(document.createElement(kind), properties);
  made.append(...children.filter((child) => child !== null));
  return made;
}

function button(properties, onclick, ...children) {
  return element("button", { type: "button", onclick, ...properties }, ...children);
}

function swatch(map, own) {
  const made = element("i", { className: `swatch ${map.space.contents.styles.shape[own.style]}` });
  made.style.setProperty("--colour", map.painter.colours[own.style]);
  return made;
}

function drawLegend(map, list) {
  const classes = map.space.contents.classes || [];
  const entries = classes.map((own, c) => {
    const toggle = button({ title: own.name }, () => {
      map.toggle(c);
      toggle.setAttribute("aria-pressed", !map.hidden.has(c));
    }, swatch(map, own), element("b", { textContent: own.name }));
    toggle.setAttribute("aria-pressed", !map.hidden.has(c));
    return element("li", {}, toggle);
  });
  if (map.space.flagged.size) {
    const note = element("span", { textContent: "in no judgment" });
    note.prepend(element("i", { className: "swatch hollow" }));
    entries.push(element("li", {}, note));
  }
  list.replaceChildren(...entries);
}

function drawAxes(map, holder) {
  holder.hidden = map.space.k < 3;
  [...holder.querySelectorAll("select")].forEach((select, which) => {
    map.space.contents.axes.forEach((axis, i) => select.append(new Option(axis.name, i, false, i === which)));
    select.onchange = () => map.turn(which, Number(select.value));
  });
}

function number(value) {
  return String(Number(value.toPrecision(3))).replace("-", "−");
}

function coordinates(space, item) {
  const all = Array.from(space.points.subarray(item * space.k, (item + 1) * space.k));
  const rest = space.k - 6;
  return all.slice(0, 6).map(number).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

function picture(map, item) {
  const source = map.space.image(item);
  return source ? element("img", { src: source, alt: "" }) : null;
}

function drawCard(map, card, item, neighbours, pinned) {
  card.hidden = item === null;
  card.classList.toggle("pinned", pinned);
  if (item === null) return;
  const { contents } = map.space, own = map.space.classOf(item);
  const near = neighbours.map((other) => element("li", {}, button({}, () => map.visit(other.item),
    picture(map, other.item), element("b", { textContent: contents.names[other.item] }),
    element("small", { textContent: number(other.distance) }))));
  card.replaceChildren(...[
    button({ className: "close", textContent: "×", ariaLabel: "Close" }, () => map.pin(null)),
    picture(map, item),
    element("h2", { textContent: contents.names[item] }),
    own && element("div", { className: "class" }, swatch(map, own), own.name),
    element("p", { className: "at", textContent: `at ${coordinates(map.space, item)}` }),
    map.space.flagged.has(item) && element("p", { textContent: "No judgment mentions it: it stands at the centre." }),
    near.length && element("h3", { textContent: map.space.k > 2 ? `Nearest in all ${map.space.k} dimensions` : "Nearest" }),
    element("ol", {}, ...near),
  ].filter(Boolean));
}

// Beside the point on a wide page, away from its neighbours; the style sheet docks it below on a narrow one.
function placeCard(card, stage, [x, y], neighbours, gap) {
  const width = card.offsetWidth, height = card.offsetHeight;
  const right = x + gap, left = x - gap - width;
  const leftwards = neighbours.filter((at) => at[0] > x).length > neighbours.length / 2;
  const fits = (edge) => edge > 8 && edge + width < stage.clientWidth - 8;
  const edge = [...(leftwards ? [left, right] : [right, left])].find(fits) ?? right;
  const top = Math.min(Math.max(y - height / 3, 8), stage.clientHeight - height - 8);
  const inside = Math.min(Math.max(edge, 8), stage.clientWidth - width - 8);
  card.style.transform = `translate(${Math.round(inside)}px, ${Math.round(Math.max(top, 8))}px)`;
}

// The box (left, top, right, bottom) of an element on the stage.
function boxOf(part, stage) {
  const box = part.getBoundingClientRect(), frame = stage.getBoundingClientRect();
  return [box.left - frame.left, box.top - frame.top, box.right - frame.left, box.bottom - frame.top];
}

function drawTable(map, holder) {
  const { space } = map, { contents } = space;
  const numbers = Array.from({ length: space.k }, (_, c) => c);
  const titles = ["item", ...(contents.classes ? ["class"] : []), ...numbers.map((c) => `dimension ${c + 1}`)];
  const rows = contents.names.map((name, item) => element("tr", {},
    element("td", {}, button({ textContent: name }, () => map.visit(item))),
    contents.classes ? element("td", { textContent: space.classOf(item).name }) : null,
    ...numbers.map((c) => element("td", { className: "number", textContent: number(contents.points[item][c]) }))));
  holder.replaceChildren(element("table", {},
    element("thead", {}, element("tr", {}, ...titles.map((title) => element("th", { scope: "col", textContent: title })))),
    element("tbody", {}, ...rows)));
}
