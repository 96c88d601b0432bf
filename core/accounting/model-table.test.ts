import { beforeEach, describe, expect, it, vi } from 'vitest';

type Table = typeof import('./model-table');
let findModelWindow: Table['findModelWindow'];
let windowAbove: Table['windowAbove'];
let MODEL_WINDOWS: Table['MODEL_WINDOWS'];

// Each test loads the module again, because the module remembers the models it was asked for.
beforeEach(async () => {
  vi.resetModules();
  ({ findModelWindow, windowAbove, MODEL_WINDOWS } = await import('./model-table'));
});

const windowOf = (model: string) => findModelWindow(model)?.tokens;

describe('the window of a model', () => {
  it.each([
    ['claude-sonnet-4-5[1m]', 1_000_000],
    ['claude-anything[1m]', 1_000_000],
    ['claude-3-opus-20240229', 200_000],
    ['claude-3', 200_000],
    ['claude-3-5-haiku-20241022', 200_000],
    ['claude-haiku-4-5', 200_000],
    ['claude-haiku-4-5-20251001', 200_000],
    ['claude-opus-4', 200_000],
    ['claude-opus-4-0', 200_000],
    ['claude-opus-4-5', 200_000],
    ['us.anthropic.claude-opus-4-5-20251101', 200_000],
    ['anthropic/claude-sonnet-4-5-20250929[1m]', 1_000_000],
    ['claude-opus-4-20250514', 200_000],
    ['claude-opus-4-1-20250805', 200_000],
    ['claude-sonnet-4', 200_000],
    ['claude-sonnet-4-5-20250929', 200_000],
    ['claude-sonnet-4-20250514', 200_000],
    ['claude-opus-4-6', 200_000],
    ['claude-sonnet-4-8', 200_000],
    ['claude-sonnet-4-6-20260101', 200_000],
    ['claude-opus-5', 1_000_000],
    ['claude-sonnet-5-1', 1_000_000],
    ['claude-fable-5-20260801', 1_000_000],
    ['claude-fable-5-2-20260801', 1_000_000],
    ['gpt-5', 400_000],
    ['gpt-5.1-codex-max', 400_000],
    ['gpt-5-2025-08-07', 400_000],
    ['gpt-5.6', 1_050_000],
    ['gpt-4o', 128_000],
    ['gpt-4o-mini-2024-07-18', 128_000],
    ['o3', 200_000],
    ['chatgpt-4o-latest', 128_000],
    ['gemini-2.5-pro', 1_048_576],
    ['gemini-2.5-pro-preview-06-05', 1_048_576],
    ['gemini-2.5-flash-preview-09-2025', 1_048_576],
    ['gemini-3-pro-preview', 1_048_576],
    ['gemini-3.1-pro', 1_048_576],
    ['gemini-3-flash-preview', 1_000_000],
  ])('of %s is %i tokens', (model, tokens) => {
    expect(windowOf(model)).toBe(tokens);
  });

  it.each([
    ['gpt-5.3-codex', 'codex', 258_400],
    ['openai/gpt-6-astra', 'Codex', 258_400],
    ['gpt-5.3-codex', null, 400_000],
    ['gpt-5.3-codex', 'opencode', 400_000],
    ['gpt-4o', 'codex', 128_000],
  ])('of %s in the client %s is %i tokens', (model, client, tokens) => {
    expect(findModelWindow(model, client)?.tokens).toBe(tokens);
  });

  it.each([
    'my-claude-x[1m]',
    'claude-x[1m]x',
    'claude-x[2m]',
    'claude-30',
    'xclaude-3-opus',
    'claude-haiku-4-50',
    'claude-haiku-4',
    'claude-opus-4-9',
    'claude-opus-4-55',
    'claude-opus-4-5-1',
    'claude-opus-4-5-3025',
    'claude-opus-4-5-202505141',
    'claude-opus-4-5-2025051',
    'claude-sonnet-4-9',
    'claude-sonnet-4-5x',
    'claude-sonnet-4-x',
    'claude-haiku-4-6',
    'claude-opus-4-6-latest',
    'claude-haiku-5',
    'my-claude-haiku-4-5',
    'my-claude-opus-4-5',
    'my-claude-sonnet-4-5',
    'my-claude-opus-4-6',
    'my-claude-opus-5',
    'my-claude-3-opus',
    'claude-opus-5-x',
    'claude-opus-5-11',
    'claude-opus-55',
    'claude-opus-6',
    'opus-4-5',
    'gpt-4o-realtime-preview',
    'gpt-9',
    'text-embedding-3-large',
    'gemini-3-pro-x',
    'gemini-2.5-pro-preview-x',
    'gpt-5-abcdefgh',
    'my.gpt-5.anthropic.gpt-5',
    'my-gemini-3-pro',
    'gemini-2.5-preview-pro',
    'gpt-anthropic.5',
    'constructor',
    '',
  ])('is unknown for %s', (model) => {
    expect(findModelWindow(model)).toBeNull();
  });

  it.each([
    'anthropic/claude-opus-4-5',
    'us.anthropic.claude-opus-4-5',
    'a/b.c/claude-opus-4-5',
    'CLAUDE-Opus-4-5',
  ])('is the same for %s, with any provider prefix and in any case', (model) => {
    expect(windowOf(model)).toBe(200_000);
  });

  it.each([
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 200_000],
    ['us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]', 1_000_000],
    ['anthropic.claude-3-5-sonnet-20241022-v2', 200_000],
    ['anthropic.claude-sonnet-4-20250514-v1', 200_000],
    ['arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-opus-5-v1:0', 1_000_000],
    ['openai.gpt-oss-120b-1:0', 131_072],
    ['claude-opus-4-5@20251101', 200_000],
    ['claude-sonnet-4@20250514', 200_000],
    ['anthropic.claude-opus-4-5-v12:34', 200_000],
    ['openai.gpt-oss-120b-12:34', 131_072],
    ['openai/x/gpt-5@2025-08-07', 400_000],
    ['claude-sonnet-4-5@20250929[1m]', 1_000_000],
    ['claude-opus-4-5@default', 200_000],
    ['publishers/google/models/gemini-2.5-flash', 1_048_576],
    ['anthropic/claude-sonnet-4.5', 200_000],
    ['anthropic/claude-3.7-sonnet:thinking', 200_000],
    ['openai/gpt-5.4-mini', 400_000],
    ['google/gemini-2.5-pro:free', 1_048_576],
  ])('is known by the name of Bedrock, Vertex and OpenRouter %s', (model, tokens) => {
    expect(windowOf(model)).toBe(tokens);
  });

  it('names its source and date', () => {
    expect(findModelWindow('gpt-5')?.source).toMatch(/^@pydantic\/genai-prices \d/);
    expect(findModelWindow('gemini-2.5-pro')?.source).toMatch(/^@tokenlens\/models \d/);
    expect(findModelWindow('gpt-5')?.date).toMatch(/^2026-/);
  });

  it('is found after lookups of many other names', () => {
    for (let n = 0; n < 1_200; n += 1) expect(findModelWindow(`made-up-${n}`)).toBeNull();
    expect(windowOf('claude-opus-4-6')).toBe(200_000);
    expect(windowOf('claude-opus-4-6')).toBe(200_000);
    expect(findModelWindow('made-up-1')).toBeNull();
  });
});

describe('the window above a reading', () => {
  it.each([
    [200_000, 200_000],
    [200_001, 1_000_000],
    [1_000_000, 1_000_000],
    [1_000_001, 2_000_000],
    [2_000_001, 4_000_000],
  ])('of %i tokens is %i tokens', (reading, window) => {
    expect(windowAbove(reading)).toBe(window);
  });
});

describe('the table of models', () => {
  it('lists hand-written entries first, then all other generated entries', () => {
    const names = MODEL_WINDOWS.map(({ models }) => models);
    expect(names.slice(0, 9)).toEqual([
      'gpt-5… and gpt-6… in Codex',
      'claude-…[1m]',
      'claude-3…',
      'claude-haiku-4-5',
      'claude-opus-4 to 4-5',
      'claude-sonnet-4 to 4-5',
      'claude-opus-4-6 to 4-8, claude-sonnet-4-6 to 4-8',
      'claude-opus-5…, claude-sonnet-5…, claude-fable-5…',
      'gemini-3-pro, gemini-3.1-pro',
    ]);
    expect(names[9]).toBe('chatgpt-4o');
    expect(names.slice(9).join()).not.toMatch(/claude-opus-4-6|claude-sonnet-5/);
    expect(names).not.toContain('');
    expect(names).toContain('gemini-1-0-pro, gemini-pro');
    expect(Object.keys(MODEL_WINDOWS[0] ?? {})).not.toContain('pattern');
  });
});
