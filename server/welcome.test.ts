import { expect, test } from 'vitest';
import { formatWelcome, type WelcomeFacts } from './welcome';

const facts: WelcomeFacts = {
  version: '1.2.3',
  url: 'http://127.0.0.1:4680',
  firstAdminLink: null,
  dataFolder: '/data',
  isDefaultDataFolder: true,
  database: 'embedded',
  projectFolder: '/barograph',
  role: 'all',
};

test.each([
  [{}, /Open {4}http:\/\/127.0.0.1:4680.*cd \/barograph && npx barograph demo/s, /runners only/],
  [{ role: 'ingest' }, /runners only.*BAROGRAPH_ROLE=web.*npx barograph connect/s, /Open/],
  [{ firstAdminLink: 'http://localhost/x' }, /first admin.*http:\/\/localhost\/x/s, /runners only/],
  [{ role: 'web' }, /Open {4}http:\/\/127.0.0.1:4680/, /npx barograph/],
] as const)('shows what to do next for %j', (change, shown, hidden) => {
  const text = formatWelcome({ ...facts, ...change });
  expect(text).toMatch(shown);
  expect(text).not.toMatch(hidden);
});
