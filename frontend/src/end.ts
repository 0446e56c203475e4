/** What stands on the last page: the completion code and the way back. */
import { h } from "./dom";
import type { Completion, Redirect } from "./protocol";
import { say } from "./strings";

export function farewell({ code, redirect }: Completion, contact: string | null): Node[] {
  const parts: Node[] = [];
  if (code) parts.push(codeBox(code));
  else parts.push(...held(contact));
  if (redirect) parts.push(h("div", { class: "buttons" }, wayBack(redirect)));
  return parts;
}

/** No code yet: what happens to the pay, and whom to ask. */
function held(contact: string | null): Node[] {
  const words = [say("held"), ...(contact ? [say("held.contact", { contact })] : [])];
  return words.map((text) => h("p", { class: "held" }, text));
}

function codeBox(code: string): HTMLElement {
  const shown = h("output", { class: "code", dir: "ltr" }, code);
  const copy = h("button", { class: "secondary", type: "button" }, say("copy"));
  copy.addEventListener("click", () => {
    getSelection()?.selectAllChildren(shown); // where the clipboard is refused, a key copies it
    void navigator.clipboard?.writeText(code).then(() => (copy.textContent = say("copied")));
  });
  return h("div", { class: "code-box" }, h("span", {}, say("code")), shown, copy);
}

/** The page's own form must not be sent in its place: the button makes one. */
function wayBack({ url, method, fields }: Redirect): HTMLElement {
  const go = () => {
    if (method === "GET") return location.assign(url);
    const inputs = Object.entries(fields).map(([name, value]) =>
      h("input", { type: "hidden", name, value }),
    );
    const form = h("form", { action: url, method: "post", hidden: true }, ...inputs);
    document.body.append(form);
    form.submit();
  };
  return h("button", { class: "primary", type: "button", click: go }, say("redirect"));
}
