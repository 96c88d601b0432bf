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

describe('what the server prints when it is ready', () => {
  it('is where to look and how to bring data', () => {
    const text = formatWelcome(facts);
    expect(text).toContain('Open    http://127.0.0.1:4680');
    expect(text).toContain('cd /barograph && npx barograph demo');
    expect(text).not.toContain('Note');
  });

  it('promises no page where only runners are served', () => {
    const text = formatWelcome({ ...facts, role: 'ingest' });
    expect(text).not.toContain('Open');
    expect(text).toMatch(/runners only.*BAROGRAPH_ROLE=web/s);
    expect(text).toContain('npx barograph watch');
  });

  it('names no command that brings data where none is taken', () => {
    const text = formatWelcome({ ...facts, role: 'web' });
    expect(text).toContain('Open    http://127.0.0.1:4680');
    expect(text).not.toContain('npx barograph');
  });

  it('names the settings of .env that nobody reads there', () => {
    const text = formatWelcome({ ...facts, unreadSettings: ['BAROGRAPH_CONTENT', 'BAROGRAPH_TOKEN'] });
    expect(text).toMatch(/Note .*BAROGRAPH_CONTENT, BAROGRAPH_TOKEN in \.env/);
  });
});
