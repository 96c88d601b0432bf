/** Explanations of numbers, and a session with known numbers. */
import type { Locator, Page } from '@playwright/test';
import type { FieldsOf } from '@/runner/src/client/client-types';
import { words } from './screen';
import type { Reported } from './test';

export function answer(page: Page): Locator {
  return page.getByRole('dialog');
}

/** The numbers with an explanation. */
export function numbers(place: Locator): Locator {
  return place.getByRole('button', { name: /why\?$/ });
}

export function said(page: Page): Promise<string> {
  return words(answer(page));
}

const TURNS = 12;
const MINUTE = 60_000;

/** Reports the Claude Code session `steady`: a turn per minute, in equal steps from 60 000 to 104 000 tokens. */
export function reportSteady(report: (name: string, facts: FieldsOf<'session_start'>) => Reported): Reported {
  const begun = Date.now() - TURNS * MINUTE;
  const client = { client: 'claude-code', clientVersion: '2.1.90', model: 'claude-opus-4-5' };
  const session = report('steady', { at: begun, limit: undefined, ...client });
  for (let turn = 0; turn < TURNS; turn += 1) {
    const contextTokens = 60_000 + turn * 4_000;
    const cacheReadTokens = contextTokens - 2_000;
    const usage = { inputTokens: 10, outputTokens: 490, cacheCreationTokens: 1_500, cacheReadTokens };
    session.turn({ at: begun + turn * MINUTE, contextTokens, usage });
  }
  return session;
}
