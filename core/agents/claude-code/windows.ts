/** The context windows that the lines of a file state, by model. The newest statement about a model applies. */
import { findModelWindow, plainModel } from '../../accounting/model-table';
import { asCount, asFields, asList, asText, cleanText, type Fields, SYNTHETIC } from '../fields';
import { readWindow } from './line';

/** Without a source, the window is a change in the middle of the session, so it does not correct earlier calls. */
export type Window = { limit: number; limitSource?: 'client' | 'api_error' };

export interface WindowsState {
  stated: Record<string, Window>;
  /** Models with the suffix `[1m]`, which states their window. */
  extended: string[];
  /** Models that were named without this suffix. */
  plain?: string[];
  /** The model of the last call. */
  current: string | null;
}

const EXTENDED_TOKENS = 1_000_000;

export function createWindows(saved?: WindowsState) {
  const stated = new Map(Object.entries(saved?.stated ?? {}));
  const extended = new Set(saved?.extended);
  const plain = new Set(saved?.plain);
  let current = saved?.current ?? null;
  const state = (model: string, limit: number, limitSource: Window['limitSource'] = 'client') => {
    extended.delete(model);
    stated.set(model, { limit, limitSource });
  };
  const readIdentity = (id: string) => {
    const model = keyOf(id);
    if (!id.endsWith('[1m]')) {
      if (extended.has(model)) state(model, findModelWindow(id)?.tokens ?? 200_000);
      plain.add(model);
    } else if (!extended.has(model)) {
      stated.set(model, { limit: EXTENDED_TOKENS, ...(!plain.has(model) && { limitSource: 'client' }) });
      extended.add(model);
    }
  };
  return {
    read(line: Fields): void {
      const window = readWindow(line);
      if (window?.model) state(keyOf(window.model), window.tokens);
      const id = cleanText(asFields(asFields(line.attachment)?.identity)?.modelId, 200);
      if (id !== null) readIdentity(id);
      const refused = refusedAbove(line);
      if (refused !== null && current !== null) state(current, refused, 'api_error');
    },
    /** The window stated for the model of a call. */
    of(model: string | null): Window | null {
      if (model === null) return null;
      current = keyOf(model);
      return stated.get(current) ?? null;
    },
    state: (): WindowsState => ({
      stated: Object.fromEntries(stated),
      extended: [...extended],
      plain: [...plain],
      current,
    }),
  };
}

/** One name for a model with and without its date and suffix. */
function keyOf(model: string): string {
  return plainModel(model).replace('[1m]', '');
}

/** The window in the API's error `prompt is too long: 204800 tokens > 200000 maximum`. */
function refusedAbove(line: Fields): number | null {
  const message = asFields(line.message);
  if (message?.model !== SYNTHETIC || line.isSidechain === true) return null;
  const texts = asList(message.content).map((block) => asText(asFields(block)?.text) ?? '');
  const found = /prompt is too long: \d+ tokens > (\d+) maximum/.exec(texts.join('\n'));
  return asCount(Number(found?.[1])) || null;
}
