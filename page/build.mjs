// Bundles the page into the Python package. The bundle is committed: users and CI have no Node. Each file opens
// with a hash of all sources, which tests/web/test_bundle.py recomputes, so that a stale bundle does not go unseen.
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { context, build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "src", "sskpca", "_web", "static");
const sources = ["build.mjs", "package-lock.json", "package.json", "tsconfig.json"].concat(
  readdirSync(join(here, "src")).map((name) => `src/${name}`),
);

const hash = createHash("sha256");
for (const name of sources.sort())
  hash
    .update(`${name}\0`)
    .update(readFileSync(join(here, name)))
    .update("\0");
const banner = `/*! sskpca page, sources ${hash.digest("hex")} */`;

mkdirSync(out, { recursive: true });
copyFileSync(join(here, "src", "index.html"), join(out, "index.html"));
// What is bundled may be passed on with its licence.
const bundled = Object.entries(JSON.parse(readFileSync(join(here, "package.json"), "utf8")).dependencies);
const licence = (name) => readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim();
writeFileSync(
  join(out, "licenses.txt"),
  bundled.map(([name, version]) => `page.js holds ${name} ${version}:\n\n${licence(name)}\n`).join("\n\n"),
);
const options = {
  entryPoints: [
    { in: join(here, "src", "main.tsx"), out: "page" },
    { in: join(here, "src", "page.css"), out: "page" },
  ],
  outdir: out,
  bundle: true,
  minify: true,
  target: "es2020",
  format: "iife",
  charset: "utf8",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "inline",
  banner: { js: banner, css: banner },
  logLevel: "warning",
};
if (process.argv.includes("--watch")) await (await context(options)).watch();
else await build(options);
