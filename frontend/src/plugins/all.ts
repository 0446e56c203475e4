/** The plugins that ask questions, by their names: a new one is a new file here. */
import type { JsPsychPlugin } from "jspsych";

type Plugin = { new (...args: never[]): JsPsychPlugin<never>; readonly info: { name: string } };

const modules = import.meta.glob<{ default?: Plugin }>(["./*.ts", "!./all.ts"], { eager: true });
const PLUGINS = new Map(
  Object.values(modules).flatMap(({ default: one }) => (one?.info ? [[one.info.name, one]] : [])),
);

/** The plugin of a question; a page that was open while the server was renewed may lack it. */
export function plugin(name: string): Plugin {
  const found = PLUGINS.get(name);
  if (!found) throw new Error(`this page has no plugin ${name}: load it anew`);
  return found;
}
