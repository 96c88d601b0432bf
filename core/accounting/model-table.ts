/**
 * Context windows of models, for sessions that state no limit. The table is deliberately short: it has only windows
 * from the vendor's pages or from transcripts.
 */
export interface ModelWindow {
  models: string;
  /** Matches lower-case model names without a provider's prefix. */
  pattern: RegExp;
  tokens: number;
  /** A larger window of the same model, tokens. A reading above `tokens` proves that this window is in use. */
  larger: number | null;
  source: string;
  date: string;
}

const ANTHROPIC = 'Anthropic, model pages (platform.claude.com/docs/en/models)';
/** The model pages say 1M for 4.6 and later 4.x; Claude Code compacted them at 167k in 2.1.38–2.1.91. */
const ANTHROPIC_4X = 'Claude Code transcripts (compaction at 167k); 1M on request: Anthropic, model pages';

const DATE = '2026-11-21';

function entry(
  models: string,
  pattern: RegExp,
  tokens: number,
  larger: number | null,
  source: string,
): ModelWindow {
  return { models, pattern, tokens, larger, source, date: DATE };
}

export const MODEL_WINDOWS: readonly ModelWindow[] = [
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
];

const REMEMBERED_MODELS = 500;
/** A cache, because each turn needs a lookup. Its size is bounded, because names are untrusted. */
const remembered = new Map<string, ModelWindow | null>();

/** @param model as clients write it (`anthropic/claude-…`, `us.anthropic.claude-…`) */
export function findModelWindow(model: string): ModelWindow | null {
  const known = remembered.get(model);
  if (known !== undefined) return known;
  const name = model.toLowerCase().replace(/^.*[/.](?=claude-)/, '');
  const found = MODEL_WINDOWS.find((window) => window.pattern.test(name)) ?? null;
  if (remembered.size >= REMEMBERED_MODELS) remembered.clear();
  remembered.set(model, found);
  return found;
}
