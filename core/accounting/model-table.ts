/**
 * Context windows of models, for sessions that state no limit. Hand-written entries come first, because Claude Code's
 * windows differ from those on the vendor's pages. `npm run model-windows` generates the other entries.
 */
import table from './model-windows.json' with { type: 'json' };

export interface ModelWindow {
  models: string;
  tokens: number;
  /** A larger window of the same model, tokens. A reading above `tokens` proves that this window is in use. */
  larger: number | null;
  source: string;
  date: string;
}

const ANTHROPIC = 'Anthropic, model pages (platform.claude.com/docs/en/models)';
/** The model pages state 1M for 4.6 and later 4.x, but Claude Code 2.1.38–2.1.91 compacted these models at 167k. */
const ANTHROPIC_4X = 'Claude Code transcripts (compaction at 167k); 1M on request: Anthropic, model pages';

const DATE = '2026-11-21';

function entry(
  models: string,
  pattern: RegExp,
  tokens: number,
  larger: number | null,
  source: string,
): ModelWindow & { pattern: RegExp } {
  return { models, pattern, tokens, larger, source, date: DATE };
}

const BY_HAND = [
  entry(
    'claude-…[1m]',
    /^claude-.*\[1m\]$/,
    1_000_000,
    null,
    'Claude Code: the suffix [1m] asks for the 1M window',
  ),
  entry('claude-3…', /^claude-3(-|$)/, 200_000, null, ANTHROPIC),
  entry('claude-haiku-4-5', /^claude-haiku-4-5(-|$)/, 200_000, null, ANTHROPIC),
  entry('claude-opus-4 to 4-5', /^claude-opus-4(-[0-5])?(-2\d{7})?$/, 200_000, null, ANTHROPIC),
  entry('claude-sonnet-4 to 4-5', /^claude-sonnet-4(-[0-5])?(-2\d{7})?$/, 200_000, 1_000_000, ANTHROPIC),
  entry(
    'claude-opus-4-6 to 4-8, claude-sonnet-4-6 to 4-8',
    /^claude-(opus|sonnet)-4-[6-8](-2\d{7})?$/,
    200_000,
    1_000_000,
    ANTHROPIC_4X,
  ),
  entry(
    'claude-opus-5…, claude-sonnet-5…, claude-fable-5…',
    /^claude-(opus|sonnet|fable)-5(-\d)?(-2\d{7})?$/,
    1_000_000,
    null,
    ANTHROPIC,
  ),
  entry(
    'gemini-3-pro, gemini-3.1-pro',
    /^gemini-3(-1)?-pro(-preview)?$/,
    1_048_576,
    null,
    'Google, model pages (ai.google.dev/gemini-api/docs/models)',
  ),
];

const GENERATED = table.windows.flatMap(({ models, tokens, source }) => {
  const names = models.filter((name) => !BY_HAND.some(({ pattern }) => pattern.test(name)));
  const window = { models: names.join(', '), tokens, larger: null, source, date: table.date };
  return names.length === 0 ? [] : [{ names, window }];
});
const BY_NAME: ReadonlyMap<string, ModelWindow> = new Map(
  GENERATED.flatMap(({ names, window }) => names.map((name) => [name, window] as const)),
);

export const MODEL_WINDOWS: readonly ModelWindow[] = [
  ...BY_HAND.map(({ pattern: _pattern, ...window }) => window),
  ...GENERATED.map(({ window }) => window),
];

const REMEMBERED_MODELS = 500;
/** A cache, because each turn needs a lookup. The cache is bounded, because names are untrusted. */
const remembered = new Map<string, ModelWindow | null>();

/** @param model as clients write it (`anthropic/claude-…`, `us.anthropic.claude-…-v1:0`, `claude-…@20250929`) */
export function findModelWindow(model: string): ModelWindow | null {
  const known = remembered.get(model);
  if (known !== undefined) return known;
  const name = withoutProvider(model);
  const found = BY_HAND.find((window) => window.pattern.test(name)) ?? BY_NAME.get(plainModel(model)) ?? null;
  if (remembered.size >= REMEMBERED_MODELS) remembered.clear();
  remembered.set(model, found);
  return found;
}

/** The model's larger window, else the smallest of 200 k, 1 M, 2 M, 4 M … that holds these tokens. */
export function windowAbove(model: string | null, tokens: number): number {
  const larger = model === null ? null : findModelWindow(model)?.larger;
  if (larger && tokens <= larger) return larger;
  if (tokens <= 200_000) return 200_000;
  let window = 1_000_000;
  while (window < tokens) window *= 2;
  return window;
}

/**
 * A lower-case name without the parts that Bedrock, Vertex and OpenRouter add: a path, a region, a version, a variant.
 * Versions have dashes, as in `claude-sonnet-4-5`.
 */
function withoutProvider(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z-]+\.)*(?:anthropic|openai|google)\./, '')
    .replace(/@(\d{8})?[^[]*/, (_, date) => (date === undefined ? '' : `-${date}`))
    .replace(/(?:-v\d+(?::\d+)?|-\d+:\d+|:[a-z]+)(?=\[|$)/, '')
    .replace(/(\d)\.(?=\d)/g, '$1-');
}

/** The name of a model without provider, date and preview, the key of the generated entries. */
export function plainModel(model: string): string {
  return withoutProvider(model)
    .replace(/^(gemini-.+?)-preview(?:-\d\d-\d\d+)?$/, '$1')
    .replace(/-(?:latest|default|\d{8}|\d{4}-\d\d-\d\d)(?=\[|$)/, '');
}
