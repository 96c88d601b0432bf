import { describe, expect, it } from 'vitest';
import { createCallOwners } from '../testing/measure-sessions';
import { createParser } from './items';

const MODEL = 'claude-sonnet-4-5-20250929';

function openParser() {
  const make = (state?: unknown) =>
    createParser({
      identity: { session: 'claude-code:s', chain: null, folder: null, project: 'p', clientSessionId: null },
      owners: createCallOwners(),
      content: false,
      announces: false,
      fallbackAt: 0,
      isFree: () => true,
      state,
    });
  let parser = make();
  let calls = 0;
  let source: string | undefined;
  const read = (line: object) => {
    const items = [...parser.line(JSON.stringify(line)), ...parser.settle()];
    // The statements survive a restart of the reader.
    parser = make(JSON.parse(JSON.stringify(parser.state())));
    return items;
  };
  return {
    read,
    identify: (modelId: string) =>
      read({ type: 'attachment', attachment: { type: 'model', identity: { modelId } } }),
    /** The limit of the next call. */
    call(model: string = MODEL) {
      calls += 1;
      const usage = { input_tokens: 1, output_tokens: 1 };
      const [turn] = read({ type: 'assistant', message: { id: `m${calls}`, model, usage } });
      source = turn?.type === 'turn' ? turn.limitSource : undefined;
      return turn?.type === 'turn' ? turn.limit : 'no turn';
    },
    /** The source of that limit. */
    source: () => source,
    refuse: (text: string, more: object = {}) =>
      read({
        type: 'assistant',
        message: { model: '<synthetic>', content: [{ type: 'text', text }] },
        ...more,
      }),
  };
}

describe('the window that a Claude Code transcript states', () => {
  it.each([`${MODEL}[1m]`, 'claude-sonnet-4-5[1m]', `us.anthropic.${MODEL}-v1:0[1m]`])(
    'is 1M after the identity %s',
    (modelId) => {
      const lines = openParser();
      expect(lines.call()).toBeUndefined();
      lines.identify(modelId);
      expect(lines.call()).toBe(1_000_000);
      expect(lines.source()).toBe('client');
      expect(lines.call('claude-haiku-4-5')).toBeUndefined();
      expect(lines.call()).toBe(1_000_000);
    },
  );

  it('changes in the middle of a session if the identity had no suffix before', () => {
    const lines = openParser();
    lines.identify(MODEL);
    lines.identify('claude-opus-4-6[1m]');
    expect(lines.call('claude-opus-4-6')).toBe(1_000_000);
    expect(lines.source()).toBe('client');
    lines.identify(`${MODEL}[1m]`);
    lines.identify(`${MODEL}[1m]`);
    expect(lines.call()).toBe(1_000_000);
    expect(lines.source()).toBeUndefined();
  });

  it('changes in the middle of a session if `/context` states 1M before the next identity does', () => {
    const lines = openParser();
    lines.identify(MODEL);
    expect(lines.call()).toBeUndefined();
    lines.read({ type: 'system', contextUsage: { model: MODEL, raw_max_tokens: 1_000_000 } });
    lines.identify(`${MODEL}[1m]`);
    expect(lines.call()).toBe(1_000_000);
    expect(lines.source()).toBeUndefined();
  });

  it('is the window of the table after the suffix disappears', () => {
    const lines = openParser();
    lines.identify(`${MODEL}[1m]`);
    lines.identify(MODEL);
    expect(lines.call()).toBe(200_000);
    lines.identify(MODEL);
    expect(lines.call()).toBe(200_000);
  });

  it('is not stated by an identity without the suffix', () => {
    const lines = openParser();
    lines.identify(MODEL);
    expect(lines.call()).toBeUndefined();
    lines.read({ type: 'system', contextUsage: { model: MODEL, raw_max_tokens: 150_000 } });
    lines.identify(MODEL);
    expect(lines.call()).toBe(150_000);
  });

  it('is 200k for an unknown model that loses the suffix', () => {
    const lines = openParser();
    lines.identify('made-up[1m]');
    expect(lines.call('made-up')).toBe(1_000_000);
    lines.identify('made-up');
    expect(lines.call('made-up')).toBe(200_000);
  });

  it('is the window in the API’s error, for the model of the last call', () => {
    const lines = openParser();
    lines.refuse('prompt is too long: 204800 tokens > 190000 maximum');
    expect(lines.call('claude-opus-5')).toBeUndefined();
    lines.refuse('prompt is too long: 204800 tokens > 300000 maximum', { isSidechain: true });
    lines.refuse('Credit balance is too low');
    expect(lines.call('claude-opus-5')).toBeUndefined();
    lines.refuse('API Error: 400 prompt is too long: 204800 tokens > 200000 maximum');
    expect(lines.call('claude-opus-5')).toBe(200_000);
    expect(lines.source()).toBe('api_error');
    expect(lines.call()).toBeUndefined();
  });
});
