/** Writes the types of src/protocol.ts: the JSON schema of study/protocol.py in, TypeScript out. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";

const text = readFileSync(0, "utf8");
const { description, limits, $defs } = JSON.parse(text);
const lines = [description.trim(), "", "Made by `make protocol` from src/resemblance/study/protocol.py: change that."];
const digest = createHash("sha256").update(text).digest("hex");
const banner = ["/**", ...lines.join("\n").split("\n").map((line) => ` * ${line}`.trimEnd()), " */", `// schema ${digest}`];
const types = await compile({ title: "Protocol", type: "object", $defs, additionalProperties: false }, "Protocol", {
  additionalProperties: false,
  bannerComment: banner.join("\n"),
  ignoreMinAndMaxItems: true,
  unreachableDefinitions: true,
  style: { printWidth: 100 },
});
const readable = types
  .replace(/ \*\n(?= \* This interface was referenced)/g, "")
  .replace(/ \* This interface was referenced by [\s\S]*?via the `definition` "\w+"\.\n/g, "")
  .replace(/ *\/\*\*\n *\*\/\n/g, "")
  .replace(/\/\*\*\n *\* (.*)\n *\*\//g, "/** $1 */")
  .replace(/\n+export interface Protocol \{\s*\}\n/, "\n");
const constants = Object.entries(limits).map(([name, value]) => `export const ${name} = ${value};\n`);
process.stdout.write([readable.trimEnd(), "\n\n", ...constants].join(""));
