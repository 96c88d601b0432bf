/**
 * Context windows of models, for sessions that state no limit. Hand-written entries come first, because the windows of
 * Claude Code and Codex differ from those on the vendors' pages. `npm run model-windows` generates the other entries.
 */
import table from './model-windows.json' with { type: 'json' };
import byHand from './model-windows-by-hand.json' with { type: 'json' };

export interface ModelWindow {
  models: string;
  tokens: number;
  source: string;
  date: string;
}

/** The model pages state 1M for 4.6 and later 4.x, but Claude Code 2.1.38–2.1.91 compacted these models at 167k. */
const BY_HAND = byHand.map(({ pattern, client = null, ...window }) => ({
  ...{ client, window, pattern: new RegExp(pattern) },
}));

const GENERATED = table.windows.flatMap(({ models, tokens, source }) => {
  const names = models
    .split(' ')
    .filter((name) => !BY_HAND.some(({ client, pattern }) => client === null && pattern.test(name)));
  const window = { models: names.join(', '), tokens, source, date: table.date };
  return names.length === 0 ? [] : [{ names, window }];
});
const BY_NAME: ReadonlyMap<string, ModelWindow> = new Map(
  GENERATED.flatMap(({ names, window }) => names.map((name) => [name, window] as const)),
);

export const MODEL_WINDOWS: readonly ModelWindow[] = [
  ...BY_HAND.map(({ window }) => window),
  ...GENERATED.map(({ window }) => window),
];

/** The largest window of any known model, tokens. */
export const LARGEST_WINDOW = Math.max(...MODEL_WINDOWS.map(({ tokens }) => tokens));

const REMEMBERED_MODELS = 500;
/** A cache, because each turn needs a lookup. The cache is bounded, because names are untrusted. */
const remembered = new Map<string, ModelWindow | null>();

/**
 * @param model as clients write it (`anthropic/claude-…`, `us.anthropic.claude-…-v1:0`, `claude-…@20250929`)
 * @param user name of the client that uses the model, because a client may use a part of the window; null: unknown
 */
export function findModelWindow(model: string, user: string | null = null): ModelWindow | null {
  const key = `${user ?? ''} ${model}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const name = withoutProvider(model);
  const isOf = (client: string | null) => client === null || client === user?.toLowerCase();
  const own = BY_HAND.find(({ client, pattern }) => isOf(client) && pattern.test(name));
  const found = own?.window ?? BY_NAME.get(plainModel(model)) ?? null;
  if (remembered.size >= REMEMBERED_MODELS) remembered.clear();
  remembered.set(key, found);
  return found;
}

/** The smallest of 200 k, 1 M, 2 M, 4 M … that holds these tokens. */
export function windowAbove(tokens: number): number {
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
    .replace(/.*\//, '')
    .replace(/^(?:[a-z-]+\.)*(?:anthropic|openai|google)\./, '')
    .replace(/@[^[]*/, '')
    .replace(/(?:-v\d+(?::\d+)?|-\d+:\d+|:[a-z]+)(?=\[|$)/, '')
    .replace(/(\d)\.(?=\d)/g, '$1-');
}

/** The name of a model without provider, date and preview, the key of the generated entries. */
export function plainModel(model: string): string {
  return withoutProvider(model)
    .replace(/(gemini-.+?)-preview(?:-\d\d-\d\d+)?$/, '$1')
    .replace(/-(?:latest|default|\d{8}|\d{4}-\d\d-\d\d)(?=\[|$)/, '');
}
