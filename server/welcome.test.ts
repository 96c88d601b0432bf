import { describe, expect, it } from 'vitest';
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

describe('welcome text', () => {
  it('shows the address and how to add data', () => {
    const text = formatWelcome(facts);
    expect(text).toContain('Open    http://127.0.0.1:4680');
    expect(text).toContain('cd /barograph && npx barograph demo');
    expect(text).not.toContain('Note');
  });

  it('mentions no pages on an ingest-only server', () => {
    const text = formatWelcome({ ...facts, role: 'ingest' });
    expect(text).not.toContain('Open');
    expect(text).toMatch(/runners only.*BAROGRAPH_ROLE=web/s);
    expect(text).toContain('npx barograph watch');
  });

  it('mentions no import commands on a web-only server', () => {
    const text = formatWelcome({ ...facts, role: 'web' });
    expect(text).toContain('Open    http://127.0.0.1:4680');
    expect(text).not.toContain('npx barograph');
  });

  it('lists settings of .env that only runners read', () => {
    const text = formatWelcome({ ...facts, unreadSettings: ['BAROGRAPH_CONTENT', 'BAROGRAPH_TOKEN'] });
    expect(text).toMatch(/Note .*BAROGRAPH_CONTENT, BAROGRAPH_TOKEN in \.env/);
  });
});
