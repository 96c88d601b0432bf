import { expect, test } from 'vitest';
import { formatWelcome, type WelcomeFacts } from './welcome';

const facts: WelcomeFacts = {
  version: '1.2.3',
  url: 'http://127.0.0.1:4680',
  dataFolder: '/data',
  isDefaultDataFolder: true,
  database: 'embedded',
  projectFolder: '/barograph',
  role: 'all',
  unreadSettings: [],
};

const UNREAD = ['BAROGRAPH_CONTENT', 'BAROGRAPH_TOKEN'];

test.each([
  [{}, /Open {4}http:\/\/127.0.0.1:4680.*cd \/barograph && npx barograph demo/s, /Note/],
  [{ role: 'ingest' }, /runners only.*BAROGRAPH_ROLE=web.*npx barograph watch/s, /Open/],
  [{ role: 'web' }, /Open {4}http:\/\/127.0.0.1:4680/, /npx barograph/],
  [{ unreadSettings: UNREAD }, /Note .*BAROGRAPH_CONTENT, BAROGRAPH_TOKEN in \.env/, /undefined/],
] as const)('shows what to do next for %j', (change, told, untold) => {
  const text = formatWelcome({ ...facts, ...change });
  expect(text).toMatch(told);
  expect(text).not.toMatch(untold);
});
