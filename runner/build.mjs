/**
 * Builds the package into dist/: the library, the command, their types, the protocol's text and its JSON Schemas. core/
 * and devDependencies are bundled; dependencies stay external.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const runner = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(runner);
const dist = path.join(runner, 'dist');
const manifest = JSON.parse(readFileSync(path.join(runner, 'package.json'), 'utf8'));
// Build in a temporary folder and move it, so that a running command never misses a file.
const fresh = path.join(dist, `.new-${process.pid}`);
rmSync(fresh, { recursive: true, force: true });

const { metafile } = await build({
  absWorkingDir: runner,
  metafile: true,
  entryPoints: {
    index: 'src/index.ts',
    cli: 'src/cli/main.ts',
    logger: 'src/logger.ts',
    // One entry for each part of the library, so that a program loads only the parts that it uses.
    ...Object.fromEntries(
      ['usage', 'restart', 'archive', 'openai', 'sdks', 'tracker'].map((name) => [
        name,
        `src/${name}/index.ts`,
      ]),
    ),
  },
  outdir: fresh,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'linked',
  external: Object.keys(manifest.dependencies),
  // The UMD build of jsonc-parser cannot be bundled.
  mainFields: ['module', 'main'],
  chunkNames: 'shared-[hash]',
  logLevel: 'warning',
});
chmodSync(path.join(fresh, 'cli.js'), 0o755);
emitTypes();
await emitCommonJs();
cpSync(path.join(root, 'core/protocol/schema'), path.join(fresh, 'schema'), { recursive: true });
shipPage('CHANGELOG.md', 'CHANGELOG.md');
shipPage('core/PROTOCOL.md', 'PROTOCOL.md', { '(protocol/schema/)': '(schema/)' });
for (const name of readdirSync(path.join(root, 'core/vectors'))) {
  if (name.endsWith('.json'))
    cpSync(path.join(root, 'core/vectors', name), path.join(fresh, 'vectors', name));
  else if (name.endsWith('.md')) shipPage(`core/vectors/${name}`, `vectors/${name}`);
}
// The reference documentation, with links back to the package's own README.
for (const name of readdirSync(path.join(root, 'docs/library'))) {
  shipPage(`docs/library/${name}`, `library/${name}`, { '../../runner/README.md': '../../README.md' });
}
cpSync(path.join(runner, 'src/restart/prompts'), path.join(fresh, 'prompts'), { recursive: true });

const files = filesBelow(fresh).map((file) => path.relative(fresh, file));
for (const file of files) {
  mkdirSync(path.dirname(path.join(dist, file)), { recursive: true });
  renameSync(path.join(fresh, file), path.join(dist, file));
}
rmSync(fresh, { recursive: true, force: true });
for (const file of filesBelow(dist)) {
  const name = path.relative(dist, file);
  if (!files.includes(name) && !name.startsWith('.new-')) rmSync(file, { force: true });
}

/** Copies a page of the project. Links to pages that are not shipped become plain names. */
function shipPage(from, to, moved = {}) {
  let text = readFileSync(path.join(root, from), 'utf8');
  for (const [before, after] of Object.entries(moved)) text = text.replaceAll(before, after);
  text = text.replaceAll(/\[[^\]]+\]\((?:\.\.\/)*(docs\/\w+\.md)\)/g, '$1 of the project');
  mkdirSync(path.dirname(path.join(fresh, to)), { recursive: true });
  writeFileSync(path.join(fresh, to), text);
}

function emitTypes() {
  const config = path.join(runner, 'tsconfig.build.json');
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  const tsc = path.join(path.dirname(manifest), bin.tsc);
  const types = path.join(fresh, 'types');
  const { status } = spawnSync(process.execPath, [tsc, '-p', config, '--outDir', types], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
  for (const file of filesBelow(types)) {
    // Node's resolution of types needs file extensions.
    const text = readFileSync(file, 'utf8').replace(/(from\s+'|import\(')(\.{1,2}\/[^']+)'/g, "$1$2.js'");
    const isProtocol = path.dirname(file).endsWith(path.join('core', 'protocol'));
    writeFileSync(file, isProtocol ? text.replace("from 'zod'", "from './zod-types.js'") : text);
  }
  cpSync(path.join(runner, 'zod-types.d.ts'), path.join(types, 'core/protocol/zod-types.d.ts'));
}

/**
 * Converts the library's modules and types, one by one, for programs that call `require`. Chunks stay shared, so
 * `instanceof` holds between the parts of the package.
 */
async function emitCommonJs() {
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([name, output]) => [path.basename(name), output]),
  );
  const entries = Object.values(manifest.exports).flatMap((entry) => entry.require?.default ?? []);
  const reached = new Set(entries.map((file) => `${path.basename(file, '.cjs')}.js`));
  for (const name of reached) {
    for (const { path: file, external } of outputs.get(name).imports) {
      if (!external) reached.add(path.basename(file));
    }
    const code = readFileSync(path.join(fresh, name), 'utf8');
    const result = await transform(code, {
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      define: { 'import.meta.url': 'moduleUrl' },
      banner: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;",
    });
    const text = result.code.replace(/(?<=(?:require|import)\("\.\/[\w-]+)\.js(?="\))/g, '.cjs');
    writeFileSync(path.join(fresh, name.replace(/js$/, 'cjs')), text);
  }
  for (const file of filesBelow(path.join(fresh, 'types'))) {
    const text = readFileSync(file, 'utf8').replace(/(?<=['"]\.{1,2}\/[^'"]+\.)js(?=['"])/g, 'cjs');
    writeFileSync(file.replace(/ts$/, 'cts'), text);
  }
}

/** @param {string} folder */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}
